"""Configurations are compared: shares that add up, sides that can be exchanged, honest gaps."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import heapscope
from heapscope.base.errors import InputError
from heapscope.cli.app import app
from heapscope.forecast.ladder.difference import Gained, Ladder

#: Options of memory and speed with values that Kconfig takes, of several components.
OPTIONS: dict[str, tuple[str, ...]] = {
    "ESP_WIFI_STATIC_RX_BUFFER_NUM": ("4", "10", "16"),
    "ESP_WIFI_DYNAMIC_RX_BUFFER_NUM": ("16", "32", "64"),
    "ESP_WIFI_DYNAMIC_TX_BUFFER_NUM": ("8", "32", "64"),
    "ESP_WIFI_RX_BA_WIN": ("4", "6", "8"),
    "ESP_WIFI_AMPDU_RX_ENABLED": ("y", "n"),
    "ESP_WIFI_IRAM_OPT": ("y", "n"),
    "ESP_WIFI_RX_IRAM_OPT": ("y", "n"),
    "LWIP_TCP_WND_DEFAULT": ("5760", "11520", "32768"),
    "LWIP_TCP_SND_BUF_DEFAULT": ("5760", "11520"),
    "LWIP_IRAM_OPTIMIZATION": ("y", "n"),
    "LWIP_TCP_MSS": ("536", "1440"),
    "LWIP_MAX_SOCKETS": ("3", "10"),
    "LWIP_L2_TO_L3_COPY": ("y", "n"),
    "MBEDTLS_DYNAMIC_BUFFER": ("y", "n"),
    "MBEDTLS_SSL_IN_CONTENT_LEN": ("4096", "16384"),
    "FREERTOS_PLACE_FUNCTIONS_INTO_FLASH": ("y", "n"),
    "FREERTOS_UNICORE": ("y", "n"),
    "ESP_MAIN_TASK_STACK_SIZE": ("2048", "8192"),
    "SPIRAM": ("y", "n"),
    "BT_ENABLED": ("y", "n"),
    "BT_NIMBLE_ENABLED": ("y", "n"),
    "HEAP_POISONING_COMPREHENSIVE": ("y", "n"),
}
LINES = st.dictionaries(st.sampled_from(sorted(OPTIONS)), st.integers(0, 2), max_size=10)
CHIPS = st.sampled_from(["esp32", "esp32s3", "esp32c3", "esp32c6", "esp32h2"])
RELEASES = st.sampled_from(["4.4", "5.1", "5.5"])

Given = dict[str, int]
Write = Callable[[str, str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def built(name: str, text: str) -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return built


def text_of(lines: Given) -> str:
    values = {name: OPTIONS[name][at % len(OPTIONS[name])] for name, at in lines.items()}
    return "".join(f"CONFIG_{name}={value}\n" for name, value in values.items()) or "CONFIG_X=y\n"


def medians(gain: Gained) -> Iterator[tuple[str, float]]:
    for state, memory in {**gain.states, "left": gain.left}.items():
        for place in ("dram", "iram", "psram"):
            yield f"{state} {place}", getattr(memory, place).median
    yield "static", gain.static_dram.median
    for metric, band in gain.throughput_mbps.items():
        yield metric, band.median


def summed(ladder: Ladder) -> dict[str, float]:
    built = {name: 0.0 for name, _ in medians(ladder.total)}
    for row in ladder.steps[0].options:
        for name, value in medians(row.gain):
            built[name] += value
    return built


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("sides")


@pytest.mark.slow
@settings(max_examples=8, phases=[Phase.generate])
@given(before=LINES, after=LINES, chip=CHIPS, old=RELEASES, new=RELEASES)
def test_shares_add_up_and_sides_can_be_exchanged(
    folder: Path, before: Given, after: Given, chip: str, old: str, new: str
) -> None:
    (folder / "a").write_text(text_of(before), encoding="utf-8")
    (folder / "b").write_text(text_of(after), encoding="utf-8")
    sides = (f"{folder / 'a'}@{old}", f"{folder / 'b'}@{new}")
    there = heapscope.compare(*sides, chip=chip, tls=1)
    back = heapscope.compare(*reversed(sides), chip=chip, tls=1)
    total = dict(medians(there.total))
    assert summed(there) == pytest.approx(total, abs=1e-6)
    assert dict(medians(back.total)) == pytest.approx({n: -v for n, v in total.items()}, abs=1e-6)
    assert not any(row.cause == "rest" for row in there.steps[0].options)
    turned = {row.option: dict(medians(row.gain)) for row in back.steps[0].options}
    for row in there.steps[0].options:
        for name, value in medians(row.gain):
            if row.option in turned:  # releases call it by one name; rounding may leave a byte
                assert turned[row.option][name] == pytest.approx(-value, abs=1)
    # Whole configurations as predict has them differ by the total.
    for state, memory in there.total.states.items():
        for place in ("dram", "iram", "psram"):
            old_band, new_band = (getattr(side.states[state], place) for side in there.rungs)
            gained = getattr(memory, place).median
            assert new_band.median - old_band.median == pytest.approx(gained, abs=1)
    for metric, band in there.total.throughput_mbps.items():
        ends = [side.throughput_mbps[metric].median for side in there.rungs]
        assert ends[1] - ends[0] == pytest.approx(band.median, abs=1e-6)


@settings(max_examples=5, phases=[Phase.generate])
@given(lines=LINES, chip=CHIPS)
def test_a_configuration_does_not_differ_from_itself(folder: Path, lines: Given, chip: str) -> None:
    (folder / "a").write_text(text_of(lines), encoding="utf-8")
    result = heapscope.compare(folder / "a", folder / "a", chip=chip, idf="5.5")
    assert not result.steps[0].options
    assert not result.steps[0].unknown
    assert not any(value for _, value in medians(result.total))


def test_final_values_count_and_not_lines(write: Write) -> None:
    """A line with the default's value changes nothing."""
    plain = write("a", "CONFIG_LWIP_MAX_SOCKETS=10\n")
    stated = write("b", "CONFIG_LWIP_TCP_MSS=1440\nCONFIG_LWIP_MAX_SOCKETS=10\n")
    result = heapscope.compare(plain, stated, chip="esp32c3", idf="5.5")
    assert [row.option for row in result.steps[0].options] == []
    assert [row.option for row in result.steps[0].unknown] == []


