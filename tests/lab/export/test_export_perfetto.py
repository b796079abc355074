"""Perfetto: read by a reader of our own, by the perfetto package's classes, and by its trace
processor where that is there."""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from heapscope.capture.export import perfetto
from heapscope.capture.export.protobuf import padded, varint

from .conftest import FAILED, MARK, SITES, Event, Run, Story, Write, story
from .test_export_profiles import SHOWN
from .wire import fields, tree

Exported = Callable[..., bytes]
PROCESSOR = "HEAPSCOPE_TRACE_PROCESSOR"

ROOT_NAME = "all of <it>"


@dataclass
class Track:
    name: str
    parent: str
    unit: int
    samples: list[tuple[int, int]] = field(default_factory=list)  # time in ns, value
    instants: list[tuple[int, str, dict[str, Any]]] = field(default_factory=list)

    def at_ends(self) -> dict[int, int]:
        """Time to the last value then."""
        return dict(self.samples)


def tracks(data: bytes) -> dict[str, Track]:
    """By "parent/name"; the packets are read by nothing of ours but the wire format."""
    result: dict[int, Track] = {}
    for number, packet in fields(data):
        assert number == 1, "a trace has packets and nothing else"
        body = tree(packet)
        assert body[10] == [1], "all packets are of one sequence"
        if 60 in body:
            _announce(result, tree(body[60][0]))
        else:
            _add(result, body[8][0], tree(body[11][0]))
    return {f"{track.parent}/{track.name}": track for track in result.values()}


def _announce(result: dict[int, Track], track: dict[int, list[Any]]) -> None:
    uuid = track[1][0]
    assert uuid not in result
    process = tree(track[3][0]) if 3 in track else None
    name = (process[6] if process else track[2])[0].decode()
    parent = result[track[5][0]].name if 5 in track else ""
    unit = tree(track[8][0])[3][0] if 8 in track else 0
    result[uuid] = Track(name, parent, unit)


def _add(result: dict[int, Track], time: int, event: dict[int, list[Any]]) -> None:
    track = result[event[11][0]]
    if event[9] == [4]:
        track.samples.append((time, event[30][0]))
        return
    assert event[9] == [3]
    details = {}
    for annotation in map(tree, event.get(4, [])):
        value = annotation[6][0].decode() if 6 in annotation else annotation[3][0]
        details[annotation[10][0].decode()] = value
    track.instants.append((time, event[23][0].decode(), details))


@pytest.fixture
def exported_trace(write_trace: Write) -> tuple[Path, Story, list[Event]]:
    events = story()
    return write_trace(events), Story().tell(events), events


def times(events: list[Event]) -> list[int]:
    """Nanoseconds: the clock counts microseconds."""
    return [event.time * 1000 for event in events if event.kind != MARK]


def test_counters_have_every_change(
    exported_trace: tuple[Path, Story, list[Event]], exported: Exported
) -> None:
    trace, model, events = exported_trace
    result = tracks(exported(trace, "--to", "perfetto"))
    live = result["heap/live"]
    changes = [
        (time, value)
        for time, value, before in zip(times(events), model.live, [0, *model.live], strict=False)
        if value != before
    ]
    assert live.samples[1:] == changes
    assert live.samples[0][1] == 0
    assert live.unit == 3  # bytes
    assert max(value for _, value in live.samples) == model.peak
    failures = result["heap/failures so far"]
    assert failures.unit == 2  # a count
    assert failures.samples[-1][1] == model.outcomes.count("failed_recorded")
    for index, name in enumerate(SHOWN):
        by_task = [now.get(index, 0) for now in model.tasks]
        wanted = dict(zip(times(events), by_task, strict=True))
        track = result[f"live by task/{name}"]
        value, merged = 0, dict.fromkeys(wanted, 0)
        ends = track.at_ends()
        for time in wanted:
            value = ends.get(time, value)
            merged[time] = value
        assert merged == wanted
    assert "free by region/" not in "".join(result)


