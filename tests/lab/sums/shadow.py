"""Random programs with more tasks, sites and failures than any view shows, and their recount."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np

from heapscope.native.events import NativeWriter, event_dtype
from heapscope.native.reader import NameTable

CLOCK, SITES = 2, 4
MALLOC, REALLOC, FREE, FAILED = 1, 4, 5, 6


class Event(NamedTuple):
    kind: int
    key: int
    size: int
    task: int
    site: int


@dataclass(frozen=True)
class Program:
    """`sites` and `tasks`: how many it has names for."""

    events: list[Event]
    tasks: int
    sites: int

    def task(self, index: int) -> str:
        return f"task{index}"

    def site(self, index: int) -> str:
        """The stack as it is shown, from the allocating function outwards."""
        return " ← ".join(reversed(self.stack(index)))

    def stack(self, index: int) -> list[str]:
        return ["main", f"part{index % 17}", f"f{index}"]


def program(seed: int, *, events: int, tasks: int, sites: int, live: int = 400) -> Program:
    """Allocations, reallocs and frees by tasks and sites of which few do most."""
    chance = random.Random(seed)
    built: list[Event] = []
    blocks: list[int] = []
    ids = 0
    for number in range(events):
        task = chance.randrange(tasks if chance.random() < 0.8 else 1 + tasks // 9)
        site = 1 + (number % sites if chance.random() < 0.7 else chance.randrange(sites))
        draw = chance.random()
        size = chance.choice((0x11, 24, 100, 700, 1500, 9000)) + chance.randrange(64)
        if draw < 0.02:
            built.append(Event(FAILED, 0, 500_000, task, site))
        elif not blocks or (draw < 0.6 and len(blocks) < live):
            built.append(Event(MALLOC, ids, size, task, site))
            blocks.append(ids)
            ids += 1
        elif draw < 0.7:
            built.append(Event(REALLOC, chance.choice(blocks), size, task, site))
        else:
            built.append(Event(FREE, blocks.pop(chance.randrange(len(blocks))), 0, task, 0))
    return Program(built, tasks, sites)


@dataclass
class Recount:
    """The bytes that each task and site held on a heap. They are worked out from the events and
    from which of them failed there. `placed` and `own` have the sizes of the live blocks, on the
    heap and in the recorded program."""

    live: Counter[tuple[str, int]] = field(default_factory=Counter)
    at_peak: Counter[tuple[str, int]] = field(default_factory=Counter)
    allocations: Counter[tuple[str, int]] = field(default_factory=Counter)
    failures: Counter[tuple[str, int]] = field(default_factory=Counter)
    failed_events: list[int] = field(default_factory=list)
    peaks: Counter[tuple[str, int]] = field(default_factory=Counter)
    placed: dict[int, int] = field(default_factory=dict)
    own: dict[int, int] = field(default_factory=dict)
    total: int = 0
    peak: int = 0

    def tell(self, events: list[Event], failed: set[int]) -> Recount:
        """`failed`: numbers of the requests that the heap refused."""
        blocks: dict[int, tuple[int, int, int]] = {}
        for number, event in enumerate(events):
            if event.kind == FAILED:
                continue
            old = blocks.get(event.key)
            if event.kind == FREE:
                del self.own[event.key]
            else:
                self.own[event.key] = event.size
            if number in failed:
                self.failed_events.append(number)
                self._count(self.failures, event, 1)
                continue
            if event.kind != MALLOC and old is None:
                continue  # the block was never placed
            if old is not None:
                del blocks[event.key]
                self._hold(*old, -1)
            if event.kind != FREE:
                blocks[event.key] = (event.size, event.task, event.site)
                self._hold(event.size, event.task, event.site, 1)
                self._count(self.allocations, event, 1)
            if self.total > self.peak:
                self.peak, self.at_peak = self.total, self.live.copy()
        self.placed = {key: size for key, (size, _, _) in blocks.items()}
        return self

    @property
    def not_placed(self) -> dict[int, int]:
        return {key: size for key, size in self.own.items() if key not in self.placed}

    def _hold(self, size: int, task: int, site: int, sign: int) -> None:
        self.total += sign * size
        for key in (("task", task), ("site", site)):
            self.live[key] += sign * size
            self.peaks[key] = max(self.peaks[key], self.live[key])

    @staticmethod
    def _count(counter: Counter[tuple[str, int]], event: Event, number: int) -> None:
        counter["task", event.task] += number
        counter["site", event.site] += number


def over(counter: Counter[tuple[str, int]], what: str) -> int:
    """The sum over all tasks or all sites."""
    return sum(value for (kind, _), value in counter.items() if kind == what)


def write(built: Program, path: Path) -> Path:
    rows = np.zeros(len(built.events), dtype=event_dtype())
    for name in Event._fields:
        rows[name] = [getattr(event, name) for event in built.events]
    kind = rows["kind"]
    rows["new_key"] = np.where(kind == REALLOC, rows["key"], np.where(kind == FAILED, MALLOC, 0))
    rows["time"] = 50 * np.arange(len(rows))
    with NativeWriter(features=CLOCK | SITES) as writer:
        writer.metadata("clock_hz", "1000000")
        for task in range(built.tasks):
            writer.name(NameTable.TASK, task, built.task(task).encode())
        for site in range(1, built.sites + 1):
            writer.name(NameTable.SITE, site, ";".join(built.stack(site)).encode())
        writer.events(rows)
        writer.finish()
        path.write_bytes(b"".join(writer.take()))
    return path
