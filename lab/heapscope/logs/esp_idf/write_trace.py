"""A heap trace out of a log as a .hst file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from heapscope.base.output import Write, open_output
from heapscope.base.version import __version__
from heapscope.logs.esp_idf.frames import Frames
from heapscope.logs.esp_idf.heap_trace import HeapTrace
from heapscope.logs.esp_idf.order import Ordered
from heapscope.native.events import Events, NativeWriter, event_dtype
from heapscope.native.log import Fact
from heapscope.native.reader import NameTable
from heapscope.trace.metadata import CLOCK_HZ, PROGRAM, RECORDER, SOURCE, WORD_SIZE
from heapscope.trace.source import STDIN

SOURCE_NAME = "esp-idf-log"  #: value of the trace's metadata key "source"

_ADDRESSES, _CLOCK, _SITES = 1, 2, 4  # HS_TRACE_*
_MALLOC, _CALLOC, _ALIGNED, _FAILED, _MARK, _LOST = 1, 2, 3, 6, 7, 10  # hs_event_kind_t
_DUMPED = b"heap trace dumped"  # the one mark: what follows has no place among the allocations
_ORDER = "allocations as recorded; frees as late as addresses allow; failed requests at the end"


def write_trace(
    out: str | Path,
    trace: HeapTrace,
    ordered: Ordered,
    *,
    failed: Sequence[Fact],
    frames: Frames,
    facts: dict[str, str],
    file: str | Path,
) -> int:
    """Writes `out`, whole or not at all; returns the bytes before compression. `facts` go into the
    metadata; empty ones are left out."""
    features = _ADDRESSES | _SITES | (_CLOCK if ordered.counts.clock else 0)
    with (
        NativeWriter(features=features, address_shift=ordered.shift) as writer,
        open_output(out, inputs=() if str(file) == STDIN else (file,)) as write,
    ):
        _describe(writer, facts, trace, ordered, file)
        writer.name(NameTable.TASK, 0, b"not told")
        for index, callers in enumerate(trace.sites[1:], 1):
            writer.name(NameTable.SITE, index, frames.site(callers))
        writer.events(_lost(trace))
        writer.events(ordered.events)
        last = ordered.events["time"][-1] if len(ordered.events) else 0
        writer.name(NameTable.MARK, 0, _DUMPED)
        writer.events(_after(failed, int(last)))
        writer.finish()
        return _drain(writer, write)


def _describe(
    writer: NativeWriter,
    facts: dict[str, str],
    trace: HeapTrace,
    ordered: Ordered,
    file: str | Path,
) -> None:
    own = {
        WORD_SIZE: "4",
        SOURCE: SOURCE_NAME,
        RECORDER: f"heapscope {__version__}",
        PROGRAM: "" if str(file) == STDIN else Path(file).stem,
        "heap_trace_mode": trace.mode,
        "order": _ORDER,
        "tasks": "not told by this source",
        "capabilities": "not told by this source, taken as malloc's",
    }
    for key, value in (own | facts).items():
        if value and (key != CLOCK_HZ or ordered.counts.clock):
            writer.metadata(key, value)


def _lost(trace: HeapTrace) -> Events:
    """The oldest records are the ones that a full buffer drops."""
    lost = max(trace.lost or 0, trace.cut_records + trace.dropped)
    events = np.zeros(1 if lost else 0, dtype=event_dtype())
    events["kind"], events["size"] = _LOST, lost
    return events


def _after(failed: Sequence[Fact], time: int) -> Events:
    """A mark, then what failed: when, the log tells, but not between which allocations."""
    events = np.zeros(1 + len(failed), dtype=event_dtype())
    events["kind"], events["time"] = _FAILED, time
    events["kind"][0] = _MARK
    for index, request in enumerate(failed, 1):
        events["size"][index], events["caps"][index] = request.size, request.caps
        events["new_key"][index] = _call(request.name)
    return events


def _call(function: str) -> int:
    """realloc counts as malloc: the old block is unknown."""
    if "calloc" in function:
        return _CALLOC
    return _ALIGNED if "aligned" in function else _MALLOC


def _drain(writer: NativeWriter, write: Write) -> int:
    count = 0
    for piece in writer.take():
        write(piece)
        count += len(piece)
    return count
