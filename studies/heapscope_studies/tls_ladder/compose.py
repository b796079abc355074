"""Three tasks as one trace: the TLS client's events laid into the time of the network's.

Both traces have the same connections. A handshake's events are spread over the time in which it
computes, those of the messages over the time in which the connection is open, and what is between
two connections over the pause. The client of the study sends short messages; what ours allocates
for longer ones is left out unless it is asked for.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from heapscope.layout import capabilities
from heapscope.native.events import Events, NativeWriter, event_dtype, keep_events, take_events
from heapscope.native.reader import NameTable, NativeReader
from heapscope.trace.feed import read_trace

TASKS = ("main", "wifi", "tcpip", "aws_iot")
CLIENT = TASKS.index("aws_iot")
RECORD = 29  # bytes of a record around its content: header, nonce, tag
#: hs_event_kind_t
ALLOCATIONS, FREE, MARK = (1, 2, 3), 5, 7


@dataclass(frozen=True)
class Recorded:
    events: Events
    marks: tuple[str, ...]

    def places(self) -> dict[str, int]:
        """Indices of the events that are marks, by their names."""
        found = np.flatnonzero(self.events["kind"] == MARK)
        return {self.marks[int(self.events["key"][i])]: int(i) for i in found}


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
    marks = tuple((name or b"").decode() for name in names)
    return Recorded(np.concatenate(rows) if rows else np.zeros(0, dtype=event_dtype()), marks)


def composed(tls: Path, network: Path, *, iram_from: int = 0, message: int | None = None) -> bytes:
    """The bytes of the trace. `iram_from`: the client asks for IRAM for blocks of so many bytes and
    more; 0: never. `message`: the longest message of an open connection, None: any."""
    client, net = read_recorded(tls), read_recorded(network)
    events = client.events.copy()
    events["time"] = _times(client, net)
    events["task"] = CLIENT
    keep = events["kind"] != MARK
    if message is not None:
        keep &= ~_longer(client, message + RECORD)
    events = events[keep]
    if iram_from:
        large = np.isin(events["kind"], ALLOCATIONS) & (events["size"] >= iram_from)
        events["caps"][large] = capabilities.IRAM_EIGHT_BIT
    events["key"] += net.events["key"].max() + np.uint64(1)
    merged = np.concatenate([net.events, events])
    merged = merged[np.argsort(merged["time"], kind="stable")]
    return _written(_numbered(merged), net.marks)


def _times(client: Recorded, net: Recorded) -> NDArray[np.uint64]:
    """The time of each of the client's events, on the network's clock."""
    times = np.zeros(len(client.events), dtype=np.uint64)
    for first, last, begin, end in _spans(client, net):
        times[first:last] = np.linspace(begin, end, last - first, endpoint=False).astype(np.uint64)
    return times


def _spans(client: Recorded, net: Recorded) -> Iterator[tuple[int, int, int, int]]:
    """Ranges of the client's events, and when the network has them begin and end."""
    here = client.places()
    when = {name: int(net.events["time"][i]) for name, i in net.places().items()}
    before, idle = 0, 0
    number = 1
    while f"connect {number}" in here:
        connect, connected, closed = (
            here[f"{what} {number}"] for what in ("connect", "connected", "closed")
        )
        yield before, connect, idle, when[f"connect {number}"]
        yield connect, connected, when[f"answered {number}"], when[f"computed {number}"]
        yield connected, closed, when[f"connected {number}"], when[f"closed {number}"]
        before, idle = closed, when[f"closed {number}"]
        number += 1
    yield before, len(client.events), idle, when["end"]


def _longer(client: Recorded, size: int) -> NDArray[np.bool_]:
    """Which events are of blocks above a size that an open connection asked for."""
    events, places = client.events, client.places()
    opened = np.zeros(len(events), dtype=bool)
    for name, first in places.items():
        what, _, number = name.partition(" ")
        if what == "connected":
            opened[first : places[f"closed {number}"]] = True
    made = opened & np.isin(events["kind"], ALLOCATIONS) & (events["size"] > size)
    longer: NDArray[np.bool_] = np.isin(events["key"], events["key"][made])
    longer[events["kind"] == MARK] = False
    return longer


def _numbered(events: Events) -> Events:
    """With the ids of blocks in sequence, as the format has them."""
    made = np.isin(events["kind"], ALLOCATIONS)
    blocks = events["kind"] != MARK
    renamed = np.zeros(int(events["key"].max()) + 1, dtype=np.uint64)
    renamed[events["key"][made]] = np.arange(made.sum())
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
