"""The facts of a trace, without a replay."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

from heapscope.base.printable import printable
from heapscope.base.rows.bound import AT_LEAST, BEFORE, bounds_of
from heapscope.base.rows.figure import figure
from heapscope.base.rows.row import Document, Row
from heapscope.native.live import ask_times, times
from heapscope.native.reader import NameTable, NativeReader
from heapscope.trace.feed import read_trace
from heapscope.trace.health import CallCounts, TraceHealth
from heapscope.trace.loss import Loss, loss_of, whole_run
from heapscope.trace.metadata import CLOCK_HZ, SOURCE, WORD_SIZE, number, texts
from heapscope.trace.names import mark_names, task_names
from heapscope.trace.recording import ChipRecording, recording_of
from heapscope.trace.source import Progress
from heapscope.trace.take import take

#: Bits of the features, in their order (device/include/heapscope/trace.h).
_FEATURES = ("addresses", "clock", "sites")
_SHOWN = 4096  # names and marks listed at most; the counts have all of them


class EventCounts(CallCounts):
    """Events by kind."""

    total: int = figure("Heap events.", bound=AT_LEAST)


class TaskName(Row):
    """A task."""

    index: int = figure("Its index in the trace.")
    name: str = figure("Its name.")


class MarkAt(Row):
    """A mark."""

    name: str = figure("Its name.")
    event: int | None = figure("Heap events before it; null: not known without a replay.")
    seconds: float | None = figure(
        "When it was, since the start; null: no clock, or its rate is unknown.",
        least=None,
        default=None,
    )


class TraceInfo(Document):
    """The content of a trace, without a replay. All text is untrusted, control characters are
    escaped."""

    VERB = "replay"
    KIND = "trace"
    VERSION = 1

    file: str = figure("File as named on the command line.")
    size: int = figure("Bytes of the trace, decompressed.", "B")
    version: int = figure("Version of its format.")
    features: tuple[str, ...] = figure("The facts that its events carry.", choices=_FEATURES)
    events: EventCounts = figure("Events by kind.")
    seconds: float | None = figure(
        "Seconds from the first to the last event; null: no clock, or its rate is unknown.",
        least=None,
        bound=AT_LEAST,
    )
    live_peak: int = figure("Most payload bytes live at one moment.", "B", bound=AT_LEAST)
    live_peak_event: int | None = figure(
        "Heap event at which it was reached; null: never.", bound=BEFORE
    )
    live_peak_seconds: float | None = figure(
        "When that was, in seconds since the start; null: no clock, its rate is "
        "unknown, or the trace came from a pipe.",
        least=None,
        bound=BEFORE,
    )
    live_blocks_peak: int = figure("Most blocks live at one moment.", bound=AT_LEAST)
    live_end: int = figure("Payload bytes live at the end.", "B", bound=BEFORE)
    live_blocks_end: int = figure("Blocks live at the end.", bound=BEFORE)
    largest_request: int = figure("Bytes of the largest request.", "B", bound=AT_LEAST)
    requests_above_32_bits: int = figure(
        "Requests above 4,294,967,295 bytes, which no 32-bit chip can serve.", bound=AT_LEAST
    )
    task_count: int = figure("Distinct tasks.", bound=AT_LEAST)
    tasks: tuple[TaskName, ...] = figure("Tasks whose names are known, the first 4096.")
    site_count: int = figure("Distinct call sites.", bound=AT_LEAST)
    marks: tuple[MarkAt, ...] = figure(
        "Marks, the first 4096: those before a loss of events, or else their names."
    )
    word_size: int | None = figure("Bytes of a pointer where it was recorded; null: unknown.", "B")
    source: str | None = figure(
        "The source that the trace was made from; null: not known, as metadata is lost."
    )
    metadata: dict[str, str] = figure(
        "The facts that the recorder gave about itself and the device (format/SPEC.md); "
        "untrusted, control characters escaped."
    )
    health: TraceHealth = figure("The state of the trace as it was read.")
    loss: Loss | None = figure("The part of the recording that is lost; null: nothing is lost.")
    recording: ChipRecording | None = figure(
        "The facts that only a recorder on a chip tells; null: no recorder on a chip wrote it.",
        default=None,
    )


#: The marks of the figures after a loss.
INFO = bounds_of(TraceInfo, without=("loss",))


def read_info(
    path: str | Path, *, peak_time: bool = False, progress: Progress | None = None
) -> TraceInfo:
    """Reads a whole trace. InputError if the file is not a trace; damage is in `health`.
    `peak_time`: when the live peak was, for which a trace with a clock is read once more."""
    with NativeReader() as reader:
        health = read_trace(path, reader, progress=progress)
        info = _info(printable(str(path), limit=400), reader, health)
        event, first = info.live_peak_event, reader.census().first_time
        rate = _rate(reader, health) if reader.census().by_time else None
    if not peak_time or rate is None or event is None or not Path(path).is_file():
        return info
    with NativeReader() as reader:
        ask_times(reader, [event])
        read_trace(path, reader)
        return replace(info, live_peak_seconds=(times(reader)[0] - first) / rate)


def _info(file: str, reader: NativeReader, health: TraceHealth) -> TraceInfo:
    census, metadata = whole_run(reader.census(), health), reader.metadata()
    rate = _rate(reader, health)
    return take(
        TraceInfo,
        census,
        file=file,
        size=health.bytes,
        version=health.version,
        features=_features(health.features),
        events=take(EventCounts, census, total=census.events),
        seconds=None if rate is None else (census.last_time - census.first_time) / rate,
        live_peak_seconds=None,
        live_end=census.live,
        live_blocks_end=census.live_blocks,
        requests_above_32_bits=census.word_excess,
        task_count=census.tasks,
        tasks=tasks_of(reader)[:_SHOWN],
        site_count=census.sites,
        marks=_marks(reader, rate if reader.census().by_time else None),
        word_size=number(metadata, WORD_SIZE),
        source=None if SOURCE in health.unknown else printable(metadata.get(SOURCE, b"")),
        metadata=texts(metadata),
        recording=recording_of(reader, health),
        health=health,
        loss=loss_of(health, INFO),
    )


def _features(bits: int) -> tuple[str, ...]:
    known = [name for bit, name in enumerate(_FEATURES) if bits >> bit & 1]
    others = bits & 0xFF & ~((1 << len(_FEATURES)) - 1)  # above them is the boot
    return (*known, *([f"unknown {others:#06x}"] if others else []))


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
    named = {index for index, raw in known.items() if raw}
    if used > len(named):
        named |= set(known)
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
    listed = itertools.islice(names.known, _SHOWN)
    return tuple(MarkAt(name=names[index], event=None) for index in listed)
