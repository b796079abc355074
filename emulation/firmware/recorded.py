"""The events of a recording, to be held against what the firmware did."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from heapscope.native.events import keep_events, take_events
from heapscope.native.reader import NameTable, NativeReader
from heapscope.trace.feed import read_trace

__all__ = ["Recorded", "Walk", "printed_walks", "read_recorded"]

WALK = re.compile(r"^walk [^:]+: (\d+) blocks, digest (\d+)$", re.MULTILINE)
#: hs_event_kind_t
ALLOCATIONS = (1, 2, 3)
REALLOC, FREE, FAILED, MARK, TASK_START, TASK_END, TASK_ON = 4, 5, 6, 7, 8, 9, 16


@dataclass(frozen=True)
class Walk:
    """`digest`: of the used blocks' addresses in ascending order, as the firmware makes it."""

    blocks: int
    digest: int


@dataclass
class Recorded:
    """`walks`: the used blocks at each mark; of a recording whose begin is missing, at those after
    its first snapshot. `interrupts`: allocations in them. Tasks by name, in their order."""

    walks: list[Walk] = field(default_factory=list)
    allocations: int = 0
    interrupts: int = 0
    failed: int = 0
    started: list[str] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)


def walk_of(used: set[int]) -> Walk:
    digest = 0
    for address in sorted(used):
        digest = (digest * 31 + address) % (1 << 32)
    return Walk(len(used), digest)


def read_recorded(recording: Path) -> Recorded:
    held, used, interrupts = Recorded(), set[int](), set[int]()
    with NativeReader() as reader:
        keep_events(reader)
        read_trace(recording, reader)
        names = {key: (name or b"").decode() for key, name in reader.names(NameTable.TASK).items()}
        for rows in take_events(reader):
            columns = (rows[name].tolist() for name in ("kind", "key", "new_key", "size", "task"))
            for kind, key, new_key, size, task in zip(*columns, strict=True):
                if kind in ALLOCATIONS:
                    used.add(key)
                    held.allocations += 1
                    held.interrupts += task in interrupts
                elif kind == REALLOC:
                    used.remove(key)
                    used.add(new_key)
                elif kind == FREE:
                    used.remove(key)
                elif kind == FAILED:
                    held.failed += 1
                elif kind == MARK:
                    held.walks.append(walk_of(used))
                elif kind == TASK_ON and size == 1:
                    interrupts.add(key)
                elif kind in (TASK_START, TASK_END):
                    (held.started if kind == TASK_START else held.ended).append(names[key])
    return held


def printed_walks(console: str) -> list[Walk]:
    return [Walk(int(blocks), int(digest)) for blocks, digest in WALK.findall(console)]
