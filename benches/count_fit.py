"""How many events `heapscope fit` replays, and about the least that a search could.

python benches/count_fit.py TRACE [ALLOCATOR...]

A pool is only reported when every smaller one was ruled out: by a size that fails, replayed up to
its refusal, or, for the pool itself, by a window that survives, replayed whole. "windows" are the
events of that window alone, and no search replays fewer. "least" has failing sizes, too, for a
search that knew the outcome of every size and chose greedily; others may choose a little better. To
know the outcomes this program replays every size, which takes up to a minute for an allocator.
"""

from __future__ import annotations

import functools
import sys
from collections import Counter

from machine import commit

from heapscope.answers.fit.limits import STEP, find_limits, judged_by, most_tried, window
from heapscope.answers.fit.schedule import run_searches
from heapscope.answers.fit.search import search
from heapscope.memory.layout.allocator import placements
from heapscope.memory.layout.pool import POOL_BASE
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


def ruling_out(steps: CountedSteps, allocator: str, first: int, pool: int) -> int:
    """Events of failing sizes that rule out all smaller pools. Takes for each pool, from the
    smallest on, the failing size that also rules out the most others: close to the least."""
    sizes = range(first, window(pool)[-1] + STEP, STEP)
    failing = {
        size: steps.events_of(row)
        for size in sizes
        if not (row := steps.try_pool(allocator, size)).survives
    }
    ruled_out: Counter[int] = Counter()
    events = 0
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
    print(f"{'allocator':<18}{'pool':>10}{'tried':>7}{'replayed':>10}{'windows':>9}{'least':>8}")
    for name in names or placements():
        with CountedSteps(POOL_BASE) as steps, NativeReader() as reader:
            steps.fill_from(reader)
            read_trace(path, reader)
            steps.whole = reader.census().events
            limits = find_limits(name, POOL_BASE, most_tried(steps.floor))
            if limits is None:
                continue
            trial = functools.partial(steps.try_pool, name)
            result, _ = run_searches({name: (search(steps.floor, limits), trial)}, str)[name]
            replayed = steps.replayed
            first = max(-(-steps.floor // STEP) * STEP, limits.least)
            windows = failing = 0
            if result.pool:
                windows = steps.whole * (1 if keeps_places(name) else len(window(result.pool)))
                failing = ruling_out(steps, name, first, result.pool)
            print(
                f"{name:<18}{result.pool or 0:>10,}{result.tried:>7}{replayed / 1e6:>10.1f}"
                f"{windows / 1e6:>9.1f}{(windows + failing) / 1e6:>8.1f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
