"""Runs the workloads' scripts and reads the traces that they make."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from needs import MissingError

from heapscope.native.events import Events, event_dtype, keep_events, take_events
from heapscope.native.reader import NameTable, NativeReader
from heapscope.trace.feed import read_trace

ROOT = Path(__file__).parents[3]
WORKLOADS = ROOT / "studies" / "workloads"
MISSING = 3  # exit code of studies/workloads/make.py

MALLOC, CALLOC, ALIGNED, REALLOC, FREE, FAILED, MARK = range(1, 8)


@dataclass(frozen=True)
class Recording:
    events: Events
    tasks: tuple[bytes | None, ...]
    marks: tuple[bytes | None, ...]
    metadata: dict[str, bytes]

    def live(self) -> np.ndarray:
        """Bytes of all live blocks after each event."""
        kind, key, size = (self.events[name] for name in ("kind", "key", "size"))
        change = np.zeros(len(self.events), dtype=np.int64)
        held: dict[int, int] = {}
        for i in np.flatnonzero(kind != MARK):
            block, before = int(key[i]), held.get(int(key[i]), 0)
            held[block] = int(size[i])  # 0 for a free
            change[i] = held[block] - before
        return np.cumsum(change)

    def place(self, mark: str) -> int:
        """The index of a mark's event."""
        result = self.events["kind"] == MARK
        result &= self.events["key"] == self.marks.index(mark.encode())
        return int(np.flatnonzero(result)[0])

    def requests(self, first: str, last: str) -> int:
        """Allocations and reallocations between two marks."""
        kinds = self.events["kind"][self.place(first) : self.place(last)]
        return int(np.isin(kinds, (MALLOC, CALLOC, ALIGNED, REALLOC)).sum())


def _names(reader: NativeReader, table: NameTable) -> tuple[bytes | None, ...]:
    names = reader.names(table)
    return tuple(names.get(index) for index in range(max(names, default=-1) + 1))


def read_recording(path: Path) -> Recording:
    with NativeReader() as reader:
        keep_events(reader)
        health = read_trace(path, reader)
        assert health.ended
        rows = list(take_events(reader))
        return Recording(
            events=np.concatenate(rows) if rows else np.zeros(0, dtype=event_dtype()),
            tasks=_names(reader, NameTable.TASK),
            marks=_names(reader, NameTable.MARK),
            metadata=reader.metadata(),
        )


Script = Callable[..., str]


@pytest.fixture
def script() -> Script:
    """script("synthetic/make.py", ...): what it prints. MissingError: the script misses a tool."""

    def run(name: str, *arguments: str | Path) -> str:
        command = [sys.executable, str(WORKLOADS / name), *map(str, arguments)]
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )
        if done.returncode == MISSING:
            raise MissingError(done.stderr.strip())
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run