def test_failures_and_marks_are_instants(
    exported_trace: tuple[Path, Story, list[Event]], exported: Exported
) -> None:
    trace, _, events = exported_trace
    result = tracks(exported(trace, "--to", "perfetto"))
    assert [(time, name) for time, name, _ in result[f"{ROOT_NAME}/marks"].instants] == [
        (0, 'begin, "quoted"')
    ]
    heap = [event for event in events if event.kind != MARK]
    failed = [(number, event) for number, event in enumerate(heap) if event.kind == FAILED]
    instants = result[f"{ROOT_NAME}/failed requests"].instants
    assert len(instants) == len(failed) > 100
    for (number, event), (time, name, details) in zip(failed, instants, strict=True):
        assert time == event.time * 1000
        assert name.endswith(f"{event.size:,} B failed")
        assert (details["event"], details["size"]) == (number, event.size)
        assert details["task"] == SHOWN[event.task]
        assert ("site" in details) == (event.site != 0)


def test_on_a_layout_regions_have_counters(
    exported_trace: Any, run: Run, exported: Exported
) -> None:
    trace, *_ = exported_trace
    result = tracks(exported(trace, "--to", "perfetto", "--pool", "64KB"))
    replayed = json.loads(run(trace, "--pool", "64KB", "--json", "-", verb="replay").out)
    region = replayed["regions"][0]
    free = result[f"free by region/{region['start']:#010x} pool"]
    values = [value for _, value in free.samples]
    assert values[0] == max(values) < region["size"]
    assert min(values) >= region["minimum_free"]
    assert values[-1] == region["free"]
    summary = replayed["summary"]
    assert max(value for _, value in result["heap/live"].samples) == summary["live_peak"]
    assert result["heap/failures so far"].samples[-1][1] == summary["failures"]
    largest = [value for _, value in result["heap/largest allocatable by malloc"].samples]
    assert min(largest) == replayed["sets"][0]["minimum_largest_allocatable"]
    here = [i for i in result[f"{ROOT_NAME}/failed requests"].instants if i[1].endswith("failed")]
    assert len(here) == summary["failures"] > 0
    tasks = [track for track in result.values() if track.parent == "live by task"]
    for row in replayed["tasks"]:
        (track,) = [track for track in tasks if track.name == row["task"]]
        assert max(value for _, value in track.samples) == row["payload_peak"]