def test_doubt_that_both_sides_share_drops_out(write: Write) -> None:
    """Four static buffers of 1,696 bytes are known better than any whole program."""
    few = write("a", "CONFIG_ESP_WIFI_STATIC_RX_BUFFER_NUM=6\n")
    result = heapscope.compare(
        few, "+CONFIG_ESP_WIFI_STATIC_RX_BUFFER_NUM=10", chip="esp32c3", idf="5.5"
    )
    gained = result.total.left.dram
    bytes_of = 4 * 1696
    assert gained.median == pytest.approx(-bytes_of, rel=0.02)
    assert -1.15 * bytes_of < gained.low_80 <= gained.high_80 < -0.85 * bytes_of
    width = result.rungs[1].left.high_80 - result.rungs[1].left.low_80
    assert gained.high_80 - gained.low_80 < width / 4


def test_what_follows_a_line_is_named_with_it(write: Write) -> None:
    plain = write("a", "CONFIG_LWIP_MAX_SOCKETS=10\n")
    result = heapscope.compare(plain, "+CONFIG_SPIRAM=y", chip="esp32", idf="5.5")
    rows = {row.option: row for row in result.steps[0].options}
    assert rows["SPIRAM"].cause == "line"
    assert "SPIRAM_MALLOC_ALWAYSINTERNAL" in rows["SPIRAM"].follow
    assert rows["SPIRAM"].gain.left.psram.median > 0


