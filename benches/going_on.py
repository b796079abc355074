"""Programs that go on for long, of which a part is recorded and the whole is known."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import numpy as np

from heapscope.native.events import NativeWriter, event_dtype
from heapscope.native.reader import NameTable

CLOCK, SITES = 2, 4
MALLOC, FREE, MARK = 1, 5, 7
HZ = 1000
ROUND = 500  # ticks of a round

Rows = list[tuple[int, int, int, int, int, int]]  # kind, key, size, task, site, time


class Program:
    """A program of rounds: a request is served with transient blocks, sessions come and go, and a
    fault does its work. `fault`: called with the program once a round."""

    def __init__(self, seed: int, fault: Callable[[Program], None]) -> None:
        self.draw = random.Random(seed)
        self.rows: Rows = []
        self.time = self.key = self.round = 0
        self._fault = fault
        self._sessions: list[int] = []
        for size in (2000, 512, 4096, 96, 1200):
            self.take(size, site=1)

    def take(self, size: int, *, site: int, task: int = 0) -> int:
        self.rows.append((MALLOC, self.key, size, task, site, self.time))
        self.key += 1
        return self.key - 1

    def drop(self, key: int, *, task: int = 0) -> None:
        self.rows.append((FREE, key, 0, task, 0, self.time))

    def play(self, *, marks: bool) -> None:
        """One more round."""
        self.time = self.round * ROUND
        if marks:
            self.rows.append((MARK, 0, 0, 0, 0, self.time))
        held = [self.take(self.draw.randrange(40, 900), site=2) for _ in range(6)]
        self.time += ROUND // 4
        self._fault(self)
        if self.draw.random() < 0.3 and len(self._sessions) < 6:
            self._sessions.append(self.take(self.draw.choice((600, 900, 1400)), site=3, task=1))
        self.time += ROUND // 4
        self.draw.shuffle(held)
        for key in held:
            self.drop(key)
        if self._sessions and self.draw.random() < 0.3:
            at = self.draw.randrange(len(self._sessions))
            self.drop(self._sessions.pop(at), task=1)
        self.round += 1


def write(path: Path, rows: Rows) -> Path:
    events = np.zeros(len(rows), dtype=event_dtype())
    for name, values in zip(
        ("kind", "key", "size", "task", "site", "time"), zip(*rows, strict=True), strict=True
    ):
        events[name] = values
    with NativeWriter(features=SITES | CLOCK) as writer:
        writer.metadata("clock_hz", str(HZ))
        writer.name(NameTable.MARK, 0, b"round")
        for site, name in enumerate(("start", "serve", "open_session", "fault"), start=1):
            writer.name(NameTable.SITE, site, name.encode())
        writer.events(events)
        writer.finish()
        path.write_bytes(b"".join(writer.take()))
    return path
