"""Budgets held against the answers of other verbs than replay."""

from __future__ import annotations

from fnmatch import fnmatchcase

from heapscope.answers.fit.smallest_pool import FitResult
from heapscope.answers.leaks.find import HolderRow, Leaks
from heapscope.answers.leaks.rates import RateBand
from heapscope.answers.leaks.verdict import LEAK
from heapscope.base.choices import did_you_mean
from heapscope.base.duration import DAY, HOUR
from heapscope.base.wording import plural
from heapscope.fleet.budgets.budget import Budget
from heapscope.fleet.budgets.judge_series import judge_trend, judge_until
from heapscope.fleet.budgets.judgement import Cause, Judgement, absent, doubt
from heapscope.forecast.predict.forecast import Forecast
from heapscope.logs.answer.log_result import LogResult
from heapscope.logs.heaps.request_fit import RequestFit
from heapscope.simulation.result.comparison import Comparison
from heapscope.simulation.result.result import ReplayResult
from heapscope.trace.call_sites import short_site
from heapscope.trace.loss import is_cut

_CUT = "the log ends in the middle of a summary"
_SECONDS = {"s": 1, "h": HOUR, "day": DAY}


def judge_leaks(budget: Budget, leaks: Leaks, *, rounds: int = 0) -> Judgement:
    """`rounds`: how often the mark that the budget names comes round in the interval; 0: it names
    none."""
    rows = [row for row in leaks.holders if row.verdict == LEAK]
    rates = [_rate(row, budget, leaks, rounds) for row in rows]
    if any(rate is None for rate in rates):
        return Judgement(value=None, why=_no_unit(budget))
    total = sum(rate.value for rate in rates if rate is not None)
    if is_cut(leaks.loss):
        return Judgement(value=None, why="events of the trace are missing, perhaps frees")
    if why := doubt(leaks.loss, requested=leaks.last_event):
        return Judgement(value=total, why=why, open=True, cause=_leaking(rows))
    why = _untold(budget, leaks, rounds, total)
    return Judgement(value=total, why=why, open=bool(why), cause=_leaking(rows))


def _untold(budget: Budget, leaks: Leaks, rounds: int, total: float) -> str:
    """Why a leak that breaks the budget may be there all the same: a holder that cannot be told yet
    has kept so much. One block alone shows no rate."""
    for row in leaks.holders:
        if row.may_grow:
            most = _in_unit(row.bytes, budget, leaks, rounds)
            if most is None or not budget.kept(total + most):
                held = f"{row.blocks:,} of {row.allocated:,} blocks were never freed"
                return f"task '{row.task}' at {_site(row)}: {held}"
    if leaks.others is not None and leaks.others.unknown:
        return f"{plural(leaks.others.unknown, 'further holder')} cannot be told yet"
    return ""


def _in_unit(held: int, budget: Budget, leaks: Leaks, rounds: int) -> float | None:
    """Bytes of the interval in the unit of the budget; None: the trace does not have it."""
    events = leaks.last_event - leaks.first_event
    if rounds:
        return held / rounds
    if budget.per in _SECONDS:
        seconds = leaks.seconds
        return held / seconds * _SECONDS[budget.per] if seconds else None
    if budget.per != "round":
        return held * 1000 / events
    starts = [row.event for row in leaks.rounds]
    return held * (starts[-1] - starts[0]) / (len(starts) - 1) / events if starts else None


def _rate(row: HolderRow, budget: Budget, leaks: Leaks, rounds: int) -> RateBand | None:
    rate = row.rate
    if rate is None:
        return None
    if rounds:
        events = (leaks.last_event - leaks.first_event) / rounds
        return rate.bytes_per_1000_events.times(events / 1000)
    if budget.per in _SECONDS:
        per_second = rate.bytes_per_second
        return None if per_second is None else per_second.times(_SECONDS[budget.per])
    return rate.bytes_per_round if budget.per == "round" else rate.bytes_per_1000_events


def _no_unit(budget: Budget) -> str:
    if budget.per == "round":
        return "something leaks, and no mark comes three times, so that there are no rounds"
    return "something leaks, and no clock separates the events"


def _leaking(holder_rows: list[HolderRow]) -> Cause:
    if not holder_rows:
        return Cause()
    row = holder_rows[0]
    others = f"; {len(holder_rows) - 1:,} more leak" if len(holder_rows) > 1 else ""
    text = (
        f"Task '{row.task}' leaks at {_site(row)}: {plural(row.blocks, 'block')} with "
        f"{row.bytes:,} B stayed{others}."
    )
    return Cause(text=text, task=row.task, site=row.site)


def _site(row: HolderRow) -> str:
    return short_site(row.site) if row.site else "an unknown call site"


def fits(budget: Budget, result: ReplayResult) -> Judgement:
    """Judges a replay on a pool of the budget's size in which no request failed."""
    text = "every request is served on a pool of that size"
    why = doubt(result.loss, requested=result.summary.results)
    return Judgement(value=budget.limit, of=text, why=why, open=bool(why))


