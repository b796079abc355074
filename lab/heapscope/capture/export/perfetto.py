"""Perfetto: counters over time as track events, failures and marks as instants.

Field numbers are those of Perfetto's trace.proto, which never change; the tests read what is
written here with the classes of the perfetto package.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from heapscope.base.output import Write
from heapscope.capture.export.exporter import Context, Exporter, Finish
from heapscope.capture.export.overview import Overview
from heapscope.capture.export.protobuf import message, number, padded, text
from heapscope.native.export import OTHERS, Keep, SampleKind
from heapscope.native.names import call_names, outcome_names
from heapscope.native.structs import Rows
from heapscope.trace.metadata import PROGRAM

#: Traces of up to so many heap events have every change of a counter.
EXACT_EVENTS = 200_000
#: Longer ones are cut into about so many spans, of each the least, most and last value.
SPANS = 20_000
#: Failures with details; those beyond are in the counter of failures only.
INSTANTS_MAX = 10_000

# Fields: of Trace, TracePacket, TrackDescriptor, TrackEvent, DebugAnnotation.
_PACKET = 1
_TIMESTAMP, _SEQUENCE, _EVENT, _FLAGS, _TRACK = 8, 10, 11, 13, 60
_UUID, _NAME, _PROCESS, _PARENT, _COUNTER, _ORDER, _RANK = 1, 2, 3, 5, 8, 11, 12
_ANNOTATION, _TYPE, _TRACK_UUID, _EVENT_NAME, _VALUE = 4, 9, 11, 23, 30
_UINT, _STRING, _KEY = 3, 6, 10
_INSTANT, _COUNTER_EVENT = 3, 4
_COUNT, _BYTES = 2, 3  # units
_EXPLICIT = 3  # order of child tracks
_CLEARED = 1  # of the sequence's state: it begins here

# Tracks; counters come from _FIRST on, by order of appearance.
_ROOT, _HEAP, _REGIONS, _TASKS, _FAILURES, _MARKS = 1, 2, 3, 4, 5, 6
_FIRST = 16

_NANO = 1_000_000_000
_SECONDS_MAX = 9_000_000_000  # some 285 years: no device runs longer, and more would not fit
_MICRO = 1000  # ns: an event of a trace without a clock, and a tick of an unknown rate

_GROUPS = (
    (_HEAP, "heap"),
    (_REGIONS, "free by region"),
    (_TASKS, "live by task"),
    (_FAILURES, "failed requests"),
    (_MARKS, "marks"),
)


class Perfetto(Exporter):
    names_first = True
    keep = Keep.SAMPLES | Keep.FAILURES

    def span(self, events: int) -> int:
        return 1 if events <= EXACT_EVENTS else -(-events // SPANS)

    def begin(self, context: Context, write: Write) -> None:
        self._known = context.known
        self._regions = context.regions
        self._uuids: dict[tuple[int, int], int] = {}
        self._instants = 0
        process = number(1, 1) + text(6, self._known.metadata.get(PROGRAM) or context.trace)
        root = number(_UUID, _ROOT) + message(_PROCESS, process) + number(_ORDER, _EXPLICIT)
        write(_packet(number(_FLAGS, _CLEARED) + message(_TRACK, root)))
        for rank, (uuid, name) in enumerate(_GROUPS):
            if uuid != _REGIONS or context.layout is not None:
                write(_track(uuid, name, parent=_ROOT, rank=rank))
        for mark in self._known.marks:
            write(self._instant(_MARKS, mark.event, mark.time, mark.name, b""))

    def rows(self, rows: Rows, write: Write) -> None:
        for row in rows[: INSTANTS_MAX - self._instants]:
            write(self._failure(row))
        self._instants += min(len(rows), INSTANTS_MAX - self._instants)

    def samples(self, samples: Rows, write: Write) -> None:
        samples = samples[np.argsort(samples["event"], kind="stable")]
        keys = samples["kind"].astype(np.uint64) << np.uint64(32) | samples["index"]
        result, inverse = np.unique(keys, return_inverse=True)
        uuids = [self._uuid(int(key) >> 32, int(key) & OTHERS, write) for key in result]
        times = self._nanoseconds(samples["event"], samples["time"])
        tracks = np.array(uuids, dtype=np.uint64)[inverse]
        write(_counter_packets(times, tracks, samples["value"]).tobytes())

    def end(self, finish: Finish, write: Write) -> None:
        """A trace of packets has no end of its own."""

    def _uuid(self, kind: int, index: int, write: Write) -> int:
        """The id of a counter's track. The first use announces the track."""
        if (kind, index) not in self._uuids:
            uuid = _FIRST + len(self._uuids)
            self._uuids[kind, index] = uuid
            parent, name = self._counter(kind, index)
            unit = _COUNT if kind == SampleKind.FAILURES else _BYTES
            write(_track(uuid, name, parent=parent, rank=index & 0xFFFF, unit=unit))
        return self._uuids[kind, index]

    def _counter(self, kind: int, index: int) -> tuple[int, str]:
        """The group it belongs to, and its name."""
        if kind == SampleKind.REGION:
            return _REGIONS, self._regions[index].name
        if kind == SampleKind.TASK:
            return _TASKS, "other tasks" if index == OTHERS else self._known.tasks[index]
        if kind == SampleKind.LARGEST:
            return _HEAP, "largest allocatable by malloc"
        return _HEAP, "live" if kind == SampleKind.LIVE else "failures so far"

    def _failure(self, row: np.void) -> bytes:
        call, outcome = call_names()[int(row["call"])], outcome_names()[int(row["outcome"])]
        here = outcome == "failed" or not self._regions
        name = f"{call} {int(row['size']):,} B failed" + ("" if here else " where recorded")
        details = [
            _annotation("event", int(row["event"])),
            _annotation("size", int(row["size"])),
            _annotation("task", self._known.tasks[int(row["task"])]),
            _annotation("capabilities", int(row["caps"])),
        ]
        site = self._known.site(int(row["site"]))
        if site is not None:
            details.append(_annotation("site", site))
        event, time = int(row["event"]), int(row["time"])
        return self._instant(_FAILURES, event, time, name, b"".join(details))

    def _instant(self, track: int, event: int, time: int, name: str, details: bytes) -> bytes:
        stamp = self._nanoseconds(np.array([event], np.uint64), np.array([time], np.uint64))
        body = details + number(_TYPE, _INSTANT) + number(_TRACK_UUID, track)
        body += text(_EVENT_NAME, name)
        return _packet(number(_TIMESTAMP, int(stamp[0])) + message(_EVENT, body))

    def _nanoseconds(
        self, event: NDArray[np.uint64], time: NDArray[np.uint64]
    ) -> NDArray[np.uint64]:
        """Without a clock, an event is a microsecond."""
        return _nanoseconds(self._known, event, time)


