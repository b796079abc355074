"""Whether the lines that come late are those of another device, whose clock is behind by less than
a few lines: their times have no gap to fill, or their figures are others than those beside them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from statistics import median, median_low

_LEAST = 5  # late lines
_IN_A_ROW = 3  # of them, at most
_HOLE = 1.5  # usual steps between the lines before and after a late one
_EVEN = 0.25  # of a usual step, by which even steps differ
_MOSTLY = 0.8  # of the steps, or of the late lines
_SELDOM = 1 / 3  # of the late lines
_APART = 3  # times as far beyond their neighbours as those are from each other

Line = tuple[float, int]  # time, figure


def late_are_others(lines: Sequence[Line], *, least: float = 0) -> str:
    """In the order in which they came. A clause that gives the reason; empty: they are of one
    device, as far as can be seen. `least`: shorter steps back do not count."""
    late: list[Line] = []
    usual: list[Line] = []
    for at, line in enumerate(lines):
        last = usual[-1][0] if usual else line[0]
        if line[0] >= last:
            usual.append(line)
        elif at + _IN_A_ROW >= len(lines) or any(
            time >= last for time, _ in lines[at + 1 : at + 1 + _IN_A_ROW]
        ):
            late += [line] if line[0] < last - least else []
        else:  # another start
            late, usual = [], [line]
    known = set(usual)
    late = [line for line in late if line not in known]
    times = [time for time, _ in usual]
    beside = [(at, line) for line in late if 0 < (at := bisect_right(times, line[0])) < len(usual)]
    if len(beside) < _LEAST:
        return ""
    if _fill_no_holes(times, [at for at, _ in beside]):
        return "lines come late, and those before and after them leave no gap for them"
    if _have_own_figures(usual, beside):
        return "lines come late, and their figures are others than those beside them"
    return ""


def _fill_no_holes(times: Sequence[float], places: Sequence[int]) -> bool:
    """The others go on evenly, also where a late line has its place."""
    steps = [after - before for before, after in pairwise(times)]
    usual = median_low(steps)
    even = sum(abs(step - usual) <= _EVEN * usual for step in steps)
    holes = sum(steps[at - 1] >= _HOLE * usual for at in places)
    return usual > 0 and even >= _MOSTLY * len(steps) and holes < _SELDOM * len(places)


def _have_own_figures(usual: Sequence[Line], beside: Sequence[tuple[int, Line]]) -> bool:
    """Nearly all are above both neighbours, or nearly all below, and by far more than the others
    go from one to the next."""
    step = median(abs(after - before) for (_, before), (_, after) in pairwise(usual))
    above = below = 0
    for at, (_, value) in beside:
        around = usual[at - 1][1], usual[at][1]
        above += value > max(around) + _APART * step
        below += value < min(around) - _APART * step
    return max(above, below) >= _MOSTLY * len(beside)
