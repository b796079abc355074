"""Budgets of the figures that a log repeats: when a request stops fitting, and how fast a figure
falls."""

from __future__ import annotations

from heapscope.answers.leaks.verdict import UNKNOWN
from heapscope.answers.series.judge import DYING
from heapscope.base.duration import DAY, HOUR
from heapscope.base.request import parse_request
from heapscope.fleet.budgets.budget import Budget
from heapscope.fleet.budgets.judgement import Cause, Judgement, absent
from heapscope.logs.answer.log_result import LogResult
from heapscope.logs.heaps.request_fit import RequestFit

_SECONDS = {"s": 1, "h": HOUR, "day": DAY}


def judge_until(budget: Budget, log: LogResult) -> Judgement:
    """Seconds for which every request, or the one that the budget names, surely fits: the lower end
    of the interval."""
    rows = log.needs
    if budget.qualifier:
        request = parse_request(budget.qualifier)
        rows = tuple(row for row in rows if row.is_of(request))
    if not rows:
        return Judgement(value=None, why="no request is named, as need_until.16717 names one")
    judged = [_until(budget, row, log) for row in rows]
    unknown = next((one for one in judged if one.value is None), None)
    known = [one for one in judged if one.value is not None]
    broken = [one for one in known if not budget.kept(one.value or 0)]
    if broken:
        return min(broken, key=lambda one: one.value or 0)
    return unknown or min(known, key=lambda one: one.value or 0)


def _until(budget: Budget, row: RequestFit, log: LogResult) -> Judgement:
    request = f"{row.size:,} B"
    if row.fits is False:
        text = f"{request} do not fit at the end of the log."
        return Judgement(value=0, cause=Cause(text=text))
    if row.until is not None:
        return Judgement(value=row.until.low, of=f"{request}, the lower end of 4 of 5")
    if row.until_lines is not None:
        return Judgement(value=None, why="the lines of the log tell no time")
    if row.fits is None:
        return Judgement(value=None, why=row.why or "the log does not tell whether it fits")
    verdicts = {trend.verdict for trend in log.trends}
    if not verdicts or UNKNOWN in verdicts:
        return Judgement(value=None, why="the log is too short to tell how its figures go on")
    if verdicts & set(DYING):
        return Judgement(value=None, why="its figures fall, and the log is too short for a date")
    return Judgement(value=budget.limit, of=f"{request}: no figure falls")


def judge_trend(budget: Budget, log: LogResult) -> Judgement:
    """Bytes that a figure loses in the budget's time, in the memory where it loses most."""
    rows = [row for row in log.trends if row.name == budget.qualifier]
    if not rows:
        names = ", ".join(sorted({row.name for row in log.trends})) or "no figure"
        return absent(f"the log has a series of {names}")
    unknown = [row for row in rows if row.verdict == UNKNOWN]
    lost = 0.0
    for row in rows:
        if row.verdict in DYING and row.seconds is None:
            return Judgement(value=None, why="the lines of the log tell no time")
        if row.verdict in DYING and row.per_second is not None:
            lost = max(lost, row.per_second.value * _SECONDS[budget.per])
    if not budget.kept(lost):
        first = max(rows, key=lambda row: row.verdict in DYING)
        text = f"{first.name} of {first.memory or 'the heap'}: {first.verdict}, {first.reason}."
        return Judgement(value=lost, cause=Cause(text=text))
    why = f"{budget.qualifier} cannot be told yet: {unknown[0].reason}" if unknown else ""
    return Judgement(value=lost, why=why, open=bool(unknown))
