"""How many events `heapscope fit` replays, and the least that any search could.

python benches/count_fit.py TRACE [ALLOCATOR...]

A pool is only told when every smaller one was ruled out: by a size that fails, replayed up to its
refusal, or, for the pool itself, by a window that survives, replayed whole. The least is for a
search that knew the outcome of every size before it began. To know them this program replays every
size, which takes minutes for an allocator.
"""

from __future__ import annotations

import functools
import sys
from collections import Counter

from machine import commit

from heapscope.fit.limits import STEP, find_limits, judged_by, most_tried, window
from heapscope.fit.schedule import run_searches
from heapscope.fit.search import search
from heapscope.layout.allocator import placements
from heapscope.layout.pool import POOL_BASE
from heapscope.native.reader import NativeReader
from heapscope.native.steps import FitRow, NativeSteps, keeps_places
from heapscope.trace.feed import read_trace


class CountedSteps(NativeSteps):
    """Counts the events of the replays that are done."""

    whole = 0  # events of the trace
    replayed = 0

    def _replay(self, allocator: bytes, size: int) -> FitRow:
        row = super()._replay(allocator, size)
        self.replayed += self.events_of(row)
        return row

    def events_of(self, row: FitRow) -> int:
        return self.whole if row.survives else int(row.event) if row.refused else 0


def least(steps: CountedSteps, allocator: str, first: int, pool: int) -> int:
    """Takes for each pool the failing size that also rules out the most others. The pools are taken
    from the smallest on, so this is close to the least and not below it."""
    sizes = range(first, window(pool)[-1] + STEP, STEP)
    failing = {
        size: steps.events_of(row)
        for size in sizes
        if not (row := steps.try_pool(allocator, size)).survives
    }
    ruled_out: Counter[int] = Counter()
    events = steps.whole * (1 if keeps_places(allocator) else len(window(pool)))
    for one in range(first, pool, STEP):
        if one not in ruled_out:
            best = max(
                (size for size in window(one) if size in failing),
                key=lambda size: sum(one <= fallen not in ruled_out for fallen in judged_by(size)),
            )
            ruled_out.update(judged_by(best))
            events += failing[best]
    return events


def main() -> None:
    path, *names = sys.argv[1:]
    print(f"{commit()}: {path}; millions of events")
    print(f"{'allocator':<18}{'pool':>10}{'tried':>7}{'replayed':>10}{'least':>8}")
    for name in names or placements():
        with CountedSteps(POOL_BASE) as steps, NativeReader() as reader:
            steps.fill_from(reader)
            read_trace(path, reader)
            steps.whole = reader.census().events
            limits = find_limits(name, POOL_BASE, most_tried(steps.floor))
            if limits is None:
                continue
            trial = functools.partial(steps.try_pool, name)
            found, _ = run_searches({name: (search(steps.floor, limits), trial)}, str)[name]
            replayed = steps.replayed
            first = max(-(-steps.floor // STEP) * STEP, limits.least)
            bound = least(steps, name, first, found.pool) / 1e6 if found.pool else 0
            print(
                f"{name:<18}{found.pool or 0:>10,}{found.tried:>7}{replayed / 1e6:>10.1f}"
                f"{bound:>8.1f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
