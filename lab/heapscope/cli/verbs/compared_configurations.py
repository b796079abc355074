"""Configurations beside each other, and what each step gives."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from heapscope.base.errors import InputError
from heapscope.base.progress import OnProgress, phase
from heapscope.forecast.ladder.compared import difference_of
from heapscope.forecast.ladder.difference import Ladder, ReplayedMemory
from heapscope.forecast.ladder.replayed import notes_of, replayed, traces_of
from heapscope.forecast.ladder.side import named_files, steps_of
from heapscope.forecast.ladder.sides import SideOptions, levels, sides_of


def compared_configurations(
    configurations: Sequence[str | Path],
    *,
    steps: str | Path | None,
    options: SideOptions,
    traces: Sequence[Path] = (),
    traced: bool = False,
    progress: OnProgress | None = None,
) -> Ladder:
    """The gain of each configuration over the one before it. `steps`: a file whose paragraphs are
    steps, each added to the configuration before it, the first to the last one named. `traces`: of
    the program, for all or for each; `traced`: they have the network's blocks. InputError: an input
    cannot be used."""
    named = named_files(configurations)
    if steps is not None and named:
        named += steps_of(steps, named[-1])
    if len(named) < 2:
        raise InputError(
            "one configuration, and nothing to compare it with",
            remedy="for example: heapscope compare sdkconfig +CONFIG_A=y +CONFIG_B=n",
        )
    sides = sides_of(named, options)
    each = traces_of(traces, sides) if traces else ()
    rungs, rests_on, notes = levels(sides)
    rows: tuple[ReplayedMemory, ...] = ()
    if each:
        done = phase(progress, "replays", parts=True)
        rows = replayed(sides, each, traced=traced, progress=done)
        notes += notes_of(rows, traces, traced=traced)
    return Ladder(
        rungs=rungs,
        steps=tuple(difference_of(here, there) for here, there in pairwise(sides)),
        total=difference_of(sides[0], sides[-1]).total,
        replayed=rows,
        rests_on=rests_on,
        notes=notes,
    )
