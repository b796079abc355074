"""A heap in emulation, and events on it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

import numpy as np

from emulation.counter import Counter, Counts, digest
from emulation.events import EVENT, Rows
from emulation.machine import PAGE, POOL, Machine
from emulation.targets import Target

__all__ = ["FAILED", "FREED", "REFUSED", "SKIPPED", "EmulatedHeap", "Form", "Replay"]

EVENTS, SLOTS, RESULTS = 0x3000_0000, 0x3800_0000, 0x3C00_0000
FAILED, FREED, SKIPPED, REFUSED = 0xFFFF_FFFF, 0xFFFF_FFFE, 0xFFFF_FFFD, 0xFFFF_FFFC


class Form(IntEnum):
    """hs_form_t"""

    AUTO = 0
    SMALL = 1
    WIDE = 2
    WORD = 3


@dataclass(frozen=True)
class Replay:
    """`results`, of each event: the block's offset, or FAILED, FREED, SKIPPED, REFUSED. `counts`:
    instructions of each event's call (0: skipped), `copying` those of memcpy, memmove and memset,
    which are not in `counts`."""

    results: Counts
    counts: Counts
    copying: Counts

    @property
    def failures(self) -> int:
        return int((self.results == FAILED).sum())

    @property
    def digest(self) -> str:
        return digest(self.results)


class EmulatedHeap:
    """A heap made by the image's code on `size` bytes of memory of its own."""

    def __init__(
        self,
        target: Target,
        image: Path,
        size: int,
        *,
        form: Form = Form.AUTO,
        alignment: int = 0,
        words_only: bool = False,
        counted: bool = True,
        events: int = 0,
    ) -> None:
        """`events`: how many replay() will be given. ValueError: the heap refused the region."""
        self.machine = Machine(target, image)
        self.machine.map(POOL, size)
        if words_only:
            self.machine.allow_words_only(POOL, size)
        self.counter = Counter(self.machine, max(events, 16)) if counted else None
        self.heap = self.machine.call("drive_create", POOL, size, form, alignment)
        if self.heap == 0:
            raise ValueError(f"hs_heap_create refuses {size} bytes, {form!r}, {alignment}")
        self.creation = int(self.counter.taken()[0].sum()) if self.counter else 0
        self._room: dict[int, int] = {}

    def replay(self, rows: Rows) -> Replay:
        """Each event by one call of the heap, from the image's own loop. May be called again: all
        blocks live on, and those whose slots are in the new events can still be freed by them."""
        machine, count = self.machine, len(rows)
        last = int(max(rows["slot"].max(), rows["after"].max())) if count else 0
        self._need(EVENTS, count * EVENT.itemsize)
        self._need(SLOTS, 4 * (last + 1))
        self._need(RESULTS, 4 * count)
        machine.write(EVENTS, np.ascontiguousarray(rows).tobytes())
        if self.counter is not None:
            self.counter.begin()
        machine.call("drive_events", self.heap, POOL, EVENTS, count, SLOTS, RESULTS)
        results = np.frombuffer(machine.read(RESULTS, 4 * count), "<u4").astype(np.uint32)
        counts, copying = (np.zeros(count, np.uint32) for _ in range(2))
        if self.counter is not None:
            built = np.flatnonzero(results != SKIPPED)
            counts[built], copying[built] = self.counter.taken()
        return Replay(results, counts, copying)

    def _need(self, start: int, size: int) -> None:
        """At least so much memory from there on; what is in it stays."""
        have = self._room.get(start, 0)
        if size > have:
            self.machine.map(start + have, size - have)
            self._room[start] = have + -(-(size - have) // PAGE) * PAGE
