"""The records of a heap trace as events in an order that their addresses allow.

The text has the allocations in their order, and of a free only that it happened. So:

- A free stands as late as the addresses allow: before the first later allocation that overlaps its
  block, or at the end. Live bytes are then an upper bound, blocks never overlap.
- A block whose free and a later allocation name the same callers was moved or resized there: a call
  site is either of free() or of malloc(), only realloc() is both. If there are several such blocks,
  the one at the same address is taken, or else the latest.
- An allocation over a block that the text never frees (its free was not traced) frees it first.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from heapscope.base.capabilities import SPIRAM
from heapscope.base.rows.figure import figure
from heapscope.base.rows.row import Row
from heapscope.logs.esp_idf.heap_trace import HeapTrace
from heapscope.native.events import Events, event_dtype

_MALLOC, _REALLOC, _FREE = 1, 4, 5  # hs_event_kind_t
_WRAP = 1 << 32
_BACKWARDS = 0xF000_0000  # a step above it is one back: of tasks that were interrupted in between

Columns = tuple[int, int, int, int, int, int, int]  # kind, key, new_key, size, time, site, caps


class OrderedCounts(Row):
    """The events that a heap trace became."""

    allocations: int = figure("Allocations written.")
    reallocs: int = figure(
        "Reallocs written, recognised by equal callers of a free and an allocation."
    )
    frees: int = figure("Frees written, those implied included.")
    implied_frees: int = figure(
        "Those of blocks that a later one overwrites without a free in the text."
    )
    duplicates: int = figure("Records that came twice.")
    alive: int = figure("Blocks not freed.")
    alive_bytes: int = figure("Bytes not freed.", "B")
    peak_least: int = figure("Live bytes at most, if all frees came as early as possible.", "B")
    peak_most: int = figure(
        "Live bytes at most, as written: frees as late as the addresses allow.", "B"
    )
    clock: bool = figure(
        "The events have times: cycles of the one CPU that allocated; the counters of several "
        "differ."
    )


@dataclass(frozen=True, kw_only=True)
class Ordered:
    events: Events
    counts: OrderedCounts
    shift: int  # all addresses are multiples of 1 << shift
    alive_by_site: tuple[tuple[int, int, int], ...]  # (site, blocks, bytes), most bytes first


def in_order(trace: HeapTrace) -> Ordered:
    return _Walk(trace).result()


class _Walk:
    def __init__(self, trace: HeapTrace) -> None:
        self._trace = trace
        self._live: dict[int, int] = {}  # address: record
        self._starts: list[int] = []  # the same addresses, sorted
        self._moving: dict[int, list[int]] = {}  # call site: records that it freed
        self._rows: list[Columns] = []
        self._time = 0
        self._last_count: int | None = None
        self._bytes = self._peak = 0
        self._reallocs = self._implied = self._duplicates = 0
        self._clock = len(set(trace.cpu)) == 1

    def result(self) -> Ordered:
        trace, records = self._trace, list(self._records())
        for record in records:
            self._allocate(record)
        freed = [record for record in self._live.values() if trace.freed[record]]
        for record in sorted(freed):
            self._free(record)
        kinds = [row[0] for row in self._rows]
        counts = OrderedCounts(
            clock=self._clock,
            allocations=kinds.count(_MALLOC),
            reallocs=self._reallocs,
            frees=kinds.count(_FREE),
            implied_frees=self._implied,
            duplicates=self._duplicates,
            alive=len(self._live),
            alive_bytes=sum(trace.size[record] for record in self._live.values()),
            peak_least=self._early_peak(records),
            peak_most=self._peak,
        )
        return Ordered(
            events=self._events(),
            counts=counts,
            shift=2 if all(address % 4 == 0 for address in trace.address) else 0,
            alive_by_site=self._by_site(),
        )

    def _by_site(self) -> tuple[tuple[int, int, int], ...]:
        sums: dict[int, tuple[int, int]] = {}
        for record in self._live.values():
            blocks, size = sums.get(self._trace.site[record], (0, 0))
            sums[self._trace.site[record]] = (blocks + 1, size + self._trace.size[record])
        rows = ((site, blocks, size) for site, (blocks, size) in sums.items())
        return tuple(sorted(rows, key=lambda row: (-row[2], row[0])))

    def _early_peak(self, records: list[int]) -> int:
        """Live bytes when every block that is freed is freed at once. Called at the end."""
        peak = kept = 0
        left = set(self._live.values())
        for record in records:
            peak = max(peak, kept + self._trace.size[record])
            kept += self._trace.size[record] if record in left else 0
        return peak

    def _records(self) -> Iterator[int]:
        trace, seen = self._trace, set()
        for record in range(len(trace)):
            key = (trace.address[record], trace.size[record], trace.ccount[record])
            if key in seen:
                self._duplicates += 1
                continue
            seen.add(key)
            yield record

    def _allocate(self, record: int) -> None:
        trace = self._trace
        address, size = trace.address[record], trace.size[record]
        self._tick(trace.ccount[record])
        old = self._moved(record)
        if old is not None:
            self._remove(old)
        for other in self._overlapping(address, size):
            self._implied += not trace.freed[other]
            self._free(other)
        caps = SPIRAM if trace.psram[record] else 0
        kind, key = (_MALLOC, address) if old is None else (_REALLOC, trace.address[old])
        self._reallocs += old is not None
        self._rows.append((kind, key, address, size, self._time, trace.site[record], caps))
        self._insert(record)

    def _tick(self, count: int) -> None:
        """Cycles from the first record. A pause of more than 2^32 of them cannot be seen."""
        if self._last_count is not None:
            step = (count - self._last_count) % _WRAP
            if step >= _BACKWARDS:
                return
            self._time += step
        self._last_count = count

    def _moved(self, record: int) -> int | None:
        """The block that became this one."""
        trace, site = self._trace, self._trace.site[record]
        if not site:
            return None
        same = self._live.get(trace.address[record])
        if same is not None and trace.freed_site[same] == site:
            return same
        waiting = self._moving.get(site, [])
        while waiting:
            old = waiting.pop()
            if self._live.get(trace.address[old]) == old:
                return old
        return None

    def _overlapping(self, address: int, size: int) -> list[int]:
        """Live blocks do not overlap, so that only one below can reach up to here."""
        end = address + max(size, 1)
        at = bisect_left(self._starts, address)
        results = []
        if at and self._end(self._live[self._starts[at - 1]]) > address:
            results.append(self._live[self._starts[at - 1]])
        while at < len(self._starts) and self._starts[at] < end:
            results.append(self._live[self._starts[at]])
            at += 1
        return results

    def _end(self, record: int) -> int:
        return self._trace.address[record] + max(self._trace.size[record], 1)

    def _insert(self, record: int) -> None:
        trace = self._trace
        address, size = trace.address[record], trace.size[record]
        self._live[address] = record
        insort(self._starts, address)
        if trace.freed_site[record]:
            self._moving.setdefault(trace.freed_site[record], []).append(record)
        self._bytes += size
        self._peak = max(self._peak, self._bytes)

    def _remove(self, record: int) -> None:
        address = self._trace.address[record]
        del self._live[address]
        del self._starts[bisect_left(self._starts, address)]
        self._bytes -= self._trace.size[record]

    def _free(self, record: int) -> None:
        self._remove(record)
        self._rows.append((_FREE, self._trace.address[record], 0, 0, self._time, 0, 0))

    def _events(self) -> Events:
        events = np.zeros(len(self._rows), dtype=event_dtype())
        if self._rows:
            columns = ("kind", "key", "new_key", "size", "time", "site", "caps")
            for name, column in zip(columns, np.array(self._rows, dtype=np.uint64).T, strict=True):
                events[name] = column
        events["new_key"][events["kind"] != _REALLOC] = 0
        if not self._clock:
            events["time"] = 0
        return events
