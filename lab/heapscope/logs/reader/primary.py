"""The figures of the heap that a program allocates from, out of all that a log tells."""

from __future__ import annotations

from dataclasses import dataclass

from heapscope.base.wording import size
from heapscope.logs.reader.artefacts import unwrapped
from heapscope.logs.reader.figures import LoggedFigure, LoggedFigures
from heapscope.logs.reader.reading import LogReading

#: Names of the memory in figures, those that malloc means first.
_ORDER = ("any", "default", "8bit", "internal", "dram", "dma", "32bit", "wifi")
#: Those that are a part of what malloc uses.
_NARROWER = ("default", "8bit", "internal", "dram")
#: Bytes that "free heap" and "free internal heap" of one program differ by, as a share, where both
#: mean the same memory.
_SAME = 0.2


@dataclass(frozen=True, kw_only=True)
class PrimaryFigures:
    """`memory`: its name in the figures."""

    memory: str
    free: int | None
    largest: int | None
    min: int | None
    total: int | None
    used: int | None
    peak: int | None
    series: tuple[int, ...]
    line: int  # of the last figure
    merged: bool = False  # two names for the same memory
    wrapped: int | None = None  # the largest block as printed, in 16 bits
    stale: LoggedFigure | None = None  # the largest block of an earlier moment
    conflict: str = ""  # figures of one moment that cannot all be true, a clause


def primary_figures(reading: LogReading) -> PrimaryFigures | None:
    """None: no figure is reported."""
    figures = reading.figures
    names = [name for name in _ORDER if _reports(figures, name)]
    if not names:
        return None
    memory = names[0]
    merged = memory == "any" and _same_memory(figures)
    series = _series(figures, ("any", "internal") if merged else (memory,))
    lasts = [
        one.last
        for (name, _), one in figures.series.items()
        if name == memory or (merged and name == "internal")
    ]
    free = series[-1] if series else _last(figures, memory, "free")
    newest = max(lasts, key=lambda one: one.line)
    moment = _moment(figures, memory, merged) if series else newest
    block, stale = _of_moment(figures, moment, memory, "largest")
    printed = None if block is None else block.value
    whole = None if printed is None else unwrapped(printed, free, figures.largest_words)
    return PrimaryFigures(
        memory=memory,
        free=free,
        largest=printed if whole is None else whole,
        wrapped=None if whole is None else printed,
        min=_minimum(figures, memory),
        total=_last(figures, memory, "total"),
        used=_last(figures, memory, "used"),
        peak=_last(figures, memory, "peak"),
        series=series,
        line=max(one.line for one in lasts),
        merged=merged,
        stale=stale,
        conflict=_conflict(figures, free, None if whole is not None else block),
    )


def _moment(figures: LoggedFigures, memory: str, merged: bool) -> LoggedFigure:
    """The last free bytes."""
    memories = ("any", "internal") if merged else (memory,)
    series = (figures.series.get((one, "free")) for one in memories)
    return max((one.last for one in series if one is not None), key=lambda one: one.line)


def _of_moment(
    figures: LoggedFigures, moment: LoggedFigure, memory: str, name: str
) -> tuple[LoggedFigure | None, LoggedFigure | None]:
    """The figure of this moment, and that of an earlier one where it is missing."""
    stale = None
    for other in (memory, *(_NARROWER if memory == "any" else ())):
        if (other, name) in figures.series:
            one = figures.of_moment(moment, other, name)
            if one is not None:
                return one, None
            stale = stale or figures.series[other, name].last
    return None, stale


def _minimum(figures: LoggedFigures, memory: str) -> int | None:
    """A minimum above the least free bytes since the start is left out."""
    least, free = _of_any(figures, memory, "min"), figures.series.get((memory, "free"))
    lowest = None if free is None else free.lowest
    if least is None or lowest is None:
        return least
    return least if least < lowest.value + figures.rounded else None


def _conflict(figures: LoggedFigures, free: int | None, block: LoggedFigure | None) -> str:
    if block is None or free is None or block.value < free + figures.rounded:
        return ""
    return f"a free block of {size(block.value)} stands beside {size(free)} that are free"


def _reports(figures: LoggedFigures, memory: str) -> bool:
    return any((memory, name) in figures.series for name in ("free", "largest", "min"))


def _last(figures: LoggedFigures, memory: str, name: str) -> int | None:
    return figures.last(memory, name)


def _of_any(figures: LoggedFigures, memory: str, name: str) -> int | None:
    """The figure of this memory, or that of a narrower kind where only that is reported."""
    result = figures.last(memory, name)
    if result is None and memory == "any":
        result = next(
            (value for other in _NARROWER if (value := figures.last(other, name)) is not None),
            None,
        )
    return result


def _same_memory(figures: LoggedFigures) -> bool:
    """Whether "free" and "free internal" are two names of one figure: ESP.getFreeHeap of Arduino
    counts internal memory alone."""
    one, other = figures.series.get(("any", "free")), figures.series.get(("internal", "free"))
    if one is None or other is None or ("spiram", "free") in figures.series:
        return False
    low, high = sorted((one.last.value, other.last.value))
    return figures.arduino and high - low <= _SAME * high


def _series(figures: LoggedFigures, memories: tuple[str, ...]) -> tuple[int, ...]:
    points = [
        point
        for memory in memories
        if (memory, "free") in figures.series
        for point in figures.series[memory, "free"].points
    ]
    return tuple(point.value for point in sorted(points, key=lambda one: one.line))