def test_options_that_need_two_lines_belong_to_the_last_of_them(write: Write) -> None:
    plain = write("a", "CONFIG_LWIP_MAX_SOCKETS=10\n")
    result = heapscope.compare(
        plain, "+CONFIG_BT_ENABLED=y,CONFIG_BT_NIMBLE_ENABLED=y", chip="esp32c3", idf="5.5"
    )
    rows = {row.option: row for row in result.steps[0].options}
    assert "BT_NIMBLE_MAX_CONNECTIONS" in rows["BT_NIMBLE_ENABLED"].follow
    assert all(row.cause == "line" for row in result.steps[0].options)


def test_a_default_that_the_release_changed_is_named(write: Write) -> None:
    plain = write("a", "CONFIG_LWIP_MAX_SOCKETS=10\n")
    result = heapscope.compare(f"{plain}@5.1", "@5.5", chip="esp32c3")
    rows = {row.option: row for row in result.steps[0].options}
    changed = rows["HTTPD_MAX_REQ_HDR_LEN"]
    assert (changed.before, changed.after, changed.cause) == ("512", "1024", "default")
    assert rows["release"].before == "5.1"


@pytest.mark.parametrize(
    ("before", "after", "gained"),
    [
        ("CONFIG_HTTPD_MAX_REQ_HDR_LEN=1024", "@5.5", 0),
        ("CONFIG_HTTPD_MAX_REQ_HDR_LEN=512", "@5.5", 0),
        ("CONFIG_HTTPD_MAX_REQ_HDR_LEN=1024", "@5.5+CONFIG_HTTPD_MAX_REQ_HDR_LEN=2048", -1024),
        ("CONFIG_LWIP_MAX_SOCKETS=10", "@5.5+CONFIG_HTTPD_MAX_REQ_HDR_LEN=2048", -1536),
        ("CONFIG_LWIP_MAX_SOCKETS=10", "@5.5", 0),
        ("CONFIG_MDNS_TASK_STACK_SIZE=8192", "@5.5", 0),
    ],
)
def test_a_value_that_stays_is_no_difference(
    before: str, after: str, gained: int, write: Write
) -> None:
    """Releases have different defaults, and a component's option has none from 5.0 on."""
    plain = write("a", f"{before}\n")
    result = heapscope.compare(f"{plain}@4.4", after, chip="esp32c3")
    rows = {row.option: row.gain.left.dram for row in result.steps[0].options}
    owned = [rows[name].median for name in ("HTTPD_MAX_REQ_HDR_LEN", "rest") if name in rows]
    assert sum(owned) == pytest.approx(gained, rel=0.03)
    left = [rung.left.median for rung in result.rungs]
    assert left[1] - left[0] == pytest.approx(result.total.left.dram.median, abs=1)


def test_an_option_of_which_nothing_is_known_is_no_zero(write: Write) -> None:
    plain = write("a", "CONFIG_LWIP_MAX_SOCKETS=10\n")
    result = heapscope.compare(plain, "+CONFIG_OUR_OWN_BUFFERS=40", chip="esp32", idf="5.5")
    assert not result.steps[0].options
    assert [row.option for row in result.steps[0].unknown] == ["OUR_OWN_BUFFERS"]
    printed = CliRunner().invoke(
        app,
        ["compare", str(plain), "+CONFIG_OUR_OWN_BUFFERS=40", "--chip", "esp32", "--idf", "5.5"],
    )
    assert "nobody published" in printed.output
    assert "OUR_OWN_BUFFERS" in printed.output


def test_the_static_use_of_the_first_is_carried_on(write: Write) -> None:
    plain = write("a", "CONFIG_ESP_WIFI_IRAM_OPT=y\n")
    result = heapscope.compare(
        plain, "+CONFIG_ESP_WIFI_IRAM_OPT=n", chip="esp32c3", idf="5.5", static_dram=90_000
    )
    gained = result.total.states["boot"].dram.median
    assert gained > 5_000
    boots = [side.states["boot"].dram.median for side in result.rungs]
    assert boots[1] - boots[0] == pytest.approx(gained, abs=1)


