"""`heapscope predict`: what it says of a configuration, and of inputs that cannot be used."""

from __future__ import annotations

import errno
import json
import resource
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from heapscope.cli.app import app
from heapscope.forecast.predict.calibrate import keep
from heapscope.forecast.predict.wifi_table import METRICS, WifiRow, ranks

Predict = Callable[..., dict[str, Any]]
REFERENCE = Path(__file__).resolve().parents[3] / "docs" / "reference"


def options(row: WifiRow) -> str:
    """A published rank as a configuration, in the names of its time: later releases know them."""
    knobs = row.knobs
    lines = [
        f"ESP32_WIFI_STATIC_RX_BUFFER_NUM={knobs.static_rx}",
        f"ESP32_WIFI_DYNAMIC_RX_BUFFER_NUM={knobs.dynamic_rx}",
        f"ESP32_WIFI_DYNAMIC_TX_BUFFER_NUM={knobs.tx_buffers}",
        f"LWIP_TCP_SND_BUF_DEFAULT={knobs.tcp_snd_buf}",
        f"LWIP_TCP_WND_DEFAULT={knobs.tcp_wnd}",
        f"LWIP_IRAM_OPTIMIZATION={'y' if knobs.lwip_iram else 'n'}",
        f"{knobs.chip.upper()}_DEFAULT_CPU_FREQ_{knobs.mhz}=y",
    ]
    if knobs.rx_ba_win:
        lines.append(f"ESP32_WIFI_RX_BA_WIN={knobs.rx_ba_win}")
    else:
        lines.append("ESP32_WIFI_AMPDU_RX_ENABLED=n")
    return " ".join(lines)


def rank(name: str) -> WifiRow:
    return next(row for row in ranks() if row.id == name)


@pytest.mark.parametrize("name", ["esp32-default", "esp32-memory-saving", "esp32c3-iperf"])
def test_a_published_rank_is_inside_its_own_band(predict: Predict, name: str) -> None:
    row = rank(name)
    result = predict(options(row), "--chip", row.knobs.chip, "--idf", "4.2")
    for metric in METRICS:
        band = result["throughput_mbps"][metric]
        assert band["low_95"] < band["low_80"] < band["median"] < band["high_80"] < band["high_95"]
    tcp = result["throughput_mbps"]["tcp_rx"]
    assert tcp["low_95"] <= row.throughput["tcp_rx"] <= tcp["high_95"]
    assert any("published ranks of this chip" in sentence for sentence in result["rests_on"])


def test_a_chip_without_ranks_has_wide_bands_and_says_so(predict: Predict) -> None:
    """The ESP32-C5 is known by its best figures alone, the C3 by three ranks."""
    known = predict("ESP_WIFI_IRAM_OPT=y", "--chip", "esp32c3", "--idf", "4.3")
    unknown = predict("ESP_WIFI_IRAM_OPT=y", "--chip", "esp32c5", "--idf", "5.5")

    def width(result: dict[str, Any]) -> float:
        band = result["throughput_mbps"]["udp_rx"]
        return float(band["high_80"] / band["low_80"])

    assert width(unknown) > width(known)
    assert "no published rank of this chip" in unknown["rests_on"][0]
    assert any("grows with that time" in sentence for sentence in unknown["rests_on"])


def test_newer_software_is_faster_and_less_certain(predict: Predict) -> None:
    old = predict("ESP_WIFI_IRAM_OPT=y", "--chip", "esp32c6", "--idf", "4.3")
    new = predict("ESP_WIFI_IRAM_OPT=y", "--chip", "esp32c6", "--idf", "5.5")
    for metric in ("udp_tx", "udp_rx"):
        before, after = old["throughput_mbps"][metric], new["throughput_mbps"][metric]
        assert 1.2 < after["median"] / before["median"] < 1.6