def _nanoseconds(
    known: Overview, event: NDArray[np.uint64], time: NDArray[np.uint64]
) -> NDArray[np.uint64]:
    hz = _NANO // _MICRO if known.clock_hz is None or not known.has_clock else known.clock_hz
    ticks = time if known.has_clock else event
    rate = np.uint64(min(hz, _SECONDS_MAX))
    seconds = np.minimum(ticks // rate, np.uint64(_SECONDS_MAX))
    rest = ticks % rate * np.uint64(_NANO) // rate
    return np.asarray(seconds * np.uint64(_NANO) + rest, dtype=np.uint64)


def _packet(body: bytes) -> bytes:
    return message(_PACKET, number(_SEQUENCE, 1) + body)


def _track(uuid: int, name: str, *, parent: int, rank: int, unit: int = 0) -> bytes:
    """With a unit it is a counter's, else a group of tracks."""
    body = number(_UUID, uuid) + text(_NAME, name) + number(_PARENT, parent) + number(_RANK, rank)
    body += message(_COUNTER, number(3, unit)) if unit else number(_ORDER, _EXPLICIT)
    return _packet(message(_TRACK, body))


def _annotation(key: str, value: int | str) -> bytes:
    body = text(_KEY, key)
    body += text(_STRING, value) if isinstance(value, str) else number(_UINT, value)
    return message(_ANNOTATION, body)


def _counter_packets(
    times: NDArray[np.uint64], tracks: NDArray[np.uint64], values: NDArray[np.uint64]
) -> NDArray[np.uint8]:
    """One row of bytes a sample: all numbers are padded to one length. At most 2^21 tracks, times
    and values below 2^63."""
    time, track, value = padded(times, 9), padded(tracks, 3), padded(values, 9)
    event_head = number(_TYPE, _COUNTER_EVENT) + _tag(_TRACK_UUID)
    event_size = len(event_head) + 3 + len(_tag(_VALUE)) + 9
    head = number(_SEQUENCE, 1) + _tag(_TIMESTAMP)
    middle = _tag(_EVENT, 2) + bytes([event_size]) + event_head
    size = len(head) + 9 + len(middle) - len(event_head) + event_size
    head = _tag(_PACKET, 2) + bytes([size]) + head
    count = len(times)
    pieces = [
        _repeated(head, count),
        time,
        _repeated(middle, count),
        track,
        _repeated(_tag(_VALUE), count),
        value,
    ]
    return np.concatenate(pieces, axis=1)


def _tag(field: int, kind: int = 0) -> bytes:
    return number(field, 0)[:-1] if kind == 0 else message(field, b"")[:-1]


def _repeated(data: bytes, count: int) -> NDArray[np.uint8]:
    return np.broadcast_to(np.frombuffer(data, np.uint8), (count, len(data)))
