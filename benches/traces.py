"""The traces that benchmarks run on: the captured ones, repeated to a length that can be timed."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from heapscope.native.events import Events, NativeWriter, keep_events, take_events
from heapscope.native.reader import NativeReader
from heapscope.trace.feed import read_trace

ROOT = Path(__file__).parents[1]
FOLDERS = (ROOT / "studies" / "workloads" / "captured", ROOT / "tests" / "oracle" / "traces")
LENGTH = 3_000_000  # events
ALLOCATIONS, REALLOC = (1, 2, 3), 4  # hs_event_kind_t


#: One of each kind of program, and one that no program makes.
NAMES = ("tls_rsa_cli", "duk_json", "mix_gateway", "lua", "gateway", "syn_mixed")


def paths() -> list[Path]:
    result = {name(path): path for folder in FOLDERS for path in folder.glob("*.hst*")}
    return [result[wanted] for wanted in NAMES]


def name(path: Path) -> str:
    return path.name.partition(".")[0]


def repeated(path: Path, length: int = LENGTH) -> tuple[bytes, int]:
    """The trace again and again as one, ids going on, to about `length` events; and how many heap
    events that is."""
    with NativeReader() as reader:
        keep_events(reader)
        read_trace(path, reader)
        events = np.concatenate(list(take_events(reader)))
    events = events[events["kind"] <= 6]
    rounds = max(1, length // len(events))
    ids = int(np.isin(events["kind"], ALLOCATIONS).sum())
    with NativeWriter() as writer:
        for number in range(rounds):
            writer.events(_shifted(events, number * ids))
        writer.finish()
        return b"".join(writer.take()), rounds * len(events)


def _shifted(events: Events, by: int) -> Events:
    later = events.copy()
    later["key"] += np.uint64(by)
    later["new_key"][events["kind"] == REALLOC] += np.uint64(by)
    return later