def test_long_traces_keep_their_extremes(
    exported_trace: tuple[Path, Story, list[Event]],
    exported: Exported,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    trace, model, _ = exported_trace
    whole = tracks(exported(trace, "--to", "perfetto"))
    monkeypatch.setattr(perfetto, "EXACT_EVENTS", 100)
    monkeypatch.setattr(perfetto, "SPANS", 40)
    result = tracks(exported(trace, "--to", "perfetto"))
    assert result.keys() == whole.keys()
    spans = -(-len(model.live) // 100)
    for name, track in whole.items():
        few = result[name].samples
        assert len(few) <= 3 * (spans + 1)
        if track.samples:
            values = [value for _, value in track.samples]
            assert max(value for _, value in few) == max(values)
            assert min(value for _, value in few) == min(values)
            assert few[-1] == track.samples[-1]
            assert set(few) <= set(track.samples)
    assert len(result["heap/live"].samples) < len(whole["heap/live"].samples) / 10


def test_failures_beyond_the_limit_are_only_counted(
    exported_trace: tuple[Path, Story, list[Event]],
    exported: Exported,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(perfetto, "INSTANTS_MAX", 5)
    result = tracks(exported(exported_trace[0], "--to", "perfetto"))
    assert len(result[f"{ROOT_NAME}/failed requests"].instants) == 5
    counted = result["heap/failures so far"].samples[-1][1]
    assert counted == exported_trace[1].outcomes.count("failed_recorded") > 5


@pytest.mark.parametrize(("clock", "rate", "factor"), [(False, None, 1000), (True, None, 1000)])
def test_time_without_a_rate(
    write_trace: Write, exported: Exported, clock: bool, rate: int | None, factor: int
) -> None:
    """An event, or a tick, is a microsecond."""
    events = story(50)
    features = SITES | (2 if clock else 0)
    result = tracks(
        exported(write_trace(events, features=features, clock_hz=rate), "--to", "perfetto")
    )
    last = events[-1].time if clock else len(Story().tell(events).live) - 1
    assert result["heap/live"].samples[-1][0] <= last * factor
    stamps = {time for time, _ in result["heap/live"].samples}
    assert stamps <= {n * factor for n in range(last + 1)}


def test_a_rate_that_is_no_power_of_ten(write_trace: Write, exported: Exported) -> None:
    trace = write_trace([Event(1, 0, 8, time=32_768 * 3 + 1)], clock_hz=32_768)
    result = tracks(exported(trace, "--to", "perfetto"))
    assert result["heap/live"].samples[-1] == (3 * 10**9 + 10**9 // 32_768, 8)


def test_numbers_are_padded_to_one_length() -> None:
    values = np.array([0, 1, 127, 128, 300, 2**32, 2**63 - 1], dtype=np.uint64)
    rows = padded(values, 9)
    assert [len(row) for row in rows] == [9] * len(values)
    for row, value in zip(rows, values, strict=True):
        assert tree(b"\x08" + row.tobytes()) == {1: [int(value)]}
        assert tree(b"\x08" + varint(int(value))) == {1: [int(value)]}


# ---- by the perfetto package -------------------------------------------------------------------


def protos() -> Any:
    return importlib.import_module("perfetto.protos.perfetto.trace.perfetto_trace_pb2")


def test_the_package_reads_what_our_reader_reads(exported_trace: Any, exported: Exported) -> None:
    pb = protos()
    data = exported(exported_trace[0], "--to", "perfetto", "--pool", "64KB")
    trace = pb.Trace.FromString(data)
    assert not list(unknown(pb, trace))
    names = {
        p.track_descriptor.uuid: p.track_descriptor
        for p in trace.packet
        if p.HasField("track_descriptor")
    }
    samples: dict[str, list[tuple[int, int]]] = {}
    for packet in trace.packet:
        event = packet.track_event
        if event.type == pb.TrackEvent.TYPE_COUNTER:
            track = names[event.track_uuid]
            assert track.HasField("counter")
            name = f"{names[track.parent_uuid].name}/{track.name}"
            samples.setdefault(name, []).append((packet.timestamp, event.counter_value))
        elif event.type == pb.TrackEvent.TYPE_INSTANT:
            assert event.name
            assert all(note.name for note in event.debug_annotations)
    ours = tracks(data)
    assert samples == {name: track.samples for name, track in ours.items() if track.samples}
    units = {
        track.name: track.counter.unit for track in names.values() if track.HasField("counter")
    }
    assert units["live"] == pb.CounterDescriptor.UNIT_SIZE_BYTES
    assert units["failures so far"] == pb.CounterDescriptor.UNIT_COUNT


def unknown(pb: Any, message: Any) -> Iterator[str]:
    """Tells how many bytes have no field in the package's classes. The classes keep such bytes and
    write them again; a trace without any is as long when they are discarded."""
    whole = message.ByteSize()
    copy = pb.Trace()
    copy.CopyFrom(message)
    copy.DiscardUnknownFields()
    if copy.ByteSize() != whole:
        yield f"{whole - copy.ByteSize()} bytes"


@pytest.mark.skipif(
    PROCESSOR not in os.environ,
    reason=f"{PROCESSOR} names no trace_processor_shell, a program that the package downloads",
)
def test_the_trace_processor_has_the_counters(
    exported_trace: Any, exported: Exported, tmp_path: Path
) -> None:
    data = exported(exported_trace[0], "--to", "perfetto", "--pool", "64KB")
    path = tmp_path / "T.pftrace"
    path.write_bytes(data)
    api = importlib.import_module("perfetto.trace_processor")
    config = api.TraceProcessorConfig(bin_path=os.environ[PROCESSOR])
    with api.TraceProcessor(trace=str(path), config=config) as processor:
        query = (
            "select t.name as name, max(c.value) as most, count(*) as samples "
            "from counter c join counter_track t on c.track_id = t.id group by t.id"
        )
        result = {row.name: (int(row.most), row.samples) for row in processor.query(query)}
        errors = "select name, value from stats where severity = 'error' and value > 0"
        assert [row.name for row in processor.query(errors)] == []
    ours = {track.name: track.samples for track in tracks(data).values() if track.samples}
    assert result == {name: (max(v for _, v in s), len(s)) for name, s in ours.items()}
