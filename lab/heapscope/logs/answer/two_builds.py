"""Figures of two builds in one log: the heap's own size differs between them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from heapscope.base.wording import size
from heapscope.logs.reader.figures import FigureSeries, LoggedFigure, LoggedFigures

#: Memories whose size a build fixes. PSRAM is found by the start-up, and other pools may shrink.
_FIXED = ("any", "internal", "DRAM")


def two_builds(figures: LoggedFigures) -> Iterator[str]:
    """A heap of firmware gets what code and data leave, and no program makes it smaller. One that
    grows may be of one build, which gave it more memory as it ran."""
    for memory in _FIXED:
        totals = figures.series.get((memory, "total"))
        free = figures.series.get((memory, "free"))
        change = None if totals is None else _change(totals)
        if change is None or free is None:
            continue
        old, new = change
        before, after = free.last_before(new.line), free.last
        if before is None or after.line < new.line:
            continue
        smaller, less = old.value - new.value, before.value - after.value
        yield (
            f"It has figures of two builds, as no program makes a heap smaller: {size(old.value)} "
            f"in all up to line {old.line:,}, {size(new.value)} from line {new.line:,} on. "
            f"{_free(less)}: {size(smaller)} went to code and data of the build, and "
            f"{_used(less - smaller)}."
        )
        return


def _change(totals: FigureSeries) -> tuple[LoggedFigure, LoggedFigure] | None:
    """The only one, to a smaller size, of a series that is kept whole."""
    steps = [(a, b) for a, b in pairwise(totals.points) if a.value != b.value]
    alone = len(steps) == 1 and totals.step == 1
    return steps[0] if alone and steps[0][0].value > steps[0][1].value else None


def _free(less: int) -> str:
    more = "more" if less < 0 else "less"
    return f"{size(abs(less))} {more} are free" if less else "The same is free"


def _used(more: int) -> str:
    return (
        f"{size(abs(more))} {'more' if more > 0 else 'less'} are in use"
        if more
        else ("as much is in use")
    )
