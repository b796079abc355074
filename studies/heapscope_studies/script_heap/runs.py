"""The week on allocators, with the script on the shared heap and on its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heapscope.answers.fit.limits import find_limits
from heapscope.memory.layout.allocator import placements
from heapscope_studies.data_file import read_published
from heapscope_studies.script_heap.parts import BASE, Tenants
from heapscope_studies.script_heap.schedule import Week
from heapscope_studies.week import Actor, NativeWeek, WeekHeap, WeekTotals

PUBLISHED = read_published("script_heap")
TWINS = ("heapscope-wide", "idf-4.3.2-host")  #: of these sizes as others: form, and a build
EXTERNAL = PUBLISHED["chip"]["external_kb"] * 1024
WORKERS = 2


@dataclass(frozen=True, kw_only=True)
class Arrangement:
    """`private` None: the script is on the shared heap."""

    shared: str
    private: str | None = None
    size: int = 0  # of the private heap, bytes

    @property
    def name(self) -> str:
        if self.private is None:
            return f"{self.shared}, shared"
        return f"{self.private}, private"

    @property
    def serving(self) -> str:
        """The allocator that the script asks."""
        return self.private or self.shared

    @property
    def heap(self) -> int:
        """Which heap the script is on."""
        return 0 if self.private is None else 1

    def heaps(self) -> tuple[WeekHeap, ...]:
        if self.private is None:
            return (WeekHeap(allocator=self.shared, size=EXTERNAL, base=BASE),)
        left = EXTERNAL - self.size
        return (
            WeekHeap(allocator=self.shared, size=min(left, largest(self.shared, left)), base=BASE),
            WeekHeap(allocator=self.private, size=self.size, base=BASE + left),
        )


@dataclass(frozen=True, kw_only=True)
class Played:
    """One week: its rows (TURN_ROW) beside the schedule's turns."""

    arrangement: Arrangement
    week: Week
    rows: NDArray[np.void]
    totals: WeekTotals

    @property
    def failures(self) -> int:
        return int(self.rows["failures"].sum())

    def calls(self) -> NDArray[np.int64]:
        """The script's calls to its heap, turn by turn."""
        return sum(
            (self.rows[name].astype(np.int64) for name in ("mallocs", "frees", "reallocs")),
            np.zeros(len(self.rows), np.int64),
        )

    def heap(self, field: str) -> NDArray[np.int64]:
        """A field of the heap that the script is on; only where it was looked at."""
        values: NDArray[np.int64] = self.rows[field][:, self.arrangement.heap].astype(np.int64)
        return values


def largest(allocator: str, most: int) -> int:
    """The most bytes, up to `most`, that it makes one heap of."""
    limits = find_limits(allocator, BASE, most)
    return 0 if limits is None else limits.most


def arrangements() -> tuple[Arrangement, ...]:
    """Shared and private for every allocator that can have the heap; those that cannot have the
    external RAM as one heap have only the private one, beside the published shared heap."""
    published = PUBLISHED["published"]
    built = []
    for name in placements():
        if name in TWINS or "-fl" in name:
            continue
        shared = largest(name, EXTERNAL) == EXTERNAL
        if shared:
            built.append(Arrangement(shared=name))
        size = min(published["heap_size"], largest(name, published["heap_size"]))
        built.append(
            Arrangement(shared=name if shared else published["shared"], private=name, size=size)
        )
    return tuple(built)


def published_pair() -> tuple[Arrangement, Arrangement]:
    """The published arrangement before the change, and after it."""
    published = PUBLISHED["published"]
    name = published["private"]
    size = min(published["heap_size"], largest(name, published["heap_size"]))
    before = Arrangement(shared=published["shared"])
    return before, Arrangement(shared=before.shared, private=name, size=size)


def play(tenants: Tenants, week: Week, arrangement: Arrangement) -> Played:
    script = tenants.script.mask("script")
    apart = 0 if arrangement.private is None else script
    actors = [
        Actor(trace=tenants.script.steps, apart=apart, watched=script),
        Actor(trace=tenants.tls.steps),
        Actor(trace=tenants.network.steps),
    ]
    with NativeWeek(actors, arrangement.heaps()) as native:
        rows = native.play(week.turns)
        return Played(arrangement=arrangement, week=week, rows=rows, totals=native.totals())


def play_all(
    tenants: Tenants, week: Week, plans: Sequence[Arrangement], done: Callable[[], None]
) -> list[Played]:
    """In order, on two cores."""

    def one(arrangement: Arrangement) -> Played:
        played = play(tenants, week, arrangement)
        done()
        return played

    with ThreadPoolExecutor(WORKERS) as pool:
        return list(pool.map(one, plans))
