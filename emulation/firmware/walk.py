"""The used blocks at the marks of a recording, to be held against the heap's own walk."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from heapscope.native.events import keep_events, take_events
from heapscope.native.reader import NativeReader
from heapscope.trace.feed import read_trace

__all__ = ["Walk", "printed_walks", "recorded_walks"]

WALK = re.compile(r"^walk [^:]+: (\d+) blocks, digest (\d+)$", re.MULTILINE)
ALLOCATIONS = (1, 2, 3)  # hs_event_kind_t
REALLOC, FREE, MARK = 4, 5, 7


@dataclass(frozen=True)
class Walk:
    """`digest`: of the blocks' addresses in ascending order, as the firmware makes it."""

    blocks: int
    digest: int


def walk_of(used: set[int]) -> Walk:
    digest = 0
    for address in sorted(used):
        digest = (digest * 31 + address) % (1 << 32)
    return Walk(len(used), digest)


def recorded_walks(recording: Path) -> Iterator[Walk]:
    """At each mark; of a recording whose begin is missing, at those after its first snapshot."""
    used: set[int] = set()
    with NativeReader() as reader:
        keep_events(reader)
        read_trace(recording, reader)
        for rows in take_events(reader):
            for row in rows:
                kind, key = int(row["kind"]), int(row["key"])
                if kind in ALLOCATIONS:
                    used.add(key)
                elif kind == REALLOC:
                    used.remove(key)
                    used.add(int(row["new_key"]))
                elif kind == FREE:
                    used.remove(key)
                elif kind == MARK:
                    yield walk_of(used)


def printed_walks(console: str) -> list[Walk]:
    return [Walk(int(blocks), int(digest)) for blocks, digest in WALK.findall(console)]
