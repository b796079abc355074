"""Every option of the guides, and every other one that costs memory, reacts where it exists."""

from __future__ import annotations

import random

import pytest

from heapscope_studies.memory_parts.reaction import (
    OptionRow,
    chips_in,
    option_rows,
    reactions,
    releases,
)

WITHOUT_WIFI = ("esp32h2", "esp32h21", "esp32h4", "esp32p4")


def silent(release: str, chip: str, rows: list[OptionRow]) -> list[str]:
    return [
        f"{each.gain:.0f} {each.heavy} -> {each.lean}"
        for each in reactions(release, chip, rows)
        if not each.reacts
    ]


@pytest.mark.slow
@pytest.mark.parametrize("release", releases())
def test_options_of_the_guides_react(release: str, seed: int) -> None:
    """Each on two chips; one of them has no Wi-Fi where there is one."""
    draw = random.Random(f"{seed} {release}")
    print(f"seed {seed}")
    rows = [row for row in option_rows() if row.guide]
    others = [chip for chip in chips_in(release) if chip in WITHOUT_WIFI]
    with_wifi = draw.choice([chip for chip in chips_in(release) if chip not in others])
    assert silent(release, with_wifi, rows) == [], with_wifi
    for chip in draw.sample(others, min(1, len(others))):
        assert silent(release, chip, draw.sample(rows, 20)) == [], chip


@pytest.mark.slow
@pytest.mark.parametrize("release", releases())
def test_all_options_react_on_all_chips(release: str) -> None:
    for chip in chips_in(release):
        assert silent(release, chip, list(option_rows())) == [], chip


def test_the_list_has_the_options_that_releases_have() -> None:
    """A name that no release has would be asked about and never answered."""
    from heapscope.config.kconfig.names import releases_with

    for row in option_rows():
        assert releases_with(row.option), row.option
        for need in row.needs:
            assert releases_with(need), (row.option, need)
    assert sum(row.guide for row in option_rows()) > 70
