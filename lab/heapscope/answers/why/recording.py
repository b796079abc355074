"""A trace held in memory, to be replayed again and again, as it is or with events changed."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from heapscope.answers.leaks.reading import Stays, what_stays
from heapscope.native.events import Events, NativeWriter, event_dtype, keep_events, take_events
from heapscope.native.reader import NameTable, NativeReader
from heapscope.trace.all_names import AllNames
from heapscope.trace.call_sites import site_names
from heapscope.trace.clock import Clock
from heapscope.trace.metadata import CLOCK_HZ, number
from heapscope.trace.names import heap_names, task_names
from heapscope.trace.whole import kept_trace

ADDRESSES = 1 << 0  # HS_TRACE_ADDRESSES: blocks are known by any number, not by sequence
CLOCK = 1 << 1  # HS_TRACE_CLOCK
SITES = 1 << 2  # HS_TRACE_SITES
ALLOCATIONS = (1, 2, 3)  #: malloc, calloc, aligned of hs_event_kind_t
REALLOC, FREE = 4, 5
HEAP_EVENTS = 6  # kinds 1 to 6
OWN = 0xFFFF_FFFE_0000_0000  # keys of blocks that changes put in front; no trace has them
UNUSED = 0xFFFF_FFFF_FFFF_FFF0  # a block that no trace has


@dataclass(frozen=True, kw_only=True)
class Edit:
    """Heap events put in front of all others, events that do nothing any more, and events with
    another size, other capabilities or another block. Numbers of heap events are those of the
    trace; with `front` every one of them is len(front) higher."""

    front: Events = field(default_factory=lambda: np.zeros(0, dtype=event_dtype()))
    blank: frozenset[int] = frozenset()
    sizes: dict[int, int] = field(default_factory=dict)
    caps: dict[int, int] = field(default_factory=dict)
    keys: dict[int, int] = field(default_factory=dict)


class Recording:
    """The decompressed bytes of a trace. `clock`: its rate and ends; None: it has none."""

    def __init__(self, blocks: list[bytes], clock: Clock | None = None) -> None:
        self._blocks = blocks
        self._clock = clock

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._blocks)

    def push(
        self, reader: NativeReader, *, edit: Edit | None = None, until: int | None = None
    ) -> None:
        """All of it, changed or not, into a new reader; at least all before the heap event `until`,
        where that is given. Damage was reported when it was first read."""
        for block in self._blocks if edit is None else self.edited(edit):
            reader.push(block)
            if until is not None and reader.health().events >= until:
                break
        reader.finish()

    @functools.cached_property
    def names(self) -> AllNames:
        """All of the trace's names."""
        with NativeReader() as reader:
            self.push(reader)
            return AllNames(
                tasks=task_names(reader.names(NameTable.TASK), whole=reader.whole),
                sites=site_names(reader.names(NameTable.SITE)),
                heaps=heap_names(reader.names(NameTable.HEAP)),
            )

    @functools.cached_property
    def stays(self) -> Stays:
        """The blocks that are live at the end, and whether they leak."""
        count = sum(int(are_heap_events(rows).sum()) for rows, _ in self.events())
        return what_stays(self.push, count)

    def events(self) -> Iterator[tuple[Events, np.ndarray]]:
        """All events in arrays, each with the number of its heap events; others get that of
        the next heap event and differ by their kind."""
        base = 0
        with NativeReader() as reader:
            keep_events(reader)
            for block in [*self._blocks, b""]:
                if block:
                    reader.push(block)
                else:
                    reader.finish()
                for rows in take_events(reader):
                    heap = are_heap_events(rows)
                    numbers = base + np.cumsum(heap) - heap
                    yield rows, numbers
                    base += int(heap.sum())

    @functools.cached_property
    def own_key(self) -> int:
        """The key of a block that a change may put in front, and all keys behind it: neither the
        trace nor a change that was made to it before has them."""
        most = OWN - 1
        for rows, _ in self.events():
            for name in ("key", "new_key"):
                own = rows[name][(rows[name] >= OWN) & (rows[name] < UNUSED)]
                most = max(most, int(own.max(initial=most)))
        return most + 1

    def clock(self, events: Iterable[int]) -> Clock | None:
        """The trace's clock at these events."""
        if self._clock is None:
            return None
        named = sorted(set(events))
        times = tuple(int(self._times[event]) for event in named)
        return replace(self._clock, events=tuple(named), times=times)

    @functools.cached_property
    def _times(self) -> np.ndarray:
        """Ticks, by the number of the heap event."""
        results = [rows["time"][are_heap_events(rows)] for rows, _ in self.events()]
        return np.concatenate(results) if results else np.zeros(0, dtype=np.uint64)

    def edited(self, edit: Edit) -> Iterator[bytes]:
        """The bytes of the changed trace. Bounded memory beside the trace itself."""
        with contextlib.ExitStack() as stack:
            names = stack.enter_context(NativeReader())
            self.push(names)
            clock = int(names.health().features) & CLOCK
            writer = stack.enter_context(NativeWriter(features=ADDRESSES | SITES | clock))
            rate = number(names.metadata(), CLOCK_HZ)
            if clock and rate:
                writer.metadata(CLOCK_HZ, str(rate))
            for table in NameTable:
                for index, name in names.names(table).items():
                    if name:
                        writer.name(table, index, name)
            writer.events(edit.front)
            for rows, numbers in self.events():
                writer.events(_changed(rows, numbers, edit))
                yield from writer.take()
            writer.finish()
            yield from writer.take()


def _changed(rows: Events, numbers: np.ndarray, edit: Edit) -> Events:
    rows = rows.copy()
    heap = are_heap_events(rows)
    for name, values in (("size", edit.sizes), ("caps", edit.caps), ("key", edit.keys)):
        if values:
            at = np.flatnonzero(heap & np.isin(numbers, list(values)))
            rows[name][at] = [values[int(number)] for number in numbers[at]]
    if edit.blank:
        gone = heap & np.isin(numbers, list(edit.blank))
        rows["kind"][gone], rows["key"][gone], rows["size"][gone] = FREE, UNUSED, 0
    return rows


def are_heap_events(rows: Events) -> np.ndarray:
    return (rows["kind"] >= 1) & (rows["kind"] <= HEAP_EVENTS)


def read_recording(path: str | Path, *, clock: Clock | None = None) -> Recording:
    """`clock`: of a replay. InputError for what cannot be opened."""
    return Recording(kept_trace(path), clock)
