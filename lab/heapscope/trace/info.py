"""What a trace is, without replaying it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from heapscope.measure.bound import INFO
from heapscope.measure.loss import Loss, loss_of, whole_run
from heapscope.native.reader import NameTable, NativeReader
from heapscope.native.structs import NEVER, Struct
from heapscope.native.times import ask_times, times
from heapscope.trace.feed import read_trace
from heapscope.trace.health import TraceHealth
from heapscope.trace.metadata import CLOCK_HZ, SOURCE, WORD_SIZE, number, texts
from heapscope.trace.names import mark_names, printable, task_names
from heapscope.trace.source import Progress

__all__ = ["EventCounts", "MarkAt", "TaskName", "TraceInfo", "read_info", "tasks_of"]

#: Bits of the features, in their order (device/include/heapscope/trace.h).
_FEATURES = ("addresses", "clock", "sites")
_SHOWN = 4096  # names and marks listed at most; the counts have all of them


@dataclass(frozen=True, kw_only=True)
class EventCounts:
    """Events by kind; `total` has the heap events, which marks are not."""

    total: int
    mallocs: int
    callocs: int
    aligneds: int
    reallocs: int
    frees: int
    failed: int
    marks: int


@dataclass(frozen=True, kw_only=True)
class TaskName:
    index: int
    name: str


@dataclass(frozen=True, kw_only=True)
class MarkAt:
    name: str
    event: int | None  # heap events before it; None: not known without a replay
    seconds: float | None = None  # since the start; None: no clock, or unknown rate


@dataclass(frozen=True, kw_only=True)
class TraceInfo:
    """Sizes in bytes. All text is safe to show (heapscope.trace.names)."""

    file: str
    size: int  # of the trace, decompressed
    version: int  # of the format
    features: tuple[str, ...]
    events: EventCounts
    seconds: float | None  # from the first event to the last; None: no clock, or unknown rate
    live_peak: int
    live_peak_event: int | None  # None: nothing was ever live
    live_peak_seconds: float | None  # since the start; None: no clock, or it was not asked for
    live_blocks_peak: int
    live_end: int
    live_blocks_end: int
    largest_request: int
    requests_above_32_bits: int
    task_count: int
    tasks: tuple[TaskName, ...]
    site_count: int
    marks: tuple[MarkAt, ...]
    word_size: int | None  # bytes of a pointer where it was recorded
    source: str
    metadata: dict[str, str]
    health: TraceHealth
    loss: Loss | None  # of events; None: all are there

    def to_json(self) -> dict[str, Any]:
        """For --json: the fields by their names."""
        plain = {f.name: getattr(self, f.name) for f in fields(self)}
        return plain | {
            "features": list(self.features),
            "events": asdict(self.events),
            "tasks": [asdict(task) for task in self.tasks],
            "marks": [asdict(mark) for mark in self.marks],
            "health": self.health.to_json(),
            "loss": None if self.loss is None else self.loss.to_json(),
        }


def read_info(
    path: str | Path, *, peak_time: bool = False, progress: Progress | None = None
) -> TraceInfo:
    """Reads a whole trace. InputError when the file is none; damage is in `health`. `peak_time`:
    when the live peak was, for which a trace with a clock is read once more."""
    with NativeReader() as reader:
        health = read_trace(path, reader, progress=progress)
        info = _info(printable(str(path), limit=400), reader, health)
        event, first = info.live_peak_event, reader.census().first_time
        rate = _rate(reader, health)
    if not peak_time or rate is None or event is None or not Path(path).is_file():
        return info
    with NativeReader() as reader:
        ask_times(reader, [event])
        read_trace(path, reader)
        return replace(info, live_peak_seconds=(times(reader)[0] - first) / rate)


def _info(file: str, reader: NativeReader, health: TraceHealth) -> TraceInfo:
    census, metadata = whole_run(reader.census(), health), reader.metadata()
    rate = _rate(reader, health)
    return TraceInfo(
        file=file,
        size=health.row.bytes,
        version=health.row.version,
        features=_features(health.row.features),
        events=_counts(census),
        seconds=None if rate is None else (census.last_time - census.first_time) / rate,
        live_peak=census.live_peak,
        live_peak_event=None if census.live_peak_event == NEVER else census.live_peak_event,
        live_peak_seconds=None,
        live_blocks_peak=census.live_blocks_peak,
        live_end=census.live,
        live_blocks_end=census.live_blocks,
        largest_request=census.largest_request,
        requests_above_32_bits=census.word_excess,
        task_count=census.tasks,
        tasks=tasks_of(reader)[:_SHOWN],
        site_count=census.sites,
        marks=_marks(reader, rate),
        word_size=number(metadata, WORD_SIZE),
        source=printable(metadata.get(SOURCE, b"")),
        metadata=texts(metadata),
        health=health,
        loss=loss_of(health, INFO),
    )


def _features(bits: int) -> tuple[str, ...]:
    known = [name for bit, name in enumerate(_FEATURES) if bits >> bit & 1]
    others = bits >> len(_FEATURES) << len(_FEATURES)
    return (*known, *([f"unknown {others:#06x}"] if others else []))


def _counts(census: Struct) -> EventCounts:
    names = [f.name for f in fields(EventCounts) if f.name != "total"]
    return EventCounts(total=census.events, **{name: getattr(census, name) for name in names})


def _rate(reader: NativeReader, health: TraceHealth) -> int | None:
    """Ticks a second; None: no clock, or not told, or the start is lost."""
    start_lost = health.loss is not None and health.loss.event == 0
    if not health.has_clock or start_lost:
        return None
    return number(reader.metadata(), CLOCK_HZ) or None


def tasks_of(reader: NativeReader) -> tuple[TaskName, ...]:
    """The named ones; and, when events used more than these, those known to be among them."""
    known, used = reader.names(NameTable.TASK), reader.census().tasks
    names = task_names(known, whole=reader.whole)
    named = {index for index, raw in enumerate(known) if raw}
    if used > len(named):
        named |= set(range(len(known))) if used == len(known) else {0}
    return tuple(TaskName(index=i, name=names[i]) for i in sorted(named))


def _marks(reader: NativeReader, rate: int | None) -> tuple[MarkAt, ...]:
    names = mark_names(reader.names(NameTable.MARK))
    rows = reader.marks()[:_SHOWN]
    if rows:
        first = reader.census().first_time
        return tuple(
            MarkAt(
                name=names[row.name],
                event=row.event,
                seconds=None if rate is None else (row.time - first) / rate,
            )
            for row in rows
        )
    count = min(len(names.known), _SHOWN)
    return tuple(MarkAt(name=names[index], event=None) for index in range(count))
