"""Composes two captured traces into the demo's: a TLS client and a script engine on one chip.

    python workloads/captured/compose.py [OUT]

The tasks take turns in bursts, in proportion to their events, so that both end together. Marks
stand where the TLS client's own requests tell: it takes its two record buffers, the largest blocks
it ever asks for, whenever it connects.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from heapscope.base.output import open_output
from heapscope.native.events import Events, NativeWriter, event_dtype, keep_events, take_events
from heapscope.native.reader import NameTable, NativeReader
from heapscope.trace.feed import read_trace

HERE = Path(__file__).parent
DEMO = HERE / "demo.hst.zst"
BURST = 16  # events in a row of the task with the fewest; the others in proportion

# hs_event_kind_t
MALLOC, CALLOC, ALIGNED, REALLOC, MARK = 1, 2, 3, 4, 7


@dataclass(frozen=True)
class Part:
    task: str
    events: Events


def read_events(path: Path) -> Events:
    with NativeReader() as reader:
        keep_events(reader)
        read_trace(path, reader)
        return np.concatenate(list(take_events(reader)))


def is_allocation(events: Events) -> np.ndarray:
    return np.isin(events["kind"], (MALLOC, CALLOC, ALIGNED))


def connections(events: Events) -> list[int]:
    """Indices of the events at which the client takes its pair of record buffers."""
    sizes = np.where(is_allocation(events), events["size"], 0)
    largest = np.flatnonzero(sizes == sizes.max())
    return [int(i) for i, after in pairwise(largest) if after == i + 1]


def turns(parts: list[Part]) -> tuple[np.ndarray, np.ndarray]:
    """The order of all events: which part each is of, and its index there."""
    fewest = min(len(part.events) for part in parts)
    part_of, index_in, when = [], [], []
    for number, part in enumerate(parts):
        count = len(part.events)
        burst = max(1, round(BURST * count / fewest))
        index = np.arange(count)
        part_of.append(np.full(count, number))
        index_in.append(index)
        when.append(index // burst * burst / count)  # share of its events done before the burst
    order = np.lexsort((np.concatenate(index_in), np.concatenate(part_of), np.concatenate(when)))
    return np.concatenate(part_of)[order], np.concatenate(index_in)[order]


def interleave(parts: list[Part]) -> Events:
    """One stream with tasks 1, 2, ... and block ids in sequence."""
    part_of, index_in = turns(parts)
    merged = np.zeros(len(part_of), dtype=event_dtype())
    for number, part in enumerate(parts):
        merged[part_of == number] = part.events[index_in[part_of == number]]
    merged["task"] = part_of + 1
    ids = np.cumsum(is_allocation(merged)) - 1
    for number, part in enumerate(parts):
        mine = part_of == number
        renamed = np.zeros(int(part.events["key"].max()) + 1, dtype=np.uint64)
        allocated = mine & is_allocation(merged)
        renamed[merged["key"][allocated]] = ids[allocated]
        merged["key"][mine] = renamed[merged["key"][mine]]
    moved = merged["kind"] == REALLOC
    merged["new_key"][moved] = merged["key"][moved]
    return merged


def with_marks(parts: list[Part], merged: Events) -> tuple[Events, list[str]]:
    """Marks at the start, at each connection of the first part after its first, and at the end."""
    of_client = np.flatnonzero(merged["task"] == 1)
    reconnects = [int(of_client[i]) for i in connections(parts[0].events)[1:]]
    places = [0, *reconnects, len(merged)]
    names = ["start", *(f"reconnect {i + 1}" for i in range(len(reconnects))), "end"]
    marks = np.zeros(len(places), dtype=event_dtype())
    marks["kind"] = MARK
    marks["key"] = np.arange(len(places))
    marks["task"][1:-1] = 1
    return np.insert(merged, places, marks), names


def compose() -> bytes:
    """The bytes of the demo trace."""
    parts = [
        Part("aws_iot", read_events(HERE / "tls_rsa_cli.hst.zst")),
        Part("script", read_events(HERE / "duk_json.hst.zst")),
    ]
    events, marks = with_marks(parts, interleave(parts))
    with NativeWriter() as writer:
        writer.metadata("word_size", "4")
        writer.metadata("source", "composed")
        writer.metadata("program", "tls_rsa_cli as aws_iot, duk_json as script")
        for index, part in enumerate(parts):
            writer.name(NameTable.TASK, index + 1, part.task.encode())
        for index, name in enumerate(marks):
            writer.name(NameTable.MARK, index, name.encode())
        writer.events(events)
        writer.finish()
        return b"".join(writer.take())


if __name__ == "__main__":
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else DEMO
    with open_output(out) as write:
        write(compose())
