"""Reads a trace once and finds the smallest pool of each allocator."""

from __future__ import annotations

import functools
import itertools
import math
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from heapscope.answers.fit.floor import floor_of
from heapscope.answers.fit.limits import STEP, Limits, find_limits, most_tried
from heapscope.answers.fit.perturbed_fit import perturbed_fit
from heapscope.answers.fit.provable import provable_of
from heapscope.answers.fit.request_trials import RequestTrials, never_played
from heapscope.answers.fit.schedule import run_searches
from heapscope.answers.fit.search import Ending, SmallestPool, search
from heapscope.answers.fit.smallest_pool import FIT, FitResult, Refusal
from heapscope.base.choices import did_you_mean
from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.base.request import Request
from heapscope.base.rows.request import RequestRow
from heapscope.memory.layout.allocator import has_ends
from heapscope.memory.layout.place_file import read_placement
from heapscope.memory.layout.placement import Placement
from heapscope.memory.layout.pool import POOL_BASE, POOL_MIN, pool_layout
from heapscope.native.config import NativeConfig
from heapscope.native.names import call_names
from heapscope.native.reader import NameTable, NativeReader
from heapscope.native.steps import FitRow, NativeSteps
from heapscope.simulation.jitter.runs import Jitter, PerturbedRuns, kept_in_memory
from heapscope.simulation.replay.config import native_config
from heapscope.trace.all_names import AllNames, read_all_names
from heapscope.trace.feed import read_trace
from heapscope.trace.health import TraceHealth
from heapscope.trace.info import tasks_of
from heapscope.trace.loss import Loss, is_cut, loss_of
from heapscope.trace.names import Names, task_names
from heapscope.trace.source import Progress

#: Called with how many allocators are done, and of how many.
FitProgress = Callable[[int, int], None]


@dataclass(frozen=True, kw_only=True)
class _Loaded:
    """A trace, ready to be replayed."""

    shown: str
    steps: NativeSteps
    peak_live: int
    tasks: Names
    health: TraceHealth
    whole: bool  # all tasks' blocks
    needed: int = 0  # bytes of the largest request that there has to be room for at every moment

    @property
    def loss(self) -> Loss | None:
        return loss_of(self.health, FIT)

    @property
    def floor(self) -> int:
        """Bytes below which no pool serves the trace. A pool must also hold the live peak of each
        part after a loss."""
        lost = self.health.loss
        later = lost.live_peak if lost is not None and self.whole else 0
        return max(self.steps.floor, later, self.needed, POOL_MIN)

    @property
    def held(self) -> int:
        """Bytes that a pool may have to hold together."""
        return self.floor + self.needed


@dataclass(frozen=True, kw_only=True)
class RecordedFit:
    """The rows of the recorded run alone, and what perturbed runs of it go on with."""

    rows: list[FitResult]
    limits: Mapping[str, Limits | None]
    only: int | None
    ends: NativeConfig | None
    needing: RequestTrials


def fit(
    path: str | Path,
    allocators: Sequence[str],
    *,
    task: str | None = None,
    margin: float | None = None,
    jitter: Jitter | None = None,
    placement: Placement | None = None,
    needs: Sequence[Request] = (),
    provable: bool = False,
    reading: Progress | None = None,
    progress: FitProgress | None = None,
    perturbing: FitProgress | None = None,
) -> list[FitResult]:
    """One row an allocator, in their order. `task`: of its blocks alone, as for a private heap.
    `margin`: percent that a size to be recommended has above the pool. `jitter`: also how perturbed
    runs go on each pool. `placement`: rules for a pool, whose ends count where a heap has two.
    `needs`: requests that a pool has to have room for at every moment. `provable`: also the pool
    that cannot fail. Memory: 12 bytes an event,
    and a pool for each core; with needs or perturbed runs the trace, too. InputError: the trace
    cannot be used, or has no such task."""
    result = fit_recorded(
        path,
        allocators,
        task=task,
        margin=margin,
        placement=placement,
        needs=needs,
        provable=provable,
        reading=reading,
        progress=progress,
    )
    return result.rows if jitter is None else _perturbed(path, result, jitter, perturbing)


