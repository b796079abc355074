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


def silent(release: str, chip: str, rows: list[OptionRow]) -> list[str]:
    return [
        f"{each.gain:.0f} {each.heavy} -> {each.lean}"
        for each in reactions(release, chip, rows)
        if not each.reacts
    ]


@pytest.mark.parametrize("release", releases())
def test_options_of_the_guides_react(release: str, seed: int) -> None:
    """Each on two chips; one of them has no Wi-Fi where there is one."""
    draw = random.Random(f"{seed} {release}")
    print(f"seed {seed}")
    chips = [chip for chip in chips_in(release) if chip not in ("esp32h2", "esp32p4")]
    wireless = draw.choice(chips)
    rows = [row for row in option_rows() if row.guide]
    assert silent(release, wireless, rows) == []
    for chip in set(chips_in(release)) - set(chips):
        assert silent(release, chip, draw.sample(rows, 20)) == []


@pytest.mark.slow
@pytest.mark.xfail(
    strict=False, reason="one of the releases from 4.4 on has an option that does not react yet"
)
@pytest.mark.parametrize("release", releases())
def test_all_options_react_on_all_chips(release: str) -> None:
    for chip in chips_in(release):
        assert silent(release, chip, list(option_rows())) == [], chip


def test_the_list_has_the_options_that_releases_have() -> None:
    """A name that no release has would be asked about and never answered."""
    from heapscope.kconfig.names import releases_with

    for row in option_rows():
        assert releases_with(row.option), row.option
        for need in row.needs:
            assert releases_with(need), (row.option, need)
    assert sum(row.guide for row in option_rows()) > 70
