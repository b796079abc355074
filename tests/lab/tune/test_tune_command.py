"""The command: answers, files, and what it says of bad input."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest
from typer.testing import CliRunner

from heapscope.cli.app import app
from heapscope.cli.schemas import schema_of
from heapscope.cli.verbs.shown import show
from heapscope.config.config import Config, read_config, settle
from heapscope.config.lint.find import lint
from heapscope.config.rules import all_rules
from heapscope.forecast.predict.config_knobs import knobs_of
from heapscope.forecast.predict.constants import read_constants
from heapscope.forecast.predict.demand import Demand
from heapscope.forecast.predict.memory_scene import MemoryScene, minor_of_config
from heapscope.forecast.predict.memory_states import DRAM, FreeBand, MemoryModel
from heapscope.forecast.tune.goals import parse_goals
from heapscope.forecast.tune.memory import FREE
from heapscope.forecast.tune.problem import Problem
from heapscope.forecast.tune.question import TuneQuestion, answer
from heapscope.forecast.tune.wifi import figures
from heapscope.render.text.console import console

ROOT = Path(__file__).parents[3]
TRACE = ROOT / "studies" / "workloads" / "captured" / "tls35_ec_4k_4k.hst.zst"


@pytest.fixture
def tune(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[int, str, str]]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")

    def run(*args: object) -> tuple[int, str, str]:
        done = CliRunner().invoke(app, ["tune", *map(str, args)])
        assert "Traceback" not in done.output
        return done.exit_code, done.stdout, done.stderr

    return run


def valid(text: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(text)
    name = "tune-ranks" if "ranks" in document else "tune"
    schema = schema_of(name)
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(document)
    return document


def left(config: Config, *, tls: int = 0) -> FreeBand:
    scene = MemoryScene(config=config, minor=minor_of_config(config), demand=Demand(tls=tls))
    model = MemoryModel(scene=scene)
    return model.free(model.busiest)[DRAM]


def test_the_fragment_gives_what_was_promised(tune: Any) -> None:
    """Read back as a configuration, predicted anew, checked by every hard rule."""
    code, out, _ = tune(
        "--chip", "esp32c3", "--goal", "tcp_rx>=20", "--fragment", "F", "--json", "F.json"
    )
    assert code == 0
    document = valid(Path("F.json").read_text(encoding="utf-8"))
    config = read_config(["F"], chip="esp32c3", sdk="5.5")
    stated = figures(read_constants(), knobs_of(config).knobs, left(config))
    assert stated.low_80["tcp_rx"] >= 20
    # The mailboxes that follow a window take 4 bytes for each packet more.
    assert stated.low_80[FREE] == pytest.approx(document["best"]["low_80"]["free"], abs=0.5)
    assert document["no_configuration_above"] == pytest.approx(document["best"]["low_80"]["free"])
    for rule in all_rules():
        for check in rule.checks if rule.hard else ():
            assert not check.broken(config), rule.id
    lines = Path("F").read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines):
        if line.startswith("CONFIG_"):
            assert lines[number - 1].startswith(("#", "CONFIG_"))  # its reason
    assert [line for line in lines if line.startswith("CONFIG_")] == document["options"]
    assert all(line in out for line in document["options"])


def test_lines_are_those_of_the_sdk(tune: Any) -> None:
    """Under the names of 5.5, Kconfig of 4.2 would leave most of them out."""
    requested = ("--chip", "esp32", "--idf", "4.2", "--tls", "1", "--goal", "tcp_rx>=15")
    assert tune(*requested, "--fragment", "F", "--json", "J")[0] == 0
    document = valid(Path("J").read_text(encoding="utf-8"))
    text = Path("F").read_text(encoding="utf-8")
    assert [line for line in text.splitlines() if line[0:7] == "CONFIG_"] == document["options"]
    assert "CONFIG_ESP32_WIFI_STATIC_RX_BUFFER_NUM=4" in document["options"]
    findings = lint(read_config(["F"], chip="esp32", sdk="4.2")).findings
    assert not [each for each in findings if each.hard or each.rule == "old-name"]


@pytest.mark.slow
def test_without_psram_its_lines_count_for_nothing(tune: Any) -> None:
    text = "SPIRAM=y SPIRAM_TRY_ALLOCATE_WIFI_LWIP=y MBEDTLS_EXTERNAL_MEM_ALLOC=y"
    Path("P").write_text("".join(f"CONFIG_{line}\n" for line in text.split()), encoding="utf-8")
    args = ("--chip", "esp32c61", "--tls", "1", "--goal", "tcp_rx>=10", "--median", "--json", "-")
    own = valid(tune(*args, "P", "--psram-mode", "none")[1])
    plain = valid(tune(*args)[1])
    for key in ("now", "best", "tls"):
        assert own[key] == plain[key]


def test_what_does_not_fit_is_stated(tune: Any) -> None:
    code, out, _ = tune("--chip", "esp32c3", "--tls", "9", "--goal", "tcp_rx>=5", "--json", "-")
    document = valid(out)
    missing = -document["best"]["median"]["free"]
    assert code == 0
    assert missing > 0
    assert any(f"{missing:.1f} KB of memory are missing" in note for note in document["notes"])


def test_the_configuration_is_never_overwritten(tune: Any) -> None:
    Path("C").write_text("CONFIG_LWIP_TCP_MSS=1440\n", encoding="utf-8")
    for option in ("--fragment", "--json"):
        args = ("--chip", "esp32c3", "C", "--goal", "tcp_rx>=10", option, "C")
        code, _, error = tune(*args)
        assert code == 2
        assert "is the input" in error
    assert Path("C").read_text(encoding="utf-8") == "CONFIG_LWIP_TCP_MSS=1440\n"


def test_too_much_is_given_how_much_less(tune: Any) -> None:
    code, out, _ = tune(
        "--chip", "esp32c2", "--goal", "tcp_rx>=500", "--goal", "free>=50KB", "--json", "F.json"
    )
    assert code == 1
    assert "smallest relaxation" in out
    document = valid(Path("F.json").read_text(encoding="utf-8"))
    relaxation = document["relaxation"]
    assert document["best"] is None
    assert relaxation["amounts"]["tcp_rx"] == pytest.approx(
        500 / (1 + relaxation["share"]), rel=1e-3
    )
    assert relaxation["alone"]["free"] is None  # no memory buys 500 Mbit/s
    again, _, _ = tune(
        "--chip", "esp32c2", "--goal", f"tcp_rx>={relaxation['alone']['tcp_rx'] * 0.999:.3f}",
        "--goal", "free>=50KB",
    )  # fmt: skip
    assert again == 0


def test_a_relaxation_that_changes_nothing_says_so() -> None:
    """The configuration as it is may be the one that comes nearest."""
    problem = Problem.of(settle((), chip="esp32c3", sdk="5.5"), read_constants())
    result = answer(problem, TuneQuestion(goals=parse_goals(["tcp_rx>=500"]), prefer=FREE))
    assert result.relaxation is not None
    stays = replace(result, relaxation=replace(result.relaxation, best=result.now))
    shown = []
    for one in (result, stays):
        out = io.StringIO()
        show(one, console(out))
        shown += [line for line in out.getvalue().splitlines() if line.startswith("nearest:")]
    assert " -> " in shown[0]
    assert shown[1] == "nearest: the configuration as it is now"


@pytest.mark.slow
def test_the_front_only_falls(tune: Any) -> None:
    code, _, _ = tune(
        "--chip", "esp32c6", "--front", "tcp_rx", "--plot", "F.svg", "--json", "F.json"
    )
    assert code == 0
    points = valid(Path("F.json").read_text(encoding="utf-8"))["front"]
    free = [point["free_kb"] for point in points]
    speed = [point["value"] for point in points]
    assert len(points) > 5
    assert free == sorted(free, reverse=True)
    assert speed == sorted(speed)
    drawn = ElementTree.parse("F.svg").getroot()
    circles = [each for each in drawn.iter() if each.tag.endswith("circle")]
    assert len(circles) == len(points) + 1  # and where it is now


def test_a_trace_is_replayed_on_the_answer(tune: Any) -> None:
    need = ("--goal", "contiguous>=16717")
    code, out, _ = tune(
        "--chip", "esp32c3", "--trace", TRACE, *need, "--prefer", "tcp_rx", "--json", "F.json"
    )
    assert code == 0, out
    document = valid(Path("F.json").read_text(encoding="utf-8"))
    replayed = document["replay"]
    assert replayed["largest_min"] >= 16717
    assert document["best"]["low_80"]["free"] >= replayed["fits_from_kb"]
    alone, _, _ = tune("--chip", "esp32c3", "--trace", TRACE, "--json", "G.json")
    assert alone == 0
    less = valid(Path("G.json").read_text(encoding="utf-8"))["replay"]["fits_from_kb"]
    assert less < replayed["fits_from_kb"]


def test_ranks(tune: Any) -> None:
    code, out, _ = tune("--ranks", "--chip", "esp32c3", "--json", "F.json")
    assert code == 0
    document = valid(Path("F.json").read_text(encoding="utf-8"))
    assert [each["label"] for each in document["ranks"]] == ["Iperf", "Default", "Minimum"]
    for each in document["ranks"]:
        assert each["gain_free_kb"] >= -0.01
        assert min(each["gain_pct"].values()) >= -0.01
        assert each["gained"] == (max(each["gain_pct"].values()) > 0.01)
        assert each["proven_none"] == (not each["gained"])
        assert each["gained"] or each["spare_pct"] <= 0.01
    assert "published ranks" in out


@pytest.mark.slow
def test_no_need_of_the_device_is_left_to_defaults(tune: Any) -> None:
    """A chip without a table says so."""
    code, out, _ = tune("--chip", "esp32c61", "--goal", "free>=10KB")
    assert code == 0
    assert "no published table" in out


@pytest.mark.parametrize(
    ("args", "text"),
    [
        (["--goal", "tcp_rx<=20"], "least amount"),
        (["--goal", "tcp_xr>=20"], "did you mean tcp_"),
        (["--goal", "tcp_rx>=20KB"], "not a throughput"),
        (["--goal", "free>=20Mbit"], "number of bytes"),
        (["--goal", "free"], "no goal"),
        (["--goal", "free>=0"], "every configuration has that"),
        (["--goal", "tcp_rx>=20", "--goal", "tcp_rx>=30"], "two amounts"),
        (["--goal", "contiguous>=16717"], "--trace"),
        (["--tls", "1", "--trace", str(TRACE)], "leave --tls out"),
        (["--rtt", "-1"], "round trip"),
        (["--loss", "100"], "loss"),
        (["--measured", "missing.toml"], "missing.toml"),
        (["--trace", "missing.hst"], "missing.hst"),
        (["missing"], "missing"),
        (["--keep", "FREERTOS_HZ"], "no option that tune changes"),
        (["--prefer", "memory"], "unknown --prefer"),
        (["--front", "free"], "unknown throughput"),
        (["--psram-mode", "octal"], "none, quad"),
        (["--json", "-", "--fragment", "-"], "standard output"),
        (["--ranks", "--median"], "question of its own"),
        (["--idf", "9.9"], "9.9"),
    ],
)
def test_bad_input_is_named(tune: Any, args: list[str], text: str) -> None:
    code, _, error = tune("--chip", "esp32", *args)
    assert code == 2
    assert text in re.sub(r"\s+", " ", error)
    assert "remedy" in error


@pytest.mark.cells(2)
@pytest.mark.parametrize(
    "line",
    [
        "CONFIG_ESP_WIFI_STATIC_RX_BUFFER_NUM=99",
        "CONFIG_LWIP_TCP_WND_DEFAULT=70000",
        "CONFIG_ESP_WIFI_RX_BA_WIN=many",
        "CONFIG_ESP_WIFI_RX_BA_WIN",
    ],
)
def test_a_value_that_kconfig_leaves_out_is_named_with_its_line(tune: Any, line: str) -> None:
    Path("sdkconfig").write_text(f"CONFIG_LWIP_TCP_MSS=1440\n{line}\n", encoding="utf-8")
    code, out, _ = tune("--chip", "esp32", "sdkconfig")
    assert code == 0
    assert "does not take" in out
    assert "sdkconfig, line 2" in " ".join(out.split())


def test_what_is_kept_against_the_rules_is_an_error(tune: Any) -> None:
    Path("sdkconfig").write_text(
        "CONFIG_ESP_WIFI_RX_BA_WIN=30\nCONFIG_ESP_WIFI_STATIC_RX_BUFFER_NUM=4\n", encoding="utf-8"
    )
    code, _, error = tune(
        "--chip", "esp32", "sdkconfig",
        "--keep", "ESP_WIFI_RX_BA_WIN", "--keep", "ESP_WIFI_STATIC_RX_BUFFER_NUM",
    )  # fmt: skip
    assert code == 2
    assert "W2" in error


def test_tls_modes_are_enumerated(tune: Any) -> None:
    """The mode taken asks nothing of the peer, needs least of those, and is in the fragment."""
    code, out, _ = tune("--chip", "esp32", "--tls", "2", "--fragment", "F", "--json", "F.json")
    assert code == 0
    assert "TLS modes" in out
    document = valid(Path("F.json").read_text(encoding="utf-8"))
    tls = document["tls"]
    least = min(e["internal_bytes"] for e in (*tls["others"], tls["best"]) if not e["asks_peer"])
    assert tls["best"]["internal_bytes"] == least < tls["now"]["internal_bytes"]
    for each in (tls["now"], tls["best"], *tls["others"]):  # shorter records are the peer's matter
        assert bool(each["asks_peer"]) == ("IN 4,096" in each["name"])
    config = read_config(["F"], chip="esp32", sdk="5.5")
    there = left(config, tls=2)
    assert document["best"]["median"]["free"] == pytest.approx(there.median / 1024, abs=0.5)
    start = left(settle((), chip="esp32", sdk="5.5"), tls=2)
    assert document["now"]["median"]["free"] == pytest.approx(start.median / 1024, abs=0.5)


def test_a_tls_mode_that_a_trace_names_is_in_the_fragment(tune: Any) -> None:
    trace = TRACE.with_name("tls35_ec_16k_2k.hst.zst")
    code, _, _ = tune("--chip", "esp32c3", "--trace", trace, "--fragment", "F")
    assert code == 0
    lines = Path("F").read_text(encoding="utf-8").splitlines()
    at = lines.index("CONFIG_MBEDTLS_SSL_OUT_CONTENT_LEN=2048")
    assert "was recorded with it" in lines[at - 1]
    assert not any("IN_CONTENT_LEN" in line for line in lines)  # as it is


@pytest.mark.slow
def test_the_place_is_in_the_search(tune: Any) -> None:
    """The fragment's figures there are predict's there; --measured moves them too."""
    Path("sdkconfig").write_text('CONFIG_IDF_TARGET="esp32"\n', encoding="utf-8")
    Path("M.toml").write_text(
        '[[measured]]\nsdkconfig = "sdkconfig"\ntcp_rx = 30.0\n', encoding="utf-8"
    )
    place = ("--air", "--rtt", "10", "--loss", "0.1")
    result = {}
    for name, more in {
        "plain": (),
        "there": place,
        "own": (*place, "--measured", "M.toml"),
    }.items():
        code, _, _ = tune("sdkconfig", *more, "--fragment", name, "--json", f"{name}.json")
        assert code == 0
        result[name] = valid(Path(f"{name}.json").read_text(encoding="utf-8"))
    assert result["there"]["environment"] == {
        "place": "air", "round_trip_ms": 10, "loss_pct": pytest.approx(0.1)
    }  # fmt: skip
    slow, quick = (result[name]["now"]["median"]["tcp_rx"] for name in ("there", "plain"))
    assert slow < 0.3 * quick
    assert result["own"]["now"]["median"]["tcp_rx"] > 1.001 * slow
    for name, more in {"there": (*place, "--no-measured"), "own": place}.items():  # kept by now
        done = CliRunner().invoke(
            app, ["predict", "sdkconfig", name, *more, "--idf", "5.5", "--json", f"{name}.p.json"]
        )
        assert done.exit_code == 0, done.output
        stated = json.loads(Path(f"{name}.p.json").read_text(encoding="utf-8"))["throughput_mbps"]
        for metric, band in stated.items():
            best = result[name]["best"]
            assert best["median"][metric] == pytest.approx(band["median"], abs=0.006)
            assert best["low_80"][metric] == pytest.approx(band["low_80"], abs=0.006)


@pytest.mark.slow
def test_changes_count_from_what_the_build_has(tune: Any) -> None:
    """The build has lwIP's code in RAM, which the best configuration gives back."""
    text = 'CONFIG_IDF_TARGET="esp32c3"\nCONFIG_LWIP_IRAM_OPTIMIZATION=y\n'
    Path("S").write_text(text, encoding="utf-8")
    args = ("S", "--idf", "5.5", "--static-dram", "120000", "--goal", "tcp_rx>=5", "--json", "-")
    document = valid(tune(*args)[1])
    assert "CONFIG_LWIP_IRAM_OPTIMIZATION=n" in document["options"]
    before = read_config(["S"], chip="esp32c3", sdk="5.5")
    lines = "".join(f"{line}\n" for line in document["options"])
    Path("F").write_text(text + lines, encoding="utf-8")
    after = read_config(["F"], chip="esp32c3", sdk="5.5")
    model = MemoryModel(
        scene=MemoryScene(config=before, minor=minor_of_config(before)), static_dram=120_000
    )
    free = {"now": model.free(model.busiest)[DRAM].median}
    free["best"] = free["now"] + model.difference(model.of(after), model.busiest).median
    for key, size in free.items():
        assert document[key]["median"]["free"] * 1024 == pytest.approx(size, abs=64)


def test_two_files_of_a_build_are_refused(tune: Any) -> None:
    code, _, err = tune("--chip", "esp32c3", "--map", "a.map", "--static-dram", "1KB")
    assert code == 2
    assert "all say what is static" in err
