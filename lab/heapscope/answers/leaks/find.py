"""Finds what stayed: a trace and two moments in, holders with their verdicts out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from heapscope.answers.leaks.interval import Interval
from heapscope.answers.leaks.rates import Rate, rate_of
from heapscope.answers.leaks.suppress import Suppression
from heapscope.answers.leaks.verdict import LEAK, Judged, judge
from heapscope.base.rows.bound import BEFORE, EXACT, WITHHELD, bounds_of
from heapscope.base.rows.figure import computed, figure
from heapscope.base.rows.row import Row
from heapscope.native.leaks import leak_looks
from heapscope.native.live import ended_lives, live_blocks, moments, watch
from heapscope.native.reader import NameTable, NativeReader
from heapscope.native.structs import Rows
from heapscope.trace.call_sites import site_names
from heapscope.trace.feed import read_trace
from heapscope.trace.loss import Loss, is_cut, loss_of
from heapscope.trace.metadata import CLOCK_HZ, WORD_SIZE, number
from heapscope.trace.names import Names, task_names
from heapscope.trace.provenance import RecordedDocument
from heapscope.trace.source import Progress


class HolderRow(Row):
    """Blocks of one task and site that were allocated in the interval and are live at its end.
    Sizes in bytes as asked for, ages in heap events at the end."""

    task: str = figure("Task that (re)allocated the blocks last.", heading="Task")
    site: str = figure("Call site, as named in the trace.", heading="Site")
    bytes: int = figure("Bytes as asked for.", "B", "bytes", bound=BEFORE, rest="sum")
    blocks: int = figure("Number of blocks.", least=1, bound=BEFORE, heading="blocks", rest="sum")
    smallest: int = figure("Bytes of the smallest.", "B", "smallest", bound=BEFORE, rest="least")
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
        rest="most",
    )
    verdict: str = figure(
        "leak: it grows on and on; plateau: it grew and stopped; cache: it returns to "
        "its level; unknown: the interval is too short to tell.",
        choices=("leak", "plateau", "cache", "unknown"),
        bound=BEFORE,
        heading="verdict",
        rest="kinds",
    )
    reason: str = figure("Why, for people.")
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
    @computed("How fast it leaks.", heading="bytes per 1000 events", hidden=True, last=True)
    def speed(self) -> float | None:
        return None if self.rate is None else self.rate.bytes_per_1000_events.value


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
        "Length of the interval in seconds; null: the trace has no clock.", least=None, bound=BEFORE
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
    messages: tuple[str, ...] = figure("The parts of the trace that are missing, a sentence each.")
    loss: Loss | None = figure(
        "The part of the recording that is lost; null: nothing is lost.", default=None
    )
    first_seconds: float | None = figure(
        "Seconds from the start of the trace to the start of the interval; null: the "
        "trace has no clock.",
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
        watch(reader, leak_looks(span.first, span.last), stop=span.last)
        health = read_trace(path, reader, progress=progress)
        looks = [row for row, _ in moments(reader)]
        live, ended = live_blocks(reader), ended_lives(reader)
        tasks = task_names(reader.names(NameTable.TASK), whole=reader.whole)
        sites = site_names(reader.names(NameTable.SITE))
        clock = number(reader.metadata(), CLOCK_HZ) if health.has_clock else None
        began = reader.census().first_time
        word = number(reader.metadata(), WORD_SIZE)
    loss = loss_of(health, LEAKS)
    free = None if is_cut(loss) else free  # what is left at the end is not known
    stays = live["birth"] >= span.first
    hidden = stays & np.array(
        [_hidden(row, tasks, sites, suppressions) for row in live], dtype=bool
    )
    stayed = live[stays & ~hidden]
    ticks = int(looks[-1]["time"]) - int(looks[0]["time"])
    seconds = ticks / clock if clock and ticks > 0 else None
    events = np.array([look["event"] for look in looks], dtype=np.uint64)
    judged = judge(ended, live[~hidden], events, whole=not is_cut(loss))
    holders = [
        _holder(
            stayed[rows],
            judged[holder],
            _rate(judged[holder], span, seconds=seconds, free=free),
            task=tasks[holder[0]],
            site=sites[holder[1]],
            last=span.last,
        )
        for holder, rows in _by_holder(stayed).items()
    ]
    return Leaks(
        trace=str(path),
        word_size=word,
        first_event=span.first,
        last_event=span.last,
        start=span.start,
        end=span.end,
        live_start=int(looks[0]["bytes"]),
        blocks_start=int(looks[0]["blocks"]),
        live_end=int(live["size"].sum()),
        blocks_end=len(live),
        stayed=int(stayed["size"].sum()),
        stayed_blocks=len(stayed),
        suppressed=int(live["size"][hidden].sum()),
        suppressed_blocks=int(hidden.sum()),
        seconds=seconds,
        first_seconds=None if seconds is None else (int(looks[0]["time"]) - began) / (clock or 1),
        round=span.round,
        free=free,
        holders=tuple(sorted(holders, key=_first_shown)),
        messages=health.messages if loss is None else (*loss.sentences(), *loss.reasons),
        loss=loss,
    )


def _hidden(row: np.void, tasks: Names, sites: Names, rules: Sequence[Suppression]) -> bool:
    if not rules:
        return False
    task, called = tasks[int(row["task"])], sites.called(int(row["site"]))
    return any(rule.matches(task=task, sites=called, size=int(row["size"])) for rule in rules)


def _rate(
    judged: Judged, span: Interval, *, seconds: float | None, free: int | None
) -> Rate | None:
    if judged.verdict != LEAK:
        return None
    return rate_of(judged.row, span, seconds=seconds, free=free)


def _by_holder(rows: Rows) -> dict[tuple[int, int], NDArray[np.int64]]:
    """The indices of each task's and site's rows."""
    if len(rows) == 0:
        return {}
    keys = rows["task"].astype(np.uint64) << np.uint64(32) | rows["site"].astype(np.uint64)
    order = np.argsort(keys, kind="stable")
    names, starts = np.unique(keys[order], return_index=True)
    parts = np.split(order, starts[1:])
    return {
        (int(name) >> 32, int(name) & 0xFFFFFFFF): part
        for name, part in zip(names, parts, strict=True)
    }


def _first_shown(row: HolderRow) -> tuple[float, int]:
    return (0.0 if row.rate is None else -row.rate.bytes_per_1000_events.value, -row.bytes)


def _holder(
    rows: Rows, judged: Judged, rate: Rate | None, *, task: str, site: str, last: int
) -> HolderRow:
    sizes, ages = rows["size"], np.uint64(last) - rows["birth"]
    return HolderRow(
        task=task,
        site=site,
        bytes=int(sizes.sum()),
        blocks=len(sizes),
        smallest=int(sizes.min()),
        largest=int(sizes.max()),
        youngest=int(ages.min()),
        oldest=int(ages.max()),
        verdict=judged.verdict,
        reason=judged.reason,
        chance=judged.chance,
        longer=judged.longer,
        rate=rate,
    )