def test_distance_and_loss_cost_tcp_what_they_should(predict: Predict) -> None:
    text = "LWIP_TCP_WND_DEFAULT=5760"
    near = predict(text, "--chip", "esp32")["throughput_mbps"]
    far = predict(text, "--chip", "esp32", "--rtt", 50)["throughput_mbps"]
    lossy = predict(text, "--chip", "esp32", "--rtt", 50, "--loss", 1)["throughput_mbps"]
    # A window of 5,760 bytes each 50 ms is 0.92 Mbit/s, whatever else there is.
    assert far["tcp_rx"]["median"] < 0.92
    assert far["tcp_rx"]["median"] > 0.8
    assert far["udp_rx"]["median"] == near["udp_rx"]["median"]
    assert lossy["tcp_rx"]["median"] < far["tcp_rx"]["median"]
    air = predict(text, "--chip", "esp32", "--air")["throughput_mbps"]
    assert air["udp_rx"]["high_80"] / air["udp_rx"]["low_80"] > 3


def parts(result: dict[str, Any], component: str) -> dict[str, dict[str, Any]]:
    return {part["what"]: part for part in result["parts"] if part["component"] == component}


def test_parts_follow_the_options(predict: Predict) -> None:
    result = predict(
        "ESP_WIFI_STATIC_RX_BUFFER_NUM=4 LWIP_TCP_WND_DEFAULT=14400 "
        "MBEDTLS_SSL_IN_CONTENT_LEN=16384 MBEDTLS_SSL_OUT_CONTENT_LEN=2048 FREERTOS_UNICORE=y",
        "--chip", "esp32", "--tls", 2,
    )  # fmt: skip
    wifi = parts(result, "Wi-Fi")
    assert wifi["static RX buffers"]["bytes"] == pytest.approx(4 * 1696, rel=0.02)
    assert wifi["dynamic RX buffers"]["count"] == 3 * 7  # a mailbox takes 7 of 10 segments
    assert parts(result, "TLS")["incoming records"]["bytes"] == pytest.approx(2 * 16717, rel=0.001)
    assert parts(result, "TLS")["outgoing records"]["bytes"] == pytest.approx(2 * 2381, rel=0.001)
    assert "IPC tasks" not in parts(result, "stacks")
    alone = predict("FREERTOS_UNICORE=y", "--chip", "esp32")
    assert result["left"]["median"] < alone["left"]["median"]
    assert result["left"] == result["states"]["load"]["dram"]


def test_psram_takes_the_dynamic_buffers_and_large_records(predict: Predict) -> None:
    result = predict(
        "SPIRAM=y SPIRAM_USE_MALLOC=y SPIRAM_TRY_ALLOCATE_WIFI_LWIP=y MBEDTLS_EXTERNAL_MEM_ALLOC=y",
        "--chip", "esp32s3", "--tls", 1,
    )  # fmt: skip
    assert result["psram"] == "quad"
    assert parts(result, "Wi-Fi")["dynamic RX buffers"]["kind"] == "psram"
    assert parts(result, "Wi-Fi")["static TX buffers"]["kind"] == "dram"
    assert parts(result, "TLS")["incoming records"]["kind"] == "psram"
    plain = predict("ESP_WIFI_IRAM_OPT=y", "--chip", "esp32s3", "--tls", 1)
    assert result["states"]["load"]["psram"]["median"] > 3_000_000
    assert plain["states"]["load"]["psram"]["median"] == 0


@pytest.mark.parametrize(
    ("chip", "idf"), [("esp32", "5.5"), ("esp32", "4.2"), ("esp32c3", "5.5"), ("esp32s3", "4.3")]
)
def test_lines_that_kconfig_leaves_out_change_nothing(
    predict: Predict, chip: str, idf: str
) -> None:
    """Those of boards with PSRAM, in a build without it: the records of TLS stay in the chip."""
    args = ("--chip", chip, "--idf", idf, "--tls", 1)
    plain = predict("LWIP_TCP_MSS=1440", *args)
    off = "SPIRAM=y" if chip == "esp32c3" else "SPIRAM=n"
    result = predict(
        f"{off} SPIRAM_USE_MALLOC=y SPIRAM_TRY_ALLOCATE_WIFI_LWIP=y "
        "SPIRAM_MALLOC_RESERVE_INTERNAL=65536",
        *args,
    )
    for key in ("psram", "throughput_mbps", "states", "left", "parts"):
        assert result[key] == plain[key]
    assert any("CONFIG_SPIRAM_USE_MALLOC" in note for note in result["notes"])
    assert not any("left out" in note for note in plain["notes"])


