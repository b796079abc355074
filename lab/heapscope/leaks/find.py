"""Finds what stayed: a trace and two moments in, holders with their verdicts out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from heapscope.leaks.interval import Interval
from heapscope.leaks.lives import Lives, by_holder, lives_of
from heapscope.leaks.rates import Rate, rate_of
from heapscope.leaks.suppress import Suppression
from heapscope.leaks.verdict import LEAK, Judged, judge
from heapscope.measure.bound import Bounds, bounds
from heapscope.measure.loss import Loss, loss_of
from heapscope.measure.record import Record
from heapscope.native.live import Rows, ended_lives, live_blocks, moments, watch
from heapscope.native.reader import NameTable, NativeReader
from heapscope.trace.call_sites import site_names
from heapscope.trace.feed import read_trace
from heapscope.trace.metadata import CLOCK_HZ, number
from heapscope.trace.names import Names, task_names
from heapscope.trace.source import Progress

__all__ = ["HolderRow", "Leaks", "find_leaks"]

#: Moments at which the live blocks are looked at, the two ends included.
MOMENTS = 65
FORMAT = 2


@dataclass(frozen=True, kw_only=True)
class HolderRow(Record):
    """Blocks of one task and site that were allocated in the interval and are live at its end.
    Sizes in bytes as asked for, ages in heap events at the end."""

    task: str
    site: str
    bytes: int
    blocks: int
    smallest: int
    largest: int
    youngest: int
    oldest: int
    verdict: str  # leak, plateau, cache or unknown: heapscope.leaks.verdict
    reason: str
    chance: float  # that a holder without a leak looks like this, at most
    longer: float | None  # unknown: an interval that many times as long would settle it
    rate: Rate | None  # of a leak


#: After a loss the interval ends at it; of what stayed to the run's end nothing is known.
LEAKS: dict[str, Bounds] = {
    "": bounds(
        EXACT="first_event first_seconds live_start blocks_start",
        BEFORE="last_event live_end blocks_end stayed stayed_blocks suppressed suppressed_blocks "
        "seconds",
        WITHHELD="free",
    ),
    "holders[]": bounds(
        BEFORE="bytes blocks smallest largest youngest oldest verdict chance longer rate"
    ),
}


@dataclass(frozen=True, kw_only=True)
class Leaks(Record):
    """What was live at the start and the end of the interval, and what of it came in between."""

    trace: str
    first_event: int
    last_event: int
    start: str
    end: str
    live_start: int
    live_end: int
    blocks_start: int
    blocks_end: int
    stayed: int
    stayed_blocks: int
    suppressed: int
    suppressed_blocks: int
    seconds: float | None  # of the interval; None: no clock
    round: str | None  # the mark that rounds are counted by; None: no mark comes again and again
    free: int | None  # bytes that are free at the end on the chip; None: not known
    holders: tuple[HolderRow, ...]  # leaks first, the fastest before the others
    messages: tuple[str, ...]  # what of the trace is missing
    loss: Loss | None = None  # of events; None: all are there
    first_seconds: float | None = None  # from the trace's start to the interval's; None: no clock

    def to_json(self) -> dict[str, Any]:
        return {"heapscope_leaks": FORMAT} | super().to_json()


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
        watch(reader, _looks(span), stop=span.last)
        health = read_trace(path, reader, progress=progress)
        looks = [row for row, _ in moments(reader)]
        live, ended = live_blocks(reader), ended_lives(reader)
        tasks = task_names(reader.names(NameTable.TASK), whole=reader.whole)
        sites = site_names(reader.names(NameTable.SITE))
        clock = number(reader.metadata(), CLOCK_HZ) if health.has_clock else None
        began = reader.census().first_time
    loss = loss_of(health, LEAKS)
    free = None if loss is not None else free  # what is left at the end is not known
    stays = live["birth"] >= span.first
    hidden = stays & np.array(
        [_hidden(row, tasks, sites, suppressions) for row in live], dtype=bool
    )
    stayed = live[stays & ~hidden]
    ticks = int(looks[-1]["time"]) - int(looks[0]["time"])
    seconds = ticks / clock if clock and ticks > 0 else None
    events = np.array([look["event"] for look in looks], dtype=np.uint64)
    lives = dict(lives_of(ended, live[~hidden], events))
    verdicts = judge(list(lives.values()), events=int(events[-1] - events[0]), whole=health.whole)
    judged = dict(zip(lives, verdicts, strict=True))
    holders = [
        _holder(
            stayed[rows],
            judged[holder],
            _rate(lives[holder], judged[holder], span, seconds=seconds, free=free),
            task=tasks[holder[0]],
            site=sites[holder[1]],
            last=span.last,
        )
        for holder, rows in by_holder(stayed).items()
    ]
    return Leaks(
        trace=str(path),
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
        messages=health.messages() if loss is None else (*loss.sentences(), *loss.reasons),
        loss=loss,
    )


def _looks(span: Interval) -> list[int]:
    """Each event once: two looks at one event would be a stretch in which nothing can happen."""
    looks = np.linspace(span.first, span.last, MOMENTS)
    return list(dict.fromkeys(int(event) for event in looks))


def _hidden(row: np.void, tasks: Names, sites: Names, rules: Sequence[Suppression]) -> bool:
    if not rules:
        return False
    task, called = tasks[int(row["task"])], sites.called(int(row["site"]))
    return any(rule.matches(task=task, sites=called, size=int(row["size"])) for rule in rules)


def _rate(
    lives: Lives, judged: Judged, span: Interval, *, seconds: float | None, free: int | None
) -> Rate | None:
    if judged.verdict != LEAK:
        return None
    return rate_of(lives, judged.found, span, seconds=seconds, free=free)


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
        chance=judged.found.chance,
        longer=judged.longer,
        rate=rate,
    )
