"""Finds what stayed: a trace and two moments in, holders with their verdicts out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from heapscope.answers.leaks.interval import Interval
from heapscope.answers.leaks.rates import Rate, rate_of
from heapscope.answers.leaks.rounds import RoundRow, rounds_of
from heapscope.answers.leaks.suppress import Suppression
from heapscope.answers.leaks.verdict import (
    AXIS_NAMES,
    LEAK,
    UNKNOWN,
    WORDS,
    Judged,
    judge,
    judged,
)
from heapscope.base.rows.bound import BEFORE, EXACT, WITHHELD, bounds_of
from heapscope.base.rows.figure import computed, figure
from heapscope.base.rows.row import Row
from heapscope.native.live import ended_lives, live_blocks, watch, watched
from heapscope.native.live import holders as native_holders
from heapscope.native.reader import NameTable, NativeReader
from heapscope.native.structs import Rows
from heapscope.simulation.replay.clock import clock_rate
from heapscope.trace.call_sites import site_names
from heapscope.trace.feed import read_trace
from heapscope.trace.loss import Loss, is_cut, loss_of
from heapscope.trace.metadata import WORD_SIZE, number
from heapscope.trace.names import Names, task_names
from heapscope.trace.provenance import RecordedDocument
from heapscope.trace.source import Progress

#: Holders that are listed; those with least are summed up.
HOLDERS_MOST = 1000


class HolderRow(Row):
    """Blocks of one task and site that were allocated in the interval and are live at its end.
    Sizes in bytes as asked for, ages in heap events at the end."""

    task: str = figure("Task that (re)allocated the blocks last.", heading="Task")
    site: str = figure("Call site, as named in the trace.", heading="Site")
    bytes: int = figure("Bytes as asked for.", "B", "bytes", bound=BEFORE, rest="sum")
    blocks: int = figure("Number of blocks.", least=1, bound=BEFORE, heading="blocks", rest="sum")
    allocated: int = figure(
        "Blocks that it allocated in the interval, freed ones too.",
        bound=BEFORE,
        heading="of",
        rest="sum",
    )
    since: int = figure("Event that allocated the first of them.", bound=BEFORE)
    smallest: int = figure(
        "Bytes of the smallest.", "B", "smallest", bound=BEFORE, rest="least", wide=True
    )
    largest: int = figure("Bytes of the largest.", "B", "largest", bound=BEFORE, rest="most")
    youngest: int = figure(
        "Heap events since the youngest was allocated.",
        bound=BEFORE,
        heading="youngest, events",
        wide=True,
        rest="least",
    )
    oldest: int = figure(
        "Heap events since the oldest was allocated.",
        bound=BEFORE,
        heading="oldest, events",
        wide=True,
        rest="most",
    )
    verdict: str = figure(
        "leak: it grows on and on; filling: it grows more and more slowly; plateau: it grew and "
        "stopped; cache: it returns to its level; start-up: all of it was allocated at the "
        "beginning; unknown: the interval is too short to tell.",
        choices=("leak", "filling", "plateau", "cache", "start-up", "unknown"),
        bound=BEFORE,
        heading="verdict",
        rest="kinds",
    )
    reason: str = figure("Why, for people.")
    axis: str = figure(
        "The axis along which its blocks are looked at: its own allocations where it frees most of "
        "them, those of its task where most of these are of other blocks, else time.",
        choices=tuple(AXIS_NAMES.values()),
        bound=BEFORE,
    )
    bound: int | None = figure(
        "Bytes that a filling holder goes up to, if it goes on as it did; null: any other verdict.",
        "B",
        bound=BEFORE,
    )
    chance: float = figure(
        "At most so often does one holder without a leak look as much like one. Holders "
        "together are judged by the Benjamini-Hochberg procedure.",
        most=1,
        bound=BEFORE,
    )
    longer: float | None = figure(
        "An interval this many times as long would settle an unknown holder; null: any "
        "other verdict, or too few events to say.",
        least=None,
        bound=BEFORE,
    )
    rate: Rate | None = figure("How fast it leaks; null: it is not called a leak.", bound=BEFORE)

    @property
    def may_grow(self) -> bool:
        """Unknown, and more than one block that was allocated once, which shows no rate."""
        return self.verdict == UNKNOWN and max(self.blocks, self.allocated) > 1

    @property
    @computed("How fast it leaks.", heading="bytes per 1000 events", hidden=True, last=True)
    def speed(self) -> float | None:
        return None if self.rate is None else self.rate.bytes_per_1000_events.value


class OtherHolders(Row):
    """The holders that are not listed, all of which hold less."""

    holders: int = figure("Number of them.", bound=BEFORE)
    bytes: int = figure("Bytes as asked for.", "B", bound=BEFORE)
    blocks: int = figure("Number of blocks.", bound=BEFORE)
    unknown: int = figure(
        "Those that allocated two blocks or more and cannot be told yet.", bound=BEFORE
    )


class Leaks(RecordedDocument):
    """The blocks that were live at the start and the end of the interval, and those that came in
    between and stayed."""

    VERB = "leaks"
    VERSION = 1
    main_table = "holders"

    trace: str = figure("The file.")
    first_event: int = figure("First heap event of the interval.", bound=EXACT)
    last_event: int = figure("The event before which it ends.", bound=BEFORE)
    start: str = figure("Where it starts, for people.")
    end: str = figure("Where it ends, for people.")
    live_start: int = figure("Bytes live at the start.", "B", bound=EXACT)
    live_end: int = figure("Bytes live at the end.", "B", bound=BEFORE)
    blocks_start: int = figure("Blocks live at the start.", bound=EXACT)
    blocks_end: int = figure("Blocks live at the end.", bound=BEFORE)
    stayed: int = figure(
        "Bytes allocated in the interval and live at its end, suppressed ones left out.",
        "B",
        bound=BEFORE,
    )
    stayed_blocks: int = figure("Blocks of that kind.", bound=BEFORE)
    suppressed: int = figure("Bytes of that kind that a rule suppressed.", "B", bound=BEFORE)
    suppressed_blocks: int = figure("Blocks of that kind that a rule suppressed.", bound=BEFORE)
    seconds: float | None = figure(
        "Length of the interval in seconds; null: no clock separates the events.",
        least=None,
        bound=BEFORE,
    )
    round: str | None = figure(
        "The mark that rounds are counted by: of those that come at least three times "
        "in the interval, the most frequent; null: no mark does."
    )
    free: int | None = figure(
        "Bytes that are free on the chip at the end of the trace; null: no chip was given.",
        "B",
        bound=WITHHELD,
    )
    holders: tuple[HolderRow, ...] = figure(
        "Leaks first, the fastest before the others; then by bytes, most first."
    )
    others: OtherHolders | None = figure(
        f"Those beyond the first {HOLDERS_MOST}; null: there are no more.", bound=BEFORE
    )
    rounds: tuple[RoundRow, ...] = figure(
        "The bytes that each round left; empty: no mark comes three times."
    )
    messages: tuple[str, ...] = figure("The parts of the trace that are missing, a sentence each.")
    loss: Loss | None = figure(
        "The part of the recording that is lost; null: nothing is lost.", default=None
    )
    first_seconds: float | None = figure(
        "Seconds from the start of the trace to the start of the interval; null: no clock "
        "separates the events.",
        least=None,
        default=None,
        bound=EXACT,
    )


#: After a loss the interval ends at it; of what stayed to the run's end nothing is known.
LEAKS = bounds_of(Leaks, without=("loss",))


def find_leaks(
    path: str | Path,
    span: Interval,
    *,
    suppressions: Sequence[Suppression] = (),
    free: int | None = None,
    progress: Progress | None = None,
) -> Leaks:
    """`free`: bytes that the chip has left at the end of the interval."""
    with NativeReader() as reader:
        with NativeReader() as first:
            watch(first, span.first, span.last)
            read_trace(path, first, progress=progress)
            watch(reader, span.first, span.last, before=first)
        health = read_trace(path, reader, progress=progress)
        facts, holders = watched(reader), native_holders(reader)
        live, ended = live_blocks(reader), ended_lives(reader)
        tasks = task_names(reader.names(NameTable.TASK), whole=reader.whole)
        sites = site_names(reader.names(NameTable.SITE))
        clock, began = clock_rate(reader), reader.census().first_time
        word = number(reader.metadata(), WORD_SIZE)
    loss = loss_of(health, LEAKS)
    free = None if is_cut(loss) else free  # what is left at the end is not known
    stays = live["birth"] >= span.first
    hidden = _hidden(live, stays, tasks, sites, suppressions)
    shown = live[~hidden] if hidden.any() else live
    stayed = shown if stays.all() else live[stays & ~hidden]
    ticks = facts.last_time - facts.first_time
    seconds = ticks / clock if clock and ticks > 0 else None
    kept = _Kept(stayed, holders, judge(holders, ended, shown, whole=not is_cut(loss)))
    listed = [
        _holder(kept, at, tasks, sites, span, seconds=seconds, free=free)
        for at in kept.order[:HOLDERS_MOST]
    ]
    return Leaks(
        trace=str(path),
        word_size=word,
        first_event=span.first,
        last_event=span.last,
        start=span.start,
        end=span.end,
        live_start=facts.start_bytes,
        blocks_start=facts.start_blocks,
        live_end=int(live["size"].sum()),
        blocks_end=len(live),
        stayed=int(stayed["size"].sum()),
        stayed_blocks=len(stayed),
        suppressed=int(live["size"][hidden].sum()),
        suppressed_blocks=int(hidden.sum()),
        seconds=seconds,
        first_seconds=None if seconds is None else (facts.first_time - began) / (clock or 1),
        round=span.round,
        free=free,
        holders=tuple(listed),
        others=kept.beyond(HOLDERS_MOST),
        rounds=tuple(rounds_of(stayed, span, tasks, sites)),
        messages=health.messages if loss is None else (*loss.sentences(), *loss.reasons),
        loss=loss,
    )


def _hidden(
    live: Rows,
    stays: NDArray[np.bool_],
    tasks: Names,
    sites: Names,
    rules: Sequence[Suppression],
) -> NDArray[np.bool_]:
    """Which blocks a rule suppresses."""
    if not rules:
        return np.zeros(len(live), dtype=bool)
    matched = np.array([_matches(row, tasks, sites, rules) for row in live], dtype=bool)
    hidden: NDArray[np.bool_] = stays & matched
    return hidden


def _matches(row: np.void, tasks: Names, sites: Names, rules: Sequence[Suppression]) -> bool:
    task, called = tasks[int(row["task"])], sites.called(int(row["site"]))
    return any(rule.matches(task=task, sites=called, size=int(row["size"])) for rule in rules)


class _Kept:
    """The blocks that stayed, by task and site: an array of each figure. There may be a million
    holders, so a row is made only of those that are listed."""

    def __init__(self, stayed: Rows, holders: Rows, verdicts: Rows) -> None:
        keys = _keys(stayed)
        where = np.argsort(keys, kind="stable")
        keys = keys[where]
        starts = np.flatnonzero(np.diff(keys, prepend=~keys[:1]))
        self.keys = keys[starts]
        sizes, births = stayed["size"][where], stayed["birth"][where]
        self.blocks = np.diff(starts, append=len(stayed))
        self.bytes = _at(np.add, sizes, starts)
        self.smallest, self.largest = (_at(of, sizes, starts) for of in (np.minimum, np.maximum))
        self.first, self.last = (_at(of, births, starts) for of in (np.minimum, np.maximum))
        all_of_them = len(verdicts) == len(self.keys)
        self.rows = (
            verdicts if all_of_them else verdicts[np.searchsorted(_keys(verdicts), self.keys)]
        )
        known = _keys(holders)
        found = np.searchsorted(known, self.keys)
        self.allocated = np.zeros(len(self.keys), dtype=np.uint64)
        for_sure = found < len(known)
        for_sure[for_sure] = known[found[for_sure]] == self.keys[for_sure]
        self.allocated[for_sure] = holders["allocated"][found[for_sure]]
        leaks = self.rows["verdict"] == WORDS.index(LEAK)
        speed = np.where(leaks, self.rows["bytes"], 0.0)
        self.order = np.lexsort((self.keys, -self.bytes.astype(np.int64), -speed))

    def beyond(self, listed: int) -> OtherHolders | None:
        rest = self.order[listed:]
        if len(rest) == 0:
            return None
        several = np.maximum(self.blocks[rest], self.allocated[rest]) > 1
        unknown = (self.rows["verdict"][rest] == WORDS.index(UNKNOWN)) & several
        return OtherHolders(
            holders=len(rest),
            bytes=int(self.bytes[rest].sum()),
            blocks=int(self.blocks[rest].sum()),
            unknown=int(unknown.sum()),
        )


def _keys(rows: Rows) -> NDArray[np.uint64]:
    keys: NDArray[np.uint64] = rows["task"].astype(np.uint64) << np.uint64(32) | rows["site"]
    return keys


def _at(of: np.ufunc, values: NDArray[np.uint64], starts: NDArray[np.intp]) -> NDArray[np.uint64]:
    """The figure of each group of values that begins at one of `starts`."""
    figures: NDArray[np.uint64] = of.reduceat(values, starts) if len(starts) else values
    return figures


def _holder(
    kept: _Kept,
    at: int,
    tasks: Names,
    sites: Names,
    span: Interval,
    *,
    seconds: float | None,
    free: int | None,
) -> HolderRow:
    row, blocks, size = kept.rows[at], int(kept.blocks[at]), int(kept.bytes[at])
    verdict = judged(row)
    bound = float(row["bound"])
    return HolderRow(
        task=tasks[int(row["task"])],
        site=sites[int(row["site"])],
        bytes=size,
        blocks=blocks,
        allocated=int(kept.allocated[at]),
        since=int(kept.first[at]),
        smallest=int(kept.smallest[at]),
        largest=int(kept.largest[at]),
        youngest=span.last - int(kept.last[at]),
        oldest=span.last - int(kept.first[at]),
        verdict=verdict.verdict,
        reason=verdict.reason,
        axis=verdict.axis,
        bound=round(bound * size / blocks) if bound else None,
        chance=verdict.chance,
        longer=verdict.longer,
        rate=_rate(verdict, span, seconds=seconds, free=free),
    )


def _rate(
    verdict: Judged, span: Interval, *, seconds: float | None, free: int | None
) -> Rate | None:
    if verdict.verdict != LEAK:
        return None
    return rate_of(verdict.row, span, seconds=seconds, free=free)
