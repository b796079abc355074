"""The code and data in RAM of each library of the SDK, by linker maps of public builds.

data/memory/libraries.csv is made by `python -m heapscope_studies.memory_parts.libraries`. A chip or
release without a map takes the nearest release of the chip, or else those of chips with the same
kind of processor.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from statistics import median

from heapscope.forecast.predict.part_table import Minor, memory_table, minor_number
from heapscope.memory.static.window import read_windows

#: From here on options decide what of a library is in IRAM that was always there before, and the
#: heap is another allocator.
_TURN: Minor = (6, 0)
_TURNS: Mapping[str, Minor] = {"heap": (4, 3)}
_STEP = 10  # minor releases that a major one stands for


@functools.lru_cache(maxsize=4096)
def library_size(chip: str, minor: Minor, library: str, memory: str) -> int:
    """`memory`: "code" or "data". 0: no build has any."""
    known = _known().get(library, ())
    own = [each for each in known if each[0] == chip]
    alike = [each for each in known if _machine(each[0]) == _machine(chip)]
    turns = (_TURN, _TURNS.get(library, _TURN))
    for of in (own, alike):
        same = [each for each in of if _era(each[1], turns) == _era(minor, turns)] or of
        if same:
            away = min(_away(release, minor) for _, release, *_ in same)
            near = [each for each in same if _away(each[1], minor) == away]
            return round(median(code if memory == "code" else data for _, _, code, data in near))
    return 0


@functools.cache
def _known() -> dict[str, tuple[tuple[str, Minor, int, int], ...]]:
    """By library: chip, release, code, data."""
    built: dict[str, tuple[tuple[str, Minor, int, int], ...]] = {}
    for row in memory_table("libraries"):
        known = row["chip"], minor_number(row["sdk"]), int(row["code"]), int(row["data"])
        built[row["library"]] = (*built.get(row["library"], ()), known)
    return built


def _era(minor: Minor, turns: Sequence[Minor]) -> list[bool]:
    return [minor < turn for turn in turns]


def _away(release: Minor, minor: Minor) -> int:
    return abs((release[0] - minor[0]) * _STEP + release[1] - minor[1])


def _machine(chip: str) -> str:
    return read_windows(chip).machine
