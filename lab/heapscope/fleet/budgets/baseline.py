"""Figures of a run against those of an earlier check, with the noise of repeated recordings."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from statistics import fmean

from heapscope.base.errors import InputError
from heapscope.fleet.budgets.check_result import ChangeRow, CheckResult, FigureRow
from heapscope.simulation.result.figure import figures
from heapscope.simulation.result.result import ReplayResult
from heapscope.simulation.result.survey import Survey
from heapscope.trace.whole import RESULT_MAX, read_whole

#: One check without a true change says "worse" so often at most, over all its figures.
FALSE_ALARMS = 0.01
#: Recordings of both sides together from which the noise is known.
RECORDINGS_LEAST = 4
#: Groups of figures that a baseline holds. Regions and rules are seen in those of the memory.
_SECTIONS = ("requests", "needs", "memory", "kinds", "tasks")

Figure = tuple[str, str, str, str, int]


def figures_of(result: ReplayResult, seen: Survey) -> Iterator[Figure]:
    """Section, name, unit, better direction and value of each figure that has one."""
    for one in figures(result):
        if one.section in _SECTIONS and one.better:
            yield one.section, one.name, one.unit, one.better, one.value
    for site in seen.sites:
        if not site.others:
            yield "sites", f"{site.name}: peak held", "B", "less", site.held_peak
            yield "sites", f"{site.name}: failed", "requests", "less", site.failures


def gathered(run: str, memory: str, recordings: Iterable[Sequence[Figure]]) -> list[FigureRow]:
    """One row for each figure. A recording without a task or call site had 0 of it."""
    listed = [{one[:4]: one[4] for one in recording} for recording in recordings]
    keys = dict.fromkeys(key for recording in listed for key in recording)
    return [
        FigureRow(
            run=run,
            memory=memory,
            section=section,
            name=name,
            unit=unit,
            better=better,
            values=tuple(recording.get((section, name, unit, better), 0) for recording in listed),
        )
        for section, name, unit, better in keys
    ]


def read_baseline(path: str | Path) -> CheckResult:
    remedy = "write it with 'heapscope check --json FILE', on the branch to compare with"
    whole = read_whole(path, limit=RESULT_MAX, what="a baseline", remedy=remedy)
    shown = whole.name
    try:
        return CheckResult.from_json(json.loads(whole.data))
    except (ValueError, RecursionError):
        raise InputError(f"{shown}: not JSON", remedy=remedy) from None
    except InputError:
        raise InputError(f"{shown}: not a result of heapscope check", remedy=remedy) from None


def changes(
    before: Sequence[FigureRow], after: Sequence[FigureRow], *, tolerance: float | None
) -> list[ChangeRow]:
    """The figures that are worse, the largest growth first. A call site or a task that the
    baseline does not have held 0 there. `tolerance`: percent; None: none, and one
    recording on each side decides nothing."""
    known = {_key(row): row for row in before}
    runs = {(row.run, row.memory) for row in before}
    now = [row for row in after if (row.run, row.memory) in runs]
    results = []
    for row in now:
        old = known.get(_key(row))
        if old is None and row.section not in ("sites", "tasks"):
            continue  # what the baseline was not asked about
        values = (0,) * _recordings(before, row) if old is None else old.values
        change = _change(row, values, tests=len(now), tolerance=tolerance)
        if change is not None:
            results.append(change)
    return sorted(results, key=lambda row: (row.status != "worse", -abs(row.after - row.before)))


def not_in(before: Sequence[FigureRow], after: Sequence[FigureRow]) -> list[str]:
    """Runs that only one side has, a sentence each."""
    old = dict.fromkeys((row.run, row.memory) for row in before)
    new = dict.fromkeys((row.run, row.memory) for row in after)
    results = [
        f"The baseline has no run '{run}' on {memory}."
        for run, memory in new
        if (run, memory) not in old
    ]
    return results + [
        f"The baseline's run '{run}' on {memory} was not made."
        for run, memory in old
        if (run, memory) not in new
    ]


def _key(row: FigureRow) -> tuple[str, str, str, str]:
    return row.run, row.memory, row.section, row.name


def _recordings(rows: Sequence[FigureRow], like: FigureRow) -> int:
    same = (len(row.values) for row in rows if (row.run, row.memory) == (like.run, like.memory))
    return max(same, default=1)


def _change(
    row: FigureRow, old: Sequence[int], *, tests: int, tolerance: float | None
) -> ChangeRow | None:
    before, after = fmean(old), fmean(row.values)
    growth = after - before if row.better == "less" else before - after
    if growth <= 0:
        return None
    allowed = abs(before) * (tolerance or 0.0) / 100
    if growth <= allowed:
        return None
    noise = noise_of(old, row.values, tests=tests)
    if noise is not None and growth <= noise:
        return None
    decided = noise is not None or tolerance is not None
    return ChangeRow(
        run=row.run,
        memory=row.memory,
        section=row.section,
        name=row.name,
        unit=row.unit,
        before=before,
        after=after,
        noise=noise,
        status="worse" if decided else "differs",
    )


def noise_of(old: Sequence[int], new: Sequence[int], *, tests: int) -> float | None:
    """A difference of the means up to this one is noise: Student's t with the spread of both sides
    together, at FALSE_ALARMS shared out among all tests (Bonferroni). None: too few recordings."""
    freedom = len(old) + len(new) - 2
    if len(old) + len(new) < RECORDINGS_LEAST:
        return None
    squares = sum((one - fmean(side)) ** 2 for side in (old, new) for one in side)
    spread = math.sqrt(squares / freedom * (1 / len(old) + 1 / len(new)))
    return t_quantile(FALSE_ALARMS / max(tests, 1), freedom) * spread


def t_quantile(chance: float, freedom: int) -> float:
    """The value that Student's t with so many degrees of freedom exceeds with this chance."""
    low, high = 0.0, 1.0
    while t_tail(high, freedom) > chance:
        low, high = high, 2 * high
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if t_tail(middle, freedom) > chance else (low, middle)
    return high


def t_tail(value: float, freedom: int) -> float:
    """The chance that Student's t exceeds a value of at least 0. With cos^2 = freedom / (freedom +
    t^2) it is a finite sum for whole degrees of freedom (Abramowitz and Stegun, 26.7.3 and 4)."""
    angle = math.atan(value / math.sqrt(freedom))
    square, term = math.cos(angle) ** 2, math.cos(angle) if freedom % 2 else 1.0
    total = 0.0
    for step in range(freedom // 2):
        total += term
        odd = 2 * step + (2 if freedom % 2 else 1)
        term *= square * odd / (odd + 1)
    inside = math.sin(angle) * total
    if freedom % 2:
        inside = 2 / math.pi * (angle + inside)
    return max(0.0, (1 - inside) / 2)