def test_tls_is_not_in_psram_that_is_off(predict: Predict) -> None:
    result = predict("MBEDTLS_EXTERNAL_MEM_ALLOC=y SPIRAM=n", "--chip", "esp32", "--tls", 1)
    assert parts(result, "TLS")["incoming records"]["kind"] == "dram"


def test_bluetooth_is_a_part_by_its_mode(predict: Predict) -> None:
    """An ESP32 keeps the classic one's memory at boot in each; an ESP32-S2 has a host alone."""
    text = "BT_ENABLED=y BT_BLUEDROID_ENABLED=y BTDM_CTRL_MODE_"
    args = ("--chip", "esp32", "--links", "ble")
    states = [predict(f"{text}{mode}=y", *args)["states"] for mode in ("BTDM", "BLE_ONLY")]
    both, alone = ({at: each[at]["dram"]["median"] for at in each} for each in states)
    assert alone["boot"] == both["boot"]
    assert alone["ble"] > both["ble"] + 15_400
    none = predict("BT_ENABLED=y", "--chip", "esp32s2")
    assert not parts(none, "Bluetooth")
    assert parts(none, "Bluedroid")
    assert "ble" in none["states"]


def test_bluetooths_host_is_kconfigs_default(predict: Predict) -> None:
    assert parts(predict("BT_ENABLED=y", "--chip", "esp32"), "Bluedroid")
    for other in ("BT_NIMBLE_ENABLED=y", "BT_CONTROLLER_ONLY=y"):
        assert not parts(predict(f"BT_ENABLED=y {other}", "--chip", "esp32"), "Bluedroid")
    off = predict("BT_ENABLED=y BT_BLUEDROID_ENABLED=n", "--chip", "esp32")
    assert parts(off, "Bluedroid")  # "n" chooses no other member


def test_records_in_iram_make_tls_slower(predict: Predict) -> None:
    text = "FREERTOS_UNICORE=y ESP32_IRAM_AS_8BIT_ACCESSIBLE_MEMORY=y"
    results = [
        predict(f"{text} {more}", "--chip", "esp32", "--tls", 1)
        for more in ("", "MBEDTLS_IRAM_8BIT_MEM_ALLOC=y")
    ]
    plain, iram = (each["tls_1mb"] for each in results)
    # and leave the memory that any request is served from to others
    gain = results[1]["left"]["median"] - results[0]["left"]["median"]
    assert gain == pytest.approx(16_717 + 4_429, rel=0.001)
    assert iram["seconds"] > plain["seconds"]
    assert iram["iram_s"] == pytest.approx(2.2)  # at 160 MHz, as published
    assert plain["cipher_s"] + 8 * 1.048576 / 4.5 == pytest.approx(3.0, abs=0.01)


def test_power_save_follows_the_times(predict: Predict) -> None:
    result = predict(
        "ESP_WIFI_IRAM_OPT=y", "--chip", "esp32", "--dtim", 3, "--listen", 10, "--beacon", 100,
        "--window", 25, "--interval", 100, "--wifi-share", 50,
    )  # fmt: skip
    modes = {mode["mode"]: mode for mode in result["power_save"]}
    assert modes["min_modem"]["worst_delay_ms"] == pytest.approx(307.2 + 50)
    assert modes["max_modem"]["broadcast_heard_pct"] == 10
    assert any("broadcast" in note for note in modes["max_modem"]["notes"])
    assert modes["connectionless"]["radio_on_pct"] == 25
    assert modes["none"]["radio_on_pct"] == 50