def test_a_ladder_is_its_steps(write: Write) -> None:
    first = write("a", "CONFIG_LWIP_IRAM_OPTIMIZATION=y\n")
    steps = write(
        "steps",
        "# smaller windows\nCONFIG_LWIP_TCP_WND_DEFAULT=2880\n"
        "CONFIG_LWIP_TCP_SND_BUF_DEFAULT=2880\n"
        "\nCONFIG_ESP_WIFI_IRAM_OPT=n\n",
    )
    result = heapscope.compare(
        first, "+CONFIG_LWIP_IRAM_OPTIMIZATION=n", steps=steps, chip="esp32c6", idf="5.4"
    )
    assert [rung.name for rung in result.rungs[2:]] == ["smaller windows", "step 2"]
    gained = [step.total.left.dram.median for step in result.steps]
    assert sum(gained) == pytest.approx(result.total.left.dram.median, abs=len(gained))
    ends = result.rungs[-1].left.median - result.rungs[0].left.median
    assert ends == pytest.approx(sum(gained), abs=len(gained))
    assert all(step.options for step in result.steps)


def test_a_trace_is_replayed_on_the_memory_of_each(write: Write, tmp_path: Path) -> None:
    """One for all, or one for each; what is gained is the difference of the minima."""
    trace = tmp_path / "t.hst"
    heapscope.import_(write("t.txt", "a 0x10 40000\na 0x20 9000\nf 0x10\nf 0x20\n"), trace)
    plain = write("a", "CONFIG_ESP_WIFI_STATIC_RX_BUFFER_NUM=10\n")
    more = "+CONFIG_ESP_WIFI_STATIC_RX_BUFFER_NUM=6"
    for traces in ([trace], [trace, trace]):
        result = heapscope.compare(plain, more, chip="esp32c3", idf="5.5", trace=traces)
        before, after = result.replayed
        assert after.gained == after.minimum_free - before.minimum_free
        assert after.gained == pytest.approx(result.total.left.dram.median, abs=100)
        assert before.gained == before.failures == after.failures == 0
        busy = result.rungs[0].left.median
        assert busy - before.minimum_free == pytest.approx(49_000, abs=1500)  # rounded up
    with pytest.raises(InputError, match="given 3 times, and there are 2"):
        heapscope.compare(plain, more, chip="esp32c3", idf="5.5", trace=[trace] * 3)
    with pytest.raises(InputError, match="--trace is for comparing configurations"):
        heapscope.compare(trace, trace, chip="esp32c3", trace=[trace])


def test_the_tables_are_written_as_pages_markdown_and_json(write: Write, tmp_path: Path) -> None:
    plain = write("a", "CONFIG_LWIP_IRAM_OPTIMIZATION=y\n")
    end = ["--chip", "esp32", "--idf", "5.5"]
    for name in ("x.md", "x.html"):
        out = tmp_path / name
        args = [
            "compare",
            str(plain),
            "+CONFIG_LWIP_IRAM_OPTIMIZATION=n",
            *end,
            "--output",
            str(out),
        ]
        done = CliRunner().invoke(app, [*args, "--json", str(tmp_path / "x.json")])
        assert done.exit_code == 0, done.output
        assert "LWIP_IRAM_OPTIMIZATION" in out.read_text(encoding="utf-8")
        document: dict[str, Any] = json.loads((tmp_path / "x.json").read_text("utf-8"))
        assert (document["heapscope_compare"], document["kind"]) == (1, "configurations")


def test_a_folder_is_a_project(tmp_path: Path, write: Write) -> None:
    """Its files count in the release's order, its own options are known, and lines may follow."""
    project = tmp_path / "firmware"
    (project / "main").mkdir(parents=True)
    (project / "CMakeLists.txt").write_text("project(firmware)\n")
    own = "config KEEP_LESS\n    bool\n    default y\n    select LWIP_L2_TO_L3_COPY\n"
    (project / "main" / "Kconfig.projbuild").write_text(own)
    (project / "sdkconfig.defaults").write_text("CONFIG_LWIP_MAX_SOCKETS=3\n")
    (project / "sdkconfig.defaults.esp32c3").write_text("CONFIG_LWIP_MAX_SOCKETS=8\n")
    same = write("same", "CONFIG_LWIP_MAX_SOCKETS=8\nCONFIG_LWIP_L2_TO_L3_COPY=y\n")
    result = heapscope.compare(project, same, chip="esp32c3", idf="5.5")
    assert not result.steps[0].options
    assert [(each.option, each.before) for each in result.steps[0].unknown] == [("KEEP_LESS", "y")]
    behind = heapscope.compare(
        f"{project},CONFIG_LWIP_MAX_SOCKETS=5", same, chip="esp32c3", idf="5.5"
    )
    changed = {each.option: (each.before, each.after) for each in behind.steps[0].options}
    assert changed["LWIP_MAX_SOCKETS"] == ("5", "8")
    with pytest.raises(InputError, match="a folder stands behind other files"):
        heapscope.compare(f"{same},{project}", same, chip="esp32c3")


