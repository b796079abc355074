"""Budgets held against a replay."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase

from heapscope.base import capabilities
from heapscope.base.capabilities import MALLOC
from heapscope.base.choices import did_you_mean
from heapscope.base.errors import InputError
from heapscope.fleet.budgets.budget import Budget
from heapscope.fleet.budgets.cause import UNKNOWN_SITE, first_failure, most_held
from heapscope.fleet.budgets.judgement import Cause, Judgement, absent, doubt
from heapscope.memory.static.static_ram import StaticPart, StaticRam
from heapscope.simulation.result.result import ReplayResult
from heapscope.simulation.result.survey import Holding, Survey
from heapscope.simulation.result.task import TaskRow
from heapscope.trace.call_sites import ARROW


def judge_replay(budget: Budget, result: ReplayResult, seen: Survey | None = None) -> Judgement:
    """`seen`: the survey of the same replay, which call sites need."""
    match = _JUDGES[budget.kind](budget, result, seen)
    why = doubt(result.loss, requested=result.summary.results)
    return replace(match, why=why, open=True) if why and not match.open else match


def _min_free(budget: Budget, result: ReplayResult, seen: Survey | None) -> Judgement:
    kinds = {row.kind: row.minimum_free for row in result.kinds}
    if budget.qualifier in kinds:
        return Judgement(value=kinds[budget.qualifier], cause=most_held(result, seen))
    sets = {row.capabilities: row.minimum_free for row in result.sets}
    name = budget.qualifier or MALLOC
    if name != MALLOC:
        try:
            wanted = capabilities.parse(name)
        except InputError as error:
            return absent(f"{error.message}; {', '.join([*kinds, *sets])} are there")
        same = (one for one in sets if one != MALLOC and capabilities.parse(one) == wanted)
        name = next(same, "")
    if not name:
        return absent(f"this memory has no such set; it has {', '.join([*kinds, *sets])}")
    return Judgement(value=sets[name], cause=most_held(result, seen))


def _need(budget: Budget, result: ReplayResult, seen: Survey | None) -> Judgement:
    for row in result.needs:
        if row.is_of(budget.request):
            text = "the largest request that would have been served at the worst moment"
            cause = Cause()
            if row.short_events:
                most = most_held(result, seen)
                worst = result.place(row.minimum_margin_event)
                lacks = (
                    f"There was no room after {row.short_events:,} events, first at "
                    f"{result.place(row.first_event)}; the worst moment was {worst}. "
                )
                cause = Cause(text=lacks + most.text, task=most.task, site=most.site)
            return Judgement(value=row.worst_largest, cause=cause, of=text)
    return Judgement(value=None, why="the replay was not asked about it")


def _failures(budget: Budget, result: ReplayResult, seen: Survey | None) -> Judgement:
    return Judgement(value=result.summary.failures, cause=first_failure(result))


def _match_rate(budget: Budget, result: ReplayResult, seen: Survey | None) -> Judgement:
    compared = result.summary.address_compared
    if result.trace.unmodelled:
        return Judgement(
            value=None, why=f"no model of the recording's allocator, {result.trace.unmodelled}"
        )
    if not compared:
        return Judgement(value=None, why="the trace has no addresses to compare")
    return Judgement(value=100 * result.summary.address_matched / compared)


def _task(budget: Budget, result: ReplayResult, seen: Survey | None) -> Judgement:
    """A task's peaks in several memories may be at different moments: their sum is the most that it
    can be, and the largest the least."""
    tasks: dict[tuple[int | None, str], list[TaskRow]] = {}
    for row in result.tasks:
        if fnmatchcase(row.task, budget.qualifier):
            tasks.setdefault((row.task_index, row.task), []).append(row)
    if not tasks:
        return _no("task", budget, (row.task for row in result.tasks))
    most = max(tasks.values(), key=lambda rows: sum(row.held_peak for row in rows))
    whole, least = sum(r.held_peak for r in most), max(r.held_peak for r in most)
    worst = max(tasks.values(), key=lambda rows: max(row.held_peak for row in rows))
    certain = max(row.held_peak for row in worst)
    if not budget.kept(certain):
        return Judgement(value=certain, cause=_of_task(result, worst), of=_named(budget, worst))
    open_ = not budget.kept(whole)
    return Judgement(
        value=least if open_ else whole,
        why="its peaks in several memories may be at different moments" if open_ else "",
        open=open_,
        cause=_of_task(result, most),
        of=_named(budget, most),
    )


def _named(budget: Budget, rows: list[TaskRow]) -> str:
    return "" if rows[0].task == budget.qualifier else f"task {rows[0].task}"


def _of_task(result: ReplayResult, rows: list[TaskRow]) -> Cause:
    row = max(rows, key=lambda row: row.held_peak)
    text = (
        f"Task '{row.task}' held {row.held_peak:,} B of {row.kind} in up to {row.blocks_peak:,} "
        f"blocks; its payload peaked at {result.place(row.payload_peak_event)}."
    )
    return Cause(text=text, task=row.task)


def _site(budget: Budget, result: ReplayResult, seen: Survey | None) -> Judgement:
    if seen is None:
        return Judgement(value=None, why="call sites were not looked at")
    own = [row for row in seen.sites if not row.others and row.name != UNKNOWN_SITE]
    if not own:
        return Judgement(value=None, why="the trace has no call sites")
    rows = [row for row in own if site_matches(row.name, budget.qualifier)]
    if not rows:
        return _no("call site", budget, (row.name for row in own))
    worst = max(rows, key=lambda row: row.held_peak)
    return Judgement(value=worst.held_peak, cause=_of_site(result, worst), of=worst.name)


def site_matches(site: str, pattern: str) -> bool:
    """The whole of a call site, or one of its functions."""
    return any(fnmatchcase(part, pattern) for part in (site, *site.split(ARROW)))


def _of_site(result: ReplayResult, row: Holding) -> Cause:
    text = (
        f"{row.name} held {row.held_peak:,} B in up to {row.blocks_peak:,} blocks; its payload "
        f"peaked at {result.place(row.payload_peak_event)}."
    )
    return Cause(text=text, site=row.name)


def judge_static(budget: Budget, ram: StaticRam) -> Judgement:
    kinds = {row.kind: row.total for row in ram.kinds}
    parts = ram.components
    if budget.qualifier in kinds:
        inside = [row for row in parts if row.kind == budget.qualifier and not row.symbol]
        return Judgement(value=kinds[budget.qualifier], cause=_largest(inside or ram.symbols))
    inside = [row for row in parts if row.component == budget.qualifier]
    if not inside:
        return _no("memory or component", budget, [*kinds, *(row.component for row in parts)])
    of_it = [row for row in ram.symbols if row.component == budget.qualifier]
    return Judgement(value=sum(row.total for row in inside), cause=_largest(of_it))


def _largest(rows: Iterable[StaticPart]) -> Cause:
    """The largest component or symbol of static memory."""
    row = max(rows, key=lambda row: row.total, default=None)
    if row is None:
        return Cause()
    name = row.symbol or row.component
    return Cause(text=f"The largest part is {name} with {row.total:,} B.", site=name)


def _no(noun: str, budget: Budget, names: Iterable[str]) -> Judgement:
    there = list(dict.fromkeys(name for name in names if name))
    hint = did_you_mean(budget.qualifier, there).strip()
    return absent(
        f"there is no {noun} '{budget.qualifier}'; {hint or 'there are ' + ', '.join(there[:8])}"
    )


_JUDGES: Mapping[str, Callable[[Budget, ReplayResult, Survey | None], Judgement]] = {
    "min_free": _min_free,
    "need": _need,
    "failures": _failures,
    "match_rate": _match_rate,
    "task": _task,
    "site": _site,
}