def judge_fit(budget: Budget, result: FitResult) -> Judgement:
    """Judges a trace that does not run on a pool of the budget's size."""
    who = Cause()
    if result.failing is not None:
        failing = result.failing
        text = (
            f"On {failing.pool:,} B a {failing.call} of {failing.size:,} B by task "
            f"'{failing.task}' was refused (event {failing.event:,})."
        )
        who = Cause(text=text, task=failing.task)
    if result.pool is None:
        return Judgement(value=None, why=result.reason, cause=who)
    if budget.kept(result.pool):
        why = f"a request fails on that very size, though {result.pool:,} B serve all"
        return Judgement(value=None, why=why, cause=who)
    return Judgement(value=result.pool, cause=who)


def judge_log(budget: Budget, log: LogResult) -> Judgement:
    if budget.kind == "need":
        return _log_need(budget, log)
    if log.answer.declines:
        return Judgement(value=None, why=log.answer.declines.rstrip("."))
    if budget.kind == "need_until":
        return judge_until(budget, log)
    if budget.kind == "trend":
        return judge_trend(budget, log)
    if budget.kind == "failures":
        rows = [row for row in log.answer.failed if row.memory]
        who = Cause()
        if rows:
            first = rows[0]
            size = "" if first.size is None else f" of {first.size:,} B"
            text = (
                f"The first is a request{size} by {first.who or 'somebody'}, line {first.line:,}."
            )
            who = Cause(text=text, task=first.who)
        return Judgement(value=sum(row.count for row in rows), cause=who)
    return _log_free(budget, log)


def _log_free(budget: Budget, log: LogResult) -> Judgement:
    answer = log.answer
    if budget.qualifier:
        return absent("a log tells the minimum of the whole heap; leave the name out")
    least, line = answer.min, log.summary.line if log.summary is not None else 0
    at = f"The last summary is in line {line:,}." if line else ""
    if least is not None:
        return Judgement(value=least, why=_CUT, open=bool(answer.cut), cause=Cause(text=at))
    seen = [*(answer.series_free or ()), *([] if answer.free is None else [answer.free])]
    if not seen:
        return Judgement(value=None, why="the log tells no free bytes")
    why = "the log tells free bytes at some moments and no minimum"
    return Judgement(value=min(seen), why=why, open=True, cause=Cause(text=at))


def _log_need(budget: Budget, log: LogResult) -> Judgement:
    for row in log.needs:
        if row.is_of(budget.request):
            return _fits(row)
    return Judgement(value=None, why="the log was not asked about it")


def _fits(row: RequestFit) -> Judgement:
    past = row.history
    if row.fits is False or (past is not None and past.fits_not):
        line = past.first_not if past is not None and past.first_not else row.line
        at = "" if line is None else f" in line {line:,}"
        text = f"It does not fit at the heap summary{at}."
        short = row.short or 1
        return Judgement(value=row.size - short, cause=Cause(text=text))
    if row.fits is None or (past is not None and past.open):
        return Judgement(value=None, why=row.why or "the log does not tell")
    return Judgement(value=row.size)


def judge_config(budget: Budget, forecast: Forecast) -> Judgement:
    states = {name: state.dram for name, state in forecast.states.items()}
    if budget.qualifier:
        if budget.qualifier not in states:
            hint = did_you_mean(budget.qualifier, states).strip()
            return absent(
                f"there is no state '{budget.qualifier}'; {hint or 'valid: ' + ', '.join(states)}"
            )
        name = budget.qualifier
    else:
        name = min(states, key=lambda state: states[state].median)
    band = states[name]
    part = max(forecast.parts, key=lambda part: part.count * part.bytes, default=None)
    text = ""
    if part is not None:
        text = f"The largest part is {part.what} of {part.component} with {part.bytes:,} B."
    of = f"state {name}, 80 % band {band.low_80:,} to {band.high_80:,} B"
    return Judgement(value=band.median, cause=Cause(text=text), of=of)


def judge_comparison(budget: Budget, comparison: Comparison) -> Judgement:
    """The figure that got worse most, in percent of the left side. A figure
    that was 0 on the left is worse beyond any percentage."""
    pattern = budget.qualifier or "*"
    rows = [
        row
        for row in comparison.rows
        if any(fnmatchcase(name, pattern) for name in (row.name, f"{row.section}: {row.name}"))
    ]
    if not rows:
        return absent(f"no figure is called '{pattern}'")
    worse = [row for row in rows if row.outcome == "worse"]
    if not worse:
        judged = [row for row in rows if row.outcome]
        if not judged:
            return Judgement(value=None, why="the sides cannot be compared in these figures")
        return Judgement(value=0.0)
    sizes = [float("inf") if row.percent is None else abs(row.percent) for row in worse]
    value = max(sizes)
    row = worse[sizes.index(value)]
    text = f"{row.section}, {row.name}: {row.left:,} became {row.right:,}."
    if value == float("inf"):
        value = 100.0 * max(1, abs(row.difference or 0))
    return Judgement(value=value, cause=Cause(text=text), of=row.name)