def test_names_of_sides(write: Write, tmp_path: Path) -> None:
    """A folder, several files, a file with an @ in its name."""
    write("sdkconfig.defaults", "CONFIG_LWIP_MAX_SOCKETS=5\n")
    odd = write("a@5.1", "CONFIG_LWIP_MAX_SOCKETS=7\n")
    result = heapscope.compare(tmp_path, f"{odd}@5.1", chip="esp32", idf="5.5")
    assert (result.rungs[0].release, result.rungs[1].release) == ("5.5", "5.1")
    result = heapscope.compare(odd, f"{odd},CONFIG_LWIP_TCP_MSS=536", chip="esp32", idf="5.5")
    assert [row.option for row in result.steps[0].options] == ["LWIP_TCP_MSS"]


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["@5.1", "@5.5"], "none stands before it"),
        (["+CONFIG_SPIRAM=y", "a"], "none stands before it"),
        (["a", "a@"], "no release behind @"),
        (["a", "a@9.9"], "9.9"),
        (["a", "missing"], "missing"),
        (["a", "empty"], "no sdkconfig"),
        (["a"], "nothing to compare it with"),
    ],
)
def test_what_cannot_be_read_says_why(
    write: Write, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, names: list[str], words: str
) -> None:
    write("a", "CONFIG_LWIP_MAX_SOCKETS=10\n")
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=words) as caught:
        heapscope.compare(*names, chip="esp32")
    assert caught.value.remedy


def test_ten_options_are_shown_and_all_prints_the_others(write: Write) -> None:
    """Sizes that differ, so that the order is known; the total counts those that are not shown."""
    stacks = (
        "ESP_MAIN_TASK_STACK_SIZE", "ESP_TIMER_TASK_STACK_SIZE", "LWIP_TCPIP_TASK_STACK_SIZE",
        "FREERTOS_IDLE_TASK_STACKSIZE", "ESP_SYSTEM_EVENT_TASK_STACK_SIZE",
    )  # fmt: skip
    sizes = {name: f"CONFIG_{name}={9216 + 512 * place}" for place, name in enumerate(stacks)}
    others = (
        "LWIP_TCP_SND_BUF_DEFAULT=11520", "ESP_WIFI_STATIC_RX_BUFFER_NUM=16", "LWIP_IPV6=n",
        "ESP_WIFI_DYNAMIC_TX_BUFFER_NUM=16", "HEAP_POISONING_LIGHT=y", "LOG_DEFAULT_LEVEL_NONE=y",
        "ESP_WIFI_SOFTAP_SUPPORT=n", "ESP_WIFI_ENABLE_WPA3_SAE=n",
    )  # fmt: skip
    before = write("before", "CONFIG_LWIP_MAX_SOCKETS=10")
    after = write("after", "\n".join([*sizes.values(), *(f"CONFIG_{each}" for each in others)]))
    command = ["compare", str(before), str(after), "--chip", "esp32", "--idf", "5.5"]
    short = CliRunner().invoke(app, command).stdout
    whole = CliRunner().invoke(app, [*command, "--all"]).stdout
    memory = short.partition("Memory gained")[2].partition("Throughput")[0]
    assert " others" in memory or " other" in memory
    assert "that change less: --all prints them." in " ".join(short.split())
    assert "Options that change less" in whole
    assert "--all prints them" not in whole