def test_the_own_board_moves_the_prediction_and_is_kept(predict: Predict, tmp_path: Path) -> None:
    text = "LWIP_TCP_WND_DEFAULT=5760"
    before = predict(text, "--chip", "esp32")
    kept = tmp_path / "heapscope-measured.toml"
    kept.write_text(
        '[[measured]]\nsdkconfig = "sdkconfig.defaults"\ntcp_rx = 9.0\navailable_kb = 60\n'
    )
    after = predict(text, "--chip", "esp32")
    assert any("calibrated by" in note for note in after["notes"])
    rate, memory = after["throughput_mbps"]["tcp_rx"], after["left"]["median"] / 1024
    assert abs(rate["median"] - 9) < abs(before["throughput_mbps"]["tcp_rx"]["median"] - 9) / 15
    assert memory == pytest.approx(60, abs=0.01)
    assert after["left"]["high_80"] - after["left"]["low_80"] < 16_000
    assert after["states"]["boot"]["iram"] == before["states"]["boot"]["iram"]
    assert rate["high_80"] / rate["low_80"] < 1.5
    aside = predict(text, "--chip", "esp32", "--no-measured")
    assert aside["throughput_mbps"] == before["throughput_mbps"]


OWN = '[[measured]]\nsdkconfig = "shipped"\ntcp_rx = 9.0\navailable_kb = 60\n'


def test_figures_given_once_are_kept_beside_the_configuration(
    predict: Predict, tmp_path: Path
) -> None:
    text, board = "LWIP_TCP_WND_DEFAULT=5760", tmp_path / "board"
    board.mkdir()
    (board / "shipped").write_text(f"CONFIG_{text}\n", encoding="utf-8")
    (board / "own.toml").write_text(OWN, encoding="utf-8")
    plain = predict(text, "--chip", "esp32")
    given = predict(text, "--chip", "esp32", "--measured", board / "own.toml")
    assert any("kept as" in note for note in given["notes"])
    kept = predict(text, "--chip", "esp32")
    assert kept["throughput_mbps"] == given["throughput_mbps"] != plain["throughput_mbps"]
    assert kept["left"] == given["left"]
    # Given again they replace what was kept; a user's own file stays.
    (board / "own.toml").write_text(OWN.replace("9.0", "18.0"), encoding="utf-8")
    again = predict(text, "--chip", "esp32", "--measured", board / "own.toml")
    assert again["throughput_mbps"] == predict(text, "--chip", "esp32")["throughput_mbps"]
    assert again["throughput_mbps"] != given["throughput_mbps"]
    mine = tmp_path / "heapscope-measured.toml"
    mine.write_text('[[measured]]\nsdkconfig = "board/shipped"\nudp_rx = 30\n', encoding="utf-8")
    reported = predict(text, "--chip", "esp32", "--measured", board / "own.toml")
    assert reported["throughput_mbps"] == again["throughput_mbps"]
    assert any("not kept" in note for note in reported["notes"])
    assert "udp_rx = 30" in mine.read_text(encoding="utf-8")
    assert predict(text, "--chip", "esp32", "--no-measured")["notes"] == plain["notes"]


@pytest.fixture
def owned(predict: Predict, tmp_path: Path) -> Callable[[str], str]:
    """Predicts with figures of the user's board, this one of them; the note that tells of them."""
    (tmp_path / "shipped").write_text("CONFIG_LWIP_TCP_WND_DEFAULT=5760\n", encoding="utf-8")

    def reported(figure: str) -> str:
        own = tmp_path / "own.toml"
        own.write_text(OWN.replace("9.0", figure), encoding="utf-8")
        result = predict("LWIP_TCP_WND_DEFAULT=5760", "--chip", "esp32", "--measured", own)
        assert result["left"]["median"] < 65_000
        return str(next(note for note in result["notes"] if "calibrated by" in note))

    return reported


@pytest.mark.parametrize("other", ["folder", "device"])
def test_figures_that_cannot_be_kept_are_used_all_the_same(
    owned: Callable[[str], str], tmp_path: Path, other: str
) -> None:
    """A device would give no end of bytes, and take them without a trace."""
    kept = tmp_path / "heapscope-measured.toml"
    if other == "folder":
        kept.mkdir()
    else:
        kept.symlink_to("/dev/full")
    assert f"not kept: {kept}: is not a file" in owned("9.0")


