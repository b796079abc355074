"""Three tasks as one trace: the TLS client's events laid into the time of the network's.

A handshake's events are spread over the time in which it computes, those of the messages over the
time in which the connection is open, and what is between two connections over the pause. The
client's events after the last connection that the network has are left out. Sizes are rounded up to
words, which are what the study's count has and what its heap takes.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from heapscope.base import capabilities
from heapscope.native.events import Events, NativeWriter, event_dtype, keep_events, take_events
from heapscope.native.reader import NameTable, NativeReader
from heapscope.trace.feed import read_trace

TASKS = ("main", "wifi", "tcpip", "aws_iot")
CLIENT = TASKS.index("aws_iot")
WORD = 4
#: hs_event_kind_t
ALLOCATIONS, FREE, MARK = (1, 2, 3), 5, 7


@dataclass(frozen=True)
class Recorded:
    events: Events
    marks: tuple[str, ...]

    def places(self) -> dict[str, int]:
        """Indices of the events that are marks, by their names."""
        result = np.flatnonzero(self.events["kind"] == MARK)
        return {self.marks[int(self.events["key"][i])]: int(i) for i in result}


def read_recorded(path: Path) -> Recorded:
    return _read(path, path.stat().st_mtime_ns)


@functools.lru_cache(maxsize=16)
def _read(path: Path, changed: int) -> Recorded:
    """`changed`: when the file was."""
    with NativeReader() as reader:
        keep_events(reader)
        read_trace(path, reader)
        rows = list(take_events(reader))
        names = reader.names(NameTable.MARK)
    marks = tuple((names.get(index) or b"").decode() for index in range(max(names, default=-1) + 1))
    return Recorded(np.concatenate(rows) if rows else np.zeros(0, dtype=event_dtype()), marks)


def composed(tls: Path, network: Path, *, iram_from: int = 0) -> bytes:
    """The bytes of the trace. `iram_from`: the client asks for IRAM for blocks of so many bytes and
    more; 0: never."""
    client, net = read_recorded(tls), read_recorded(network)
    spans = list(_spans(client, net))
    events = client.events[: spans[-1][1]].copy()
    for first, last, begin, end in spans:
        times = np.linspace(begin, end, last - first, endpoint=False)
        events["time"][first:last] = times.astype(np.uint64)
    events["task"] = CLIENT
    events = events[events["kind"] != MARK]
    if iram_from:
        large = np.isin(events["kind"], ALLOCATIONS) & (events["size"] >= iram_from)
        events["caps"][large] = capabilities.IRAM_EIGHT_BIT
    events["key"] += net.events["key"].max() + np.uint64(1)
    merged = np.concatenate([net.events, events])
    merged = merged[np.argsort(merged["time"], kind="stable")]
    merged["size"] = (merged["size"] + (WORD - 1)) // WORD * WORD
    return _written(_numbered(merged), net.marks)


def _spans(client: Recorded, net: Recorded) -> Iterator[tuple[int, int, int, int]]:
    """Ranges of the client's events, and when the network has them begin and end."""
    here = client.places()
    when = {name: int(net.events["time"][i]) for name, i in net.places().items()}
    before, idle = 0, 0
    number = 1
    while f"connect {number}" in here and f"connect {number}" in when:
        connect, connected, closed = (
            here[f"{what} {number}"] for what in ("connect", "connected", "closed")
        )
        yield before, connect, idle, when[f"connect {number}"]
        yield connect, connected, when[f"answered {number}"], when[f"computed {number}"]
        yield connected, closed, when[f"connected {number}"], when[f"closed {number}"]
        before, idle = closed, when[f"closed {number}"]
        number += 1
    last = here.get(f"connect {number}", len(client.events))
    yield before, last, idle, when["end"]


def _numbered(events: Events) -> Events:
    """With the ids of blocks in sequence, as the format has them."""
    built = np.isin(events["kind"], ALLOCATIONS)
    blocks = events["kind"] != MARK
    renamed = np.zeros(int(events["key"].max()) + 1, dtype=np.uint64)
    renamed[events["key"][built]] = np.arange(built.sum())
    events["key"][blocks] = renamed[events["key"][blocks]]
    return events


def _written(events: Events, marks: tuple[str, ...]) -> bytes:
    with NativeWriter() as writer:
        writer.metadata("word_size", "4")
        writer.metadata("source", "composed")
        for index, task in enumerate(TASKS):
            writer.name(NameTable.TASK, index, task.encode())
        for index, mark in enumerate(marks):
            writer.name(NameTable.MARK, index, mark.encode())
        writer.events(events)
        writer.finish()
        return b"".join(writer.take())
