"""Events as a generator makes them, in order, as rows for the writer."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from tools.traces import Kind, write_trace

from heapscope.native.events import Events, event_dtype

__all__ = ["DMA", "TASKS", "Block", "Record"]

Block = int  #: its id

TASKS = ("main", "wifi", "tcpip")
DMA = 1 << 3 | 1 << 11  #: MALLOC_CAP_DMA | MALLOC_CAP_INTERNAL (esp_heap_caps.h)


class Record:
    def __init__(self) -> None:
        self.now = 0.0  #: milliseconds
        self.marks: list[str] = []
        self._rows: list[tuple[int, int, int, int, int, int]] = []
        self._blocks = 0

    def take(self, task: str, size: int, *, caps: int = 0) -> Block:
        self._add(self._blocks, size, task, caps, Kind.MALLOC)
        self._blocks += 1
        return self._blocks - 1

    def give(self, task: str, block: Block) -> None:
        self._add(block, 0, task, 0, Kind.FREE)

    def mark(self, name: str) -> None:
        self._add(len(self.marks), 0, "main", 0, Kind.MARK)
        self.marks.append(name)

    def _add(self, key: int, size: int, task: str, caps: int, kind: int) -> None:
        time = int(self.now * 1000)
        self._rows.append((key, size, time, TASKS.index(task), caps, kind))

    def events(self) -> Events:
        rows = np.zeros(len(self._rows), dtype=event_dtype())
        names = ("key", "size", "time", "task", "caps", "kind")
        for name, column in zip(names, zip(*self._rows, strict=True), strict=True):
            rows[name] = column
        return rows

    def write(self, out: Path, *, program: str, config: str) -> str:
        """Writes the trace, with what made it and the options; returns how many events it has."""
        events = self.events()
        metadata = {
            "clock_hz": "1000000",
            "source": "generated",
            "program": program,
            "config": config,
        }
        write_trace(out, events, metadata=metadata, tasks=TASKS, marks=self.marks)
        return f"{len(events)} events"