def test_a_full_disk_leaves_what_was_kept_whole(
    owned: Callable[[str], str], tmp_path: Path
) -> None:
    assert "kept as" in owned("9.0")
    kept = tmp_path / "heapscope-measured.toml"
    before, there = kept.read_bytes(), sorted(tmp_path.iterdir())
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) // 2, hard))
    try:
        reported = keep(tmp_path / "own.toml", tmp_path / "sdkconfig.defaults")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert f"not kept: {kept}: cannot be written: File too large" in reported
    assert kept.read_bytes() == before
    assert sorted(tmp_path.iterdir()) == there


def test_a_folder_that_nobody_may_write_to_leaves_what_was_kept(
    owned: Callable[[str], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "kept as" in owned("9.0")
    kept, opened = tmp_path / "heapscope-measured.toml", Path.open
    before = kept.read_bytes()

    def refused(path: Path, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
        if path.parent == tmp_path and not mode.startswith("r"):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return opened(path, mode, *args, **kwargs)

    (tmp_path / "own.toml").write_text(OWN.replace("9.0", "18.0"), encoding="utf-8")
    monkeypatch.setattr(Path, "open", refused)
    reported = keep(tmp_path / "own.toml", tmp_path / "sdkconfig.defaults")
    assert f"not kept: {kept}: cannot be written: Permission denied" in reported
    assert kept.read_bytes() == before


def test_code_that_is_not_in_iram_leaves_more_to_a_trace(predict: Predict, tmp_path: Path) -> None:
    events, trace = tmp_path / "events.txt", tmp_path / "T.hst"
    events.write_text("a 1 20000\n", encoding="utf-8")
    assert (
        CliRunner()
        .invoke(app, ["import", "--from", "text", str(events), "-o", str(trace)])
        .exit_code
        == 0
    )

    def sizes(text: str) -> int:
        result = predict(text, "--chip", "esp32c3", "--trace", trace)["replay"]
        return sum(int(region["size"]) for region in result["regions"])

    plain = sizes("ESP_WIFI_IRAM_OPT=y")  # as by default
    assert 18_000 < sizes("ESP_WIFI_IRAM_OPT=n ESP_WIFI_RX_IRAM_OPT=n") - plain < 32_000
    assert 7_000 < plain - sizes("LWIP_IRAM_OPTIMIZATION=y") < 16_000


def test_a_trace_is_replayed_on_the_configurations_memory(predict: Predict, tmp_path: Path) -> None:
    events, trace = tmp_path / "events.txt", tmp_path / "T.hst"
    events.write_text("t net\na 1 20000\na 2 50000\nf 1\n", encoding="utf-8")
    built = CliRunner().invoke(app, ["import", "--from", "text", str(events), "-o", str(trace)])
    assert built.exit_code == 0
    result = predict("HEAP_POISONING_LIGHT=y", "--chip", "esp32", "--trace", trace)
    assert result["replay"]["heapscope_replay"] == 1
    assert result["replay"]["summary"]["failures"] == 0
    assert {region["allocator"] for region in result["replay"]["regions"]} == {"idf-5.5+light"}


@pytest.mark.parametrize(
    "line",
    [
        "CONFIG_LWIP_TCP_WND_DEFAULT=0",
        "CONFIG_ESP_WIFI_DYNAMIC_TX_BUFFER_NUM=500",
        "CONFIG_LWIP_TCP_MSS=many",
        "LWIP_TCP_MSS=9",
    ],
)
def test_a_line_that_kconfig_leaves_out_changes_nothing(tmp_path: Path, line: str) -> None:
    """The defaults stand for it, and a note names it."""
    answers = []
    for text in ("# defaults", line):
        path = tmp_path / "sdkconfig"
        path.write_text(f"{text}\n", encoding="utf-8")
        done = CliRunner().invoke(app, ["predict", str(path), "--chip", "esp32", "--json", "-"])
        assert done.exit_code == 0, done.output
        answers.append(json.loads(done.stdout))
    notes = [answer.pop("notes") for answer in answers]
    assert answers[0] == answers[1]
    assert not any("does not take" in note for note in notes[0])
    assert any("does not take" in note and "line 1" in note for note in notes[1])


@pytest.mark.parametrize(
    ("text", "args", "parts"),
    [
        ("ESP_WIFI_IRAM_OPT=y", ("--chip", "esp32", "--links", "lora"), ("lora", "wifi, ble")),
        (
            "ESP_WIFI_IRAM_OPT=y",
            ("--chip", "esp32", "--static-dram", "-1"),
            ("'-1' is not a number",),
        ),
        (
            "ESP_WIFI_IRAM_OPT=y",
            ("--chip", "esp32", "--static-dram", "9", "--elf", "no.elf"),
            ("give one of them",),
        ),
        ("ESP_WIFI_IRAM_OPT=y", ("--chip", "esp32", "--loss", "100"), ("loss of 100%",)),
        ("ESP_WIFI_IRAM_OPT=y", ("--chip", "esp32", "--dtim", "0"), ("DTIM period of 0",)),
        ("ESP_WIFI_IRAM_OPT=y", ("--chip", "esp32", "--measured", "no.toml"), ("no.toml",)),
        ("ESP_WIFI_IRAM_OPT=y", ("--chip", "esp32", "--rtt", "nan"), ("round trip of nan",)),
    ],
)
def test_what_cannot_be_is_named(
    tmp_path: Path, text: str, args: tuple[str, ...], parts: tuple[str, ...]
) -> None:
    path = tmp_path / "sdkconfig"
    path.write_text(f"CONFIG_{text}\n", encoding="utf-8")
    done = CliRunner().invoke(app, ["predict", str(path), *args])
    assert done.exit_code == 2
    assert "remedy: " in done.stderr
    for part in parts:
        assert part in done.stderr
    assert "Traceback" not in done.output


@pytest.mark.parametrize(
    "content",
    [
        "tcp_rx = 3",
        "[[measured]]\ntcp_rx = 3",
        '[[measured]]\nsdkconfig = "sdkconfig"\n',
        '[[measured]]\nsdkconfig = "sdkconfig"\ntcp_rx = -1\n',
        '[[measured]]\nsdkconfig = "sdkconfig"\ntpc_rx = 1\n',
        '[[measured]]\nsdkconfig = "elsewhere"\ntcp_rx = 1\n',
        "[[measured",
    ],
)
def test_measurements_that_cannot_be_read_are_named(tmp_path: Path, content: str) -> None:
    (tmp_path / "sdkconfig").write_text("CONFIG_ESP_WIFI_IRAM_OPT=y\n", encoding="utf-8")
    (tmp_path / "own.toml").write_text(content, encoding="utf-8")
    done = CliRunner().invoke(
        app,
        ["predict", str(tmp_path / "sdkconfig"), "--chip", "esp32", "--measured",
         str(tmp_path / "own.toml")],
    )  # fmt: skip
    assert done.exit_code == 2
    assert "remedy: " in done.stderr


@pytest.mark.parametrize("width", [20, 40, 80, 250])
def test_any_width_of_a_terminal_will_do(tmp_path: Path, width: int) -> None:
    path = tmp_path / "sdkconfig"
    path.write_text("CONFIG_ESP_WIFI_IRAM_OPT=y\n", encoding="utf-8")
    done = CliRunner().invoke(
        app, ["predict", str(path), "--chip", "esp32s3", "--tls", "1"],
        env={"COLUMNS": str(width), "TERM": "dumb"},
    )  # fmt: skip
    assert done.exit_code == 0
    assert "KB are left when all is at work" in " ".join(done.stdout.split())


def test_effects_are_predicted_beside_what_was_measured() -> None:
    sys.path.append(str(REFERENCE.parent / "generators"))
    import effects_page

    rows = {row.id: row for row in effects_page.effects()}
    assert rows["M170"].difference == pytest.approx(0, abs=5)
    assert rows["M3"].predicted == pytest.approx(-20_183, abs=5)
    assert rows["M47"].predicted == 0  # the small printf leaves what is linked as it is
    assert rows["M65"].predicted == pytest.approx(-19_362, rel=0.3)  # measured under 5.4
