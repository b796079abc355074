"""Programs that are recorded, and the events of their traces."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from heapscope.capture.record.recording import ImageRecord, RecordResult
from heapscope.capture.record.session import RecordOptions, record
from heapscope.native.events import Events, keep_events, take_events
from heapscope.native.reader import NameTable, NativeReader


def recorded(program: Path, out: Path, **settings: object) -> tuple[ImageRecord, RecordResult]:
    options = replace(RecordOptions(out=str(out)), **settings)  # type: ignore[arg-type]
    result = record([str(program)], options)
    assert result.exit_code == 0
    return result.images[0], result


def events_of(trace: Path) -> Events:
    with NativeReader() as reader:
        keep_events(reader)
        reader.push(trace.read_bytes())
        parts = list(take_events(reader))
        reader.finish()
        return np.concatenate([*parts, *take_events(reader)])


def sizes(trace: Path, *kinds: int) -> list[int]:
    events = events_of(trace)
    return [int(row["size"]) for row in events if int(row["kind"]) in kinds]


def tasks_by_size(trace: Path) -> dict[int, bytes | None]:
    events = events_of(trace)
    with NativeReader() as reader:
        reader.push(trace.read_bytes())
        reader.finish()
        return {
            int(row["size"]): reader.names(NameTable.TASK).get(int(row["task"]))
            for row in events
            if row["size"]
        }
