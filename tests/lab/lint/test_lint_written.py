"""Files that Kconfig itself wrote are sound, and what a person then did to one is found.

`written_by_kconfig.txt.zst` has the options of configurations that the builds of public projects
wrote, without their strings and without options of a project's own; the table beside it names the
sources.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest

from heapscope.base.zstd import ZstdDecompressor
from heapscope.cli.verbs.lint import lint
from heapscope.cli.verbs.predict import predict
from heapscope.config.kconfig.patches import unlike
from heapscope.config.lint.finding import LintResult

HERE = Path(__file__).parent
SOURCES = list(csv.DictReader((HERE / "written_by_kconfig.csv").open(encoding="utf-8")))
NAMES = [row["name"] for row in SOURCES]
HEADER = "# Espressif IoT Development Framework (ESP-IDF) {} Project Configuration\n"

Check = Callable[..., LintResult]


def _options() -> dict[str, list[str]]:
    text = ZstdDecompressor().decompress((HERE / "written_by_kconfig.txt.zst").read_bytes())
    parts = text.decode().split("== ")[1:]
    return {part.splitlines()[0]: part.splitlines()[1:] for part in parts}


OPTIONS = _options()


def _line(option: str) -> str:
    name, _, value = option.partition("=")
    return f"# CONFIG_{name} is not set\n" if value == "n" else f"CONFIG_{option}\n"


def _row(name: str) -> dict[str, str]:
    return next(row for row in SOURCES if row["name"] == name)


def _text(name: str, *, without: str = "", more: str = "") -> str:
    kept = (each for each in OPTIONS[name] if each.partition("=")[0] != without)
    return f'CONFIG_IDF_TARGET="{_row(name)["chip"]}"\n' + "".join(map(_line, kept)) + more


@pytest.fixture
def check(tmp_path: Path) -> Check:
    def built(text: str, **options: str) -> LintResult:
        path = tmp_path / "sdkconfig"
        path.write_text(text, encoding="utf-8")
        return lint(path, **options)

    return built


@pytest.mark.cells(4)
@pytest.mark.parametrize("name", NAMES)
def test_what_kconfig_wrote_is_sound_with_its_version_and_without(name: str, check: Check) -> None:
    row = _row(name)
    for text in (_text(name), HEADER.format(row["idf"]) + _text(name)):
        assert not [each.message for each in check(text).findings if each.hard]
    assert not check(_text(name), idf=row["idf"]).failed


@pytest.mark.cells(10)
@pytest.mark.parametrize(
    ("option", "mistake", "rule"),
    [
        ("LWIP_TCP_MSS", "CONFIG_LWIP_TCP_MSS=90000\n", "range"),
        ("FREERTOS_HZ", "CONFIG_FREERTOS_HZ=5000\n", "range"),
        ("LWIP_TCP_MSS", "CONFIG_LWIP_TCP_MSS=much\n", "type"),
        ("LWIP_TCP_MSS", "CONFIG_LWIP_TCP_MSS 1400\n", "malformed"),
        ("", "CONFIG_LWIP_PPP_PAP_SUPPORT=y\n", "depends"),
        ("", "CONFIG_LWIP_TCP_MSS=1400\n", "duplicate"),
        (
            "COMPILER_OPTIMIZATION_ASSERTIONS_DISABLE",
            "CONFIG_COMPILER_OPTIMIZATION_ASSERTIONS_DISABLE=y\n",
            "duplicate",
        ),
        (
            "COMPILER_OPTIMIZATION_ASSERTIONS_ENABLE",
            "# CONFIG_COMPILER_OPTIMIZATION_ASSERTIONS_ENABLE is not set\n",
            "choice",
        ),
    ],
)
@pytest.mark.parametrize("name", ["b0021", "b0172", "b0183", "b0121"])
def test_a_mistake_of_a_person_is_still_detected(
    name: str, option: str, mistake: str, rule: str, check: Check
) -> None:
    text = _text(name, without=option, more=mistake)
    result = check(text, idf=_row(name)["idf"])
    rules = {each.rule for each in result.findings if each.hard}
    assert rule in rules
    assert rules <= {rule, "depends"}


def test_what_is_off_in_a_written_file_takes_its_lines_with_it(check: Check) -> None:
    result = check(
        _text("hello_full_c3", without="LWIP_IPV6", more="# CONFIG_LWIP_IPV6 is not set\n")
    )
    blamed = {each.option for each in result.findings if each.rule == "depends"}
    assert "LWIP_ND6" in blamed


def test_an_option_that_another_written_one_selects_is_detected(check: Check) -> None:
    name = "hello_full_c3"
    assert "ESP_HW_SUPPORT_FUNC_IN_IRAM=y" in OPTIONS[name]
    off = "# CONFIG_RTC_CLK_FUNC_IN_IRAM is not set\n"
    text = _text(name, without="RTC_CLK_FUNC_IN_IRAM", more=off)
    assert [each.rule for each in check(text, idf="5.5.3").findings if each.hard] == ["selected"]


@pytest.mark.parametrize(
    ("idf", "red"),
    [("5.4", False), ("5.4.1", False), ("5.4.3", True), ("5.4.4", True), ("5.5-beta1", False)],
)
def test_a_range_counts_where_every_release_that_may_be_meant_has_it(
    idf: str, red: bool, check: Check
) -> None:
    """The range began at 68 until 5.4.2, and begins at 69 since."""
    assert check("CONFIG_LWIP_DHCP_OPTIONS_LEN=68\n", chip="esp32", idf=idf).failed == red
    assert check("CONFIG_LWIP_DHCP_OPTIONS_LEN=20\n", chip="esp32", idf="5.4.4").failed


def test_the_version_that_a_project_was_begun_with_is_no_fault(check: Check) -> None:
    text = 'CONFIG_IDF_TARGET="esp32c3"\nCONFIG_IDF_INIT_VERSION="5.4.1"\n'
    assert not check(text).failed
    assert check(text + "CONFIG_SOC_WIFI_SUPPORTED=y\nCONFIG_SOC_CPU_CORES_NUM=4\n").failed


def test_lines_of_a_person_are_judged_as_before(check: Check) -> None:
    for line in ("SPIRAM_MODE_OCT=y", "LWIP_TCP_MSS=90000", "FREERTOS_HZ=0", "SOC_CPU_CORES_NUM=8"):
        assert check(f"CONFIG_{line}\n", chip="esp32c3", idf="5.5.3").failed, line


@pytest.mark.parametrize("idf", ["5.5", "5.5.1", "5.5.5"])
@pytest.mark.parametrize(
    ("chip", "lines", "red"),
    [
        ("esp32", "SPIRAM=n SPIRAM_USE_MALLOC=y", ["SPIRAM_USE_MALLOC"]),
        ("esp32c3", "SPIRAM_USE_MALLOC=y", ["SPIRAM_USE_MALLOC"]),
        ("esp32", "SPIRAM=y SPIRAM_USE_MALLOC=y", []),
        ("esp32", "SPIRAM=y SPIRAM_USE_CAPS_ALLOC=y", []),
    ],
)
def test_a_member_is_left_out_with_its_choice(
    idf: str, chip: str, lines: str, red: list[str], check: Check
) -> None:
    """Another member of the choice had a condition of its own in 5.5.1 alone."""
    text = "".join(f"CONFIG_{line}\n" for line in lines.split())
    result = check(text, chip=chip, idf=idf)
    assert [each.option for each in result.findings if each.severity == "K"] == red
    assert "SPIRAM_USE_MALLOC" in unlike("5.5", "5.5.5").lines


def test_a_version_is_unlike_its_table_in_what_changed_between_them() -> None:
    assert not unlike("5.4.4", "5.4.4").lines
    assert "LWIP_DHCP_OPTIONS_LEN" in unlike("5.4.2", "5.4.4").lines
    assert "LWIP_DHCP_OPTIONS_LEN" not in unlike("5.4.3", "5.4.4").lines
    before = unlike("5.4", "5.4.4", certain=False).lines
    assert unlike("5.4", "5.4.4").lines < before


def test_predict_says_nothing_against_a_file_that_kconfig_wrote(tmp_path: Path) -> None:
    path = tmp_path / "sdkconfig"
    path.write_text(HEADER.format("5.5.3") + _text("hello_c3"), encoding="utf-8")
    assert not [note for note in predict(path).notes if "does not take" in note]