def fit_recorded(
    path: str | Path,
    allocators: Sequence[str],
    *,
    task: str | None = None,
    margin: float | None = None,
    placement: Placement | None = None,
    needs: Sequence[Request] = (),
    provable: bool = False,
    reading: Progress | None = None,
    progress: FitProgress | None = None,
) -> RecordedFit:
    """Does what `fit` does, without perturbed runs."""
    only = None if task is None else _index(path, task)
    ends = None if placement is None else ends_of(placement, path)
    needing = _needing(path, needs, placement)
    play = kept_in_memory(path) if needs else never_played
    with NativeSteps(POOL_BASE, only=only, ends=ends) as steps:
        trace = _load(path, steps, reading)
        if task is not None:
            trace = replace(trace, peak_live=steps.peak, whole=False)
            if not steps.peak:
                raise InputError(f"{trace.shown}: task '{printable(task)}' allocates nothing")
        trace = replace(trace, needed=needing.largest)
        try_pool = needing.trying(steps, play)
        limits = {name: find_limits(name, POOL_BASE, most_tried(trace.held)) for name in allocators}
        searches = {
            name: (search(trace.floor, within), functools.partial(try_pool, name))
            for name, within in limits.items()
            if within is not None
        }
        ended: list[str] = []

        def done(name: str) -> None:
            ended.append(name)
            if progress is not None:
                progress(len(ended), len(searches))

        result = run_searches(searches, done)
        rows = [_result(trace, name, limits[name], result.get(name)) for name in limits]
        floor = None if is_cut(trace.loss) else floor_of(steps)
        rows = [
            replace(
                row,
                floor=floor,
                provable=provable_of(steps, row.allocator)
                if provable and not is_cut(trace.loss)
                else None,
                task=task or "",
                placed=placement.file if placement and has_ends(row.allocator) else "",
                needs=tuple(map(RequestRow.of, needs)),
                margin=margin,
                advised=None
                if is_cut(trace.loss)
                else _advised(row.pool, margin, limits[row.allocator]),
            )
            for row in rows
        ]
    return RecordedFit(rows=rows, limits=limits, only=only, ends=ends, needing=needing)


def _needing(
    path: str | Path, needs: Sequence[Request], placement: Placement | None
) -> RequestTrials:
    if not needs:
        return RequestTrials()
    return RequestTrials(needs=tuple(needs), placement=placement, names=_names(placement, path))


def _names(placement: Placement | None, path: str | Path) -> AllNames | None:
    """Those of the trace, where a rule asks for them."""
    return read_all_names(path) if placement is not None and placement.by_name else None


def pool_rules(file: str | Path) -> Placement:
    """The rules of a file, for a pool. InputError: they place blocks in private heaps or in pools
    of fixed blocks, which a pool alone has not."""
    rules = read_placement(file, pool_layout(POOL_MIN, "heapscope"))
    if rules.heaps:
        fixed = rules.heaps[0].fixed
        what = "pools of fixed blocks" if fixed else "private heaps"
        raise InputError(
            f"{rules.file}: {rules.heaps[0].kind}: {what} are in it, and the search is for one "
            "heap alone",
            remedy="try sizes of your own: replay --pool SIZE --place FILE, or a sweep over them"
            if fixed
            else "leave them out; heapscope fit --task NAME finds the size of one",
        )
    return rules


def ends_of(placement: Placement, path: str | Path) -> NativeConfig:
    """The rules of a pool in the terms of the library, with the names that this trace has."""
    names = _names(placement, path)
    layout = pool_layout(POOL_MIN, "heapscope")
    return native_config(layout, needs=(), capsets=(), buckets=0, placement=placement, names=names)


def _perturbed(
    path: str | Path, recorded: RecordedFit, jitter: Jitter, progress: FitProgress | None
) -> list[FitResult]:
    """The rows that have a pool, with how perturbed runs go on it."""
    runs_done = itertools.count(1)
    total = 2 * jitter.runs * sum(row.pool is not None for row in recorded.rows)

    def done() -> None:
        if progress is not None:
            progress(next(runs_done), total)

    fit_results: list[FitResult] = []
    with PerturbedRuns(kept_in_memory(path), jitter) as runs:
        for row in recorded.rows:
            within = recorded.limits[row.allocator]
            if row.pool is None or within is None:
                fit_results.append(row)
                continue
            perturbed = perturbed_fit(
                runs,
                row.allocator,
                row.pool,
                within,
                only=recorded.only,
                ends=recorded.ends,
                needing=recorded.needing,
                done=done,
            )
            fit_results.append(replace(row, perturbed=perturbed))
    return fit_results


def _advised(pool: int | None, margin: float | None, limits: Limits | None) -> int | None:
    """The size to recommend: the margin on top, a multiple of 8. None: the allocator makes no heap
    of that size."""
    if pool is None or margin is None or limits is None:
        return None
    advised = math.ceil(pool * (1 + margin / 100) / STEP) * STEP
    return None if limits.ended and advised > limits.most else advised


