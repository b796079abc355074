"""Values of options against those that each release's own program gave once.

defaults.csv: the number of options and the SHA-256 (16 digits) of sorted NAME=VALUE lines of a
build that sets nothing. forms.csv: forms of lines and the value of an option after them, on an
ESP32.
"""

from __future__ import annotations

import csv
import hashlib
from pathlib import Path
from random import Random

import pytest

from heapscope.config.kconfig.fate import fates
from heapscope.config.kconfig.lines import read_lines, user_values
from heapscope.config.kconfig.names import name_in
from heapscope.config.kconfig.table import RELEASES, chips_of, option_table
from heapscope.config.kconfig.values import OptionValues, UserValues

HERE = Path(__file__).parent


def rows(name: str) -> list[dict[str, str]]:
    with (HERE / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.cells(4)
@pytest.mark.parametrize("release", RELEASES)
def test_a_default_build_of_each_chip_has_the_values_of_the_releases_own_program(
    release: str,
) -> None:
    expected = {row["chip"]: row for row in rows("defaults") if row["release"] == release}
    assert set(expected) == set(chips_of(release))
    for chip, row in expected.items():
        table = option_table(release, chip)
        values = OptionValues(table, UserValues())
        text = "\n".join(f"{name}={values.text(name)}" for name in sorted(table.symbols))
        digest = hashlib.sha256(text.encode()).hexdigest()[:16]
        assert (len(table.symbols), digest) == (int(row["options"]), row["digest"]), chip


@pytest.mark.parametrize("release", sorted({row["release"] for row in rows("forms")}))
def test_a_form_of_a_line_has_the_effect_that_it_has_in_the_release(release: str) -> None:
    table = option_table(release, "esp32")
    for row in rows("forms"):
        if row["release"] != release:
            continue
        text = row["line"].replace("\\n", "\n").replace("\\r", "\r")
        values = OptionValues(table, user_values(read_lines(text, table), table))
        known = row["option"] in table.symbols
        output = values.text(row["option"]) if known else "n"
        assert output == row["value"], row["line"]


def test_a_name_of_another_release_finds_the_option() -> None:
    table = option_table("4.2.5", "esp32")
    assert name_in(table, "ESP_WIFI_RX_BA_WIN") == "ESP32_WIFI_RX_BA_WIN"
    assert name_in(table, "NOBODY_KNOWS_IT") is None


LINES = """
CONFIG_FREERTOS_HZ=250
CONFIG_FREERTOS_HZ=5000
CONFIG_LWIP_MAX_SOCKETS=ten
CONFIG_NOBODY_KNOWS_IT=y
not a line
CONFIG_ESP_WIFI_RX_BA_WIN=64
CONFIG_SPIRAM=
CONFIG_SPIRAM_MALLOC_ALWAYSINTERNAL=1024
CONFIG_LWIP_IPV6=n
"""


def test_each_line_has_its_fate_and_the_reason() -> None:
    table = option_table("5.5.5", "esp32")
    lines = list(read_lines(LINES, table))
    values = OptionValues(table, user_values(lines, table))
    results = [
        (line.option, fate.reason) for line, fate in zip(lines, fates(lines, values), strict=True)
    ]
    assert results == [
        ("FREERTOS_HZ", "later"),
        ("FREERTOS_HZ", "range"),
        ("LWIP_MAX_SOCKETS", "kind"),
        ("NOBODY_KNOWS_IT", "unknown"),
        ("", "malformed"),
        ("ESP_WIFI_RX_BA_WIN", "range"),
        ("SPIRAM", ""),
        ("SPIRAM_MALLOC_ALWAYSINTERNAL", "hidden"),
        ("LWIP_IPV6", ""),
    ]
    assert values.text("ESP_WIFI_RX_BA_WIN") == "6"


def test_a_line_for_another_chip_has_no_effect() -> None:
    table = option_table("5.5.5", "esp32c3")
    lines = list(read_lines("CONFIG_SPIRAM=y", table))
    values = OptionValues(table, user_values(lines, table))
    assert [fate.reason for fate in fates(lines, values)] == ["elsewhere"]


@pytest.mark.parametrize("seed", range(8))
def test_any_text_is_read(seed: int) -> None:
    """The seed is the test's parameter."""
    random = Random(seed)
    table = option_table(random.choice(RELEASES), "esp32")
    names = sorted(table.symbols)
    pieces = ["=", "y", "n", '"', "\\", "0x", "9" * 30, "# ", " is not set", "\n", "CONFIG_", "\0"]
    text = "".join(
        random.choice([*pieces, f"\nCONFIG_{random.choice(names)}="]) for _ in range(4000)
    )
    lines = list(read_lines(text, table))
    values = OptionValues(table, user_values(lines, table))
    results = list(fates(lines, values))
    assert len(results) == len(lines)
    assert all(isinstance(values.text(name), str) for name in names)
