"""Whether the memories of a plan can be: a value that goes with none of the others is an error of
the plan. A single combination that cannot be is a cell that fails."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path

from heapscope.answers.fit.fit_trace import pool_rules
from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.fleet.sweep.axis import LEAST
from heapscope.fleet.sweep.plan import SweepGrid
from heapscope.forecast.predict.memory_choice import choose_memory
from heapscope.memory.choose import DEFAULT_IDF, NO_RULES, choose_placement
from heapscope.memory.layout.allocator import parse_allocator
from heapscope.memory.options import DECLARED, given

_TRIED = 2000  # combinations of a grid, which take about a second


def check_memories(file: str, grids: Sequence[SweepGrid], *, folder: Path, trace: Path) -> None:
    """InputError names the grid and the value."""
    for number, grid in enumerate(grids, 1):
        waiting = {(axis.name, value) for axis in grid.axes for value in axis.samples()}
        why: dict[tuple[str, str], InputError] = {}
        for tried, options in enumerate(_combinations(grid)):
            chosen = set(options.items())
            if tried == _TRIED:
                break  # too many to say that a value goes with none of them
            if not chosen & waiting:
                continue
            try:
                _try(options, folder, trace)
                waiting -= chosen
            except InputError as error:
                why |= dict.fromkeys(chosen & waiting, error)
            if not waiting:
                break
        else:
            _refuse(file, number, grid, waiting, why)


def _combinations(grid: SweepGrid) -> Iterator[dict[str, str]]:
    """Beginning with those that differ from the first in one choice alone: they show which value
    is at fault."""
    values = [tuple(axis.samples()) for axis in grid.axes]
    names = [axis.name for axis in grid.axes]
    first = dict(zip(names, (each[0] for each in values), strict=True))
    for name, each in zip(names, values, strict=True):
        for value in each:
            yield first | {name: value}
    for chosen in itertools.product(*values):
        yield dict(zip(names, chosen, strict=True))


def _try(options: dict[str, str], folder: Path, trace: Path) -> None:
    placed = {name: value for name, value in options.items() if value}
    searched = placed.get("pool") == LEAST
    if searched:
        placed["pool"] = "1MB"
    for name, value in placed.items():
        if DECLARED[name].file and value != NO_RULES:
            placed[name] = str(folder / value)
    memory = given(placed)
    placement = choose_placement(memory, choose_memory(memory, trace).layout)
    if searched:
        parse_allocator(placed.get("allocator", f"idf-{DEFAULT_IDF}"))  # one for the whole pool
        if placement is not None:
            pool_rules(placed["place"])


def _refuse(
    file: str,
    number: int,
    grid: SweepGrid,
    waiting: set[tuple[str, str]],
    why: dict[tuple[str, str], InputError],
) -> None:
    """Where several values may be at fault, the one that the reason names is blamed."""
    refused = [
        (axis.name, value, why[axis.name, value])
        for axis in grid.axes
        for value in axis.samples()
        if (axis.name, value) in waiting and (axis.name, value) in why
    ]
    for name, value, error in sorted(
        refused, key=lambda one: f"'{printable(one[1])}'" not in one[2].message
    ):
        raise InputError(
            f"{file}: grid {number}, {name} = '{printable(value)}': it goes with none of the other "
            f"values: {error.message}",
            remedy=error.remedy or "leave it out, or give it a grid of its own",
        )
