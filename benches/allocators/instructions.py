"""Instructions of each call of our heap, in emulation, over traces."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from emulation.build import build_image
from emulation.events import ALIGNED, CALLOC, FREE, MALLOC, REALLOC, Rows, load
from emulation.run import FAILED, SKIPPED, EmulatedHeap, Form, Replay
from emulation.targets import Target
from numpy.typing import NDArray

__all__ = ["CALLS", "Job", "Tally", "count", "merge", "moved"]

#: Calls that are distinguished. A realloc is also counted as one that moved its block, and so
#: copied, or as one that did not.
CALLS = {
    "malloc": MALLOC,
    "free": FREE,
    "realloc": REALLOC,
    "realloc in place": REALLOC,
    "realloc moving": REALLOC,
    "calloc": CALLOC,
    "aligned": ALIGNED,
}


@dataclass(frozen=True)
class Job:
    """One trace in one pool on one target."""

    target: Target
    name: str
    path: Path
    pool: int
    form: Form = Form.AUTO
    alignment: int = 0


@dataclass(frozen=True)
class Tally:
    """One sort of call: how many took how many instructions, and where the most were needed."""

    histogram: NDArray[np.int64]
    trace: str
    event: int

    @property
    def calls(self) -> int:
        return int(self.histogram.sum())

    @property
    def worst(self) -> int:
        return len(self.histogram) - 1

    @property
    def mean(self) -> float:
        return float(np.arange(len(self.histogram)) @ self.histogram) / self.calls

    def percentile(self, share: float) -> int:
        """The least number that this share of the calls does not exceed."""
        return int(np.searchsorted(np.cumsum(self.histogram), share * self.calls))

    def to_json(self) -> dict[str, Any]:
        return {
            "calls": self.calls,
            "mean": round(self.mean, 2),
            "p99": self.percentile(0.99),
            "max": self.worst,
            "max_trace": self.trace,
            "max_event": self.event,
        }


def merge(tallies: Iterable[Tally]) -> Tally | None:
    """All calls of several traces as one; None of none."""
    parts = list(tallies)
    if not parts:
        return None
    worst = max(parts, key=lambda part: part.worst)
    histogram = np.zeros(worst.worst + 1, np.int64)
    for part in parts:
        histogram[: len(part.histogram)] += part.histogram
    return Tally(histogram, worst.trace, worst.event)


def count(
    jobs: Sequence[Job], *, done: Callable[[int, int], None] = lambda done, of: None
) -> list[tuple[Mapping[str, Tally], int]]:
    """Each job's tallies, and how many of its requests failed; in parallel."""
    for target in {job.target for job in jobs}:
        build_image(target)  # once, before others look for it
    finished = []
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for result in pool.map(count_one, jobs):
            finished.append(result)
            done(len(finished), len(jobs))
    return finished


def count_one(job: Job) -> tuple[Mapping[str, Tally], int]:
    rows = load(job.path)
    image = build_image(job.target)
    heap = EmulatedHeap(
        job.target, image, job.pool, form=job.form, alignment=job.alignment, events=len(rows)
    )
    replay = heap.replay(rows)
    tallies = {}
    for name, chosen in select(rows, replay).items():
        if chosen.any():
            counts = replay.counts + replay.copying
            where = int(np.argmax(np.where(chosen, counts, 0)))
            histogram = np.bincount(counts[chosen]).astype(np.int64)
            tallies[name] = Tally(histogram, job.name, where)
    return tallies, replay.failures


def select(rows: Rows, replay: Replay) -> dict[str, NDArray[np.bool_]]:
    """Which events are calls of each sort; those that failed are counted too."""
    built = replay.results != SKIPPED
    chosen = {name: built & (rows["kind"] == kind) for name, kind in CALLS.items()}
    has_moved = moved(rows, replay)
    chosen["realloc in place"] &= ~has_moved
    chosen["realloc moving"] &= has_moved
    return chosen


def moved(rows: Rows, replay: Replay) -> NDArray[np.bool_]:
    """The reallocs whose block lies elsewhere afterwards."""
    index = np.arange(len(rows))
    moves = (rows["kind"] == REALLOC) & (replay.results < FAILED - 3)
    gives = (rows["kind"] != FREE) & (replay.results < FAILED - 3)
    after = np.where(rows["kind"] == REALLOC, rows["after"], rows["slot"])
    # Which event gave each block its place last: events in the order of slot and time.
    scale = max(len(rows), 1)
    given = np.sort((after.astype(np.int64) * scale + index)[gives])
    wanted = rows["slot"].astype(np.int64) * scale + index
    before = given[np.searchsorted(given, wanted[moves]) - 1] % scale if gives.any() else index[:0]
    out = np.zeros(len(rows), dtype=bool)
    out[moves] = replay.results[before] != replay.results[moves]
    return out