def _index(path: str | Path, task: str) -> int:
    """The index of the task of that name. A first reading of the trace finds it."""
    with NativeReader() as reader:
        read_trace(path, reader)
        indices = {each.name: each.index for each in reversed(tasks_of(reader))}
    if task in indices:
        return indices[task]
    shown = list(reversed(indices))
    there = f"its tasks: {', '.join(shown)}" if shown else "leave --task out: it names none"
    raise InputError(
        f"{printable(str(path), limit=400)}: no task '{printable(task)}' in it",
        remedy=f"{did_you_mean(task, shown)}{there}",
    )


def _load(path: str | Path, steps: NativeSteps, progress: Progress | None) -> _Loaded:
    with NativeReader() as reader:
        steps.fill_from(reader)
        health = read_trace(path, reader, progress=progress)
        census = reader.census()
        shown = printable(str(path), limit=400)
        later = health.loss
        if census.events == census.live_peak == 0 and (later is None or later.events == 0):
            raise InputError(
                f"{shown}: no heap event in it, nothing to replay",
                remedy=f"see what it holds: heapscope replay {shlex.quote(shown)}",
            )
        return _Loaded(
            shown=shown,
            steps=steps,
            peak_live=max(census.live_peak, 0 if later is None else later.live_peak),
            tasks=task_names(reader.names(NameTable.TASK), whole=reader.whole),
            health=health,
            whole=True,
        )


def _result(
    trace: _Loaded,
    allocator: str,
    limits: Limits | None,
    searched: tuple[SmallestPool, Mapping[int, FitRow]] | None,
) -> FitResult:
    if limits is None or searched is None:
        most = most_tried(trace.floor)
        reason = f"it makes no heap on any of the sizes tried, {POOL_MIN:,} to {most:,} bytes"
        return _row(trace, allocator, SmallestPool(pool=None, ending="", tried=0), {}, reason)
    result, known = searched
    return _row(trace, allocator, result, known, _reason(trace, limits, result, known))


def _row(
    trace: _Loaded,
    allocator: str,
    smallest_pool: SmallestPool,
    known: Mapping[int, FitRow],
    reason: str,
) -> FitResult:
    pool = smallest_pool.pool
    return FitResult(
        trace=trace.shown,
        allocator=allocator,
        pool=pool,
        pool_min=_smallest_survivor(known),
        peak_live=trace.peak_live,
        ratio=_ratio(trace, pool),
        reason=reason,
        failing=_failing(trace, smallest_pool, known),
        tried=smallest_pool.tried,
        loss=trace.loss,
        messages=trace.health.messages,
    )


def _ratio(trace: _Loaded, pool: int | None) -> float | None:
    """Both sides of it are lower bounds after a loss, their ratio is not a bound."""
    if pool is None or not trace.peak_live or is_cut(trace.loss):
        return None
    return pool / trace.peak_live


def _smallest_survivor(known: Mapping[int, FitRow]) -> int | None:
    return min((size for size, trial in known.items() if trial.survives), default=None)


def _failing(
    trace: _Loaded, smallest_pool: SmallestPool, known: Mapping[int, FitRow]
) -> Refusal | None:
    failed = [size for size, trial in known.items() if trial.failed]
    size = max(
        (s for s in failed if smallest_pool.pool is None or s < smallest_pool.pool), default=None
    )
    if size is None or not known[size].refused:
        return None
    row = known[size]
    return Refusal(
        pool=size,
        event=row.event,
        call=call_names()[row.call],
        size=row.size,
        align=row.align,
        task=trace.tasks[row.task],
    )


def _reason(
    trace: _Loaded, limits: Limits, smallest_pool: SmallestPool, known: Mapping[int, FitRow]
) -> str:
    """Why there is no pool; empty: there is one."""
    least = _smallest_survivor(known)
    unmet = f", or has no room there for {trace.needed:,} bytes" if trace.needed else ""
    small = limits.most < trace.needed
    sentences = {
        "": "",
        Ending.NEVER: "it refuses one of the requests on a pool of any size",
        Ending.SMALL: (
            f"its largest heap is {limits.most:,} bytes, and "
            + (f"the need is {trace.needed:,}" if small else f"{trace.floor:,} are live at once")
        ),
        Ending.TRIED: f"it fails on every pool that was tried, up to {limits.most:,} bytes{unmet}",
        Ending.LIMIT: (
            f"it fails on pools up to its largest heap, {limits.most:,} bytes{unmet}"
            if least is None
            else f"it survives on {least:,} bytes, but nowhere on all of the next 2 % as well: "
            f"its largest heap is {limits.most:,} bytes"
        ),
    }
    return sentences[smallest_pool.ending]
