"""A recording that begins with a snapshot is replayed from there: each block lies where it lay."""

from __future__ import annotations

import csv
import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import heapscope
from heapscope.base.errors import InputError
from heapscope.capture.line_forms import import_text
from heapscope.cli.app import app
from heapscope.memory.layout.pool import pool_layout
from heapscope.native.events import Events, NativeWriter, event_dtype
from heapscope.simulation.replay.run import replay

ADDRESSES, BOOT = 1, 7 << 8
MALLOC, REALLOC, FREE, LOST, SNAPSHOT, LIVE, SNAPSHOT_END = (
    1,
    4,
    5,
    10,
    19,
    20,
    21,
)  # hs_event_kind_t
POOL = 150_000
ALLOCATORS = ("idf-5.5", "idf-5.1", "idf-4.3.2", "idf-4.2", "heap_4", "idf-5.5+light")
COUNT = 3000


@dataclass(frozen=True)
class Recording:
    """The events of a program on a heap, by the addresses that the heap gave."""

    events: Events
    live: dict[int, int]  # bytes by address at `cut`
    cut: int


Record = Callable[[str], Recording]


def program(seed: int) -> list[str]:
    rng, live, lines = random.Random(seed), [], []
    for number in range(COUNT):
        what = rng.random()
        if live and what < (0.25 if len(live) < 60 else 0.6):
            lines.append(f"f {live.pop(rng.randrange(len(live)))}")
        elif live and what > 0.95:
            lines.append(f"r {rng.choice(live)} {rng.choice((20, 100, 300, 1500))}")
        else:
            lines.append(
                f"a {number} {rng.choice((8, 24, 100, 260, 700, 1 + rng.randrange(3000)))}"
            )
            live.append(number)
    return lines


@pytest.fixture
def record(seed: int, tmp_path: Path) -> Record:
    def make(allocator: str) -> Recording:
        text, trace, rows = (tmp_path / f"P.{ending}" for ending in ("txt", "hst", "csv"))
        text.write_text("\n".join(program(seed)) + "\n")
        import_text(text, trace)
        heapscope.export(trace, out=rows, to="csv", pool=POOL, allocator=allocator)
        events = np.zeros(COUNT, dtype=event_dtype())
        where: dict[str, int] = {}
        live: dict[int, int] = {}
        at_cut: dict[int, int] = {}
        with rows.open() as lines:
            for number, (row, event) in enumerate(zip(csv.DictReader(lines), events, strict=True)):
                if number == COUNT // 2:
                    at_cut = dict(live)
                address, size = int(row["address"]), int(row["size"])
                event["kind"] = {"malloc": MALLOC, "realloc": REALLOC, "free": FREE}[row["call"]]
                event["key"] = where.get(row["block"], address)
                event["size"] = size
                live.pop(int(event["key"]), None)
                if event["kind"] != FREE:
                    event["new_key"] = address if event["kind"] == REALLOC else 0
                    where[row["block"]], live[address] = address, size
        return Recording(events=events, live=at_cut, cut=COUNT // 2)

    return make


def snapshot_of(live: dict[int, int], number: int = 1) -> Events:
    front = np.zeros(len(live) + 2, dtype=event_dtype())
    front["kind"], front["key"] = LIVE, number
    front["kind"][[0, -1]] = SNAPSHOT, SNAPSHOT_END
    front["new_key"] = number
    front["new_key"][[0, -1]] = 0, len(live)
    for row, (address, size) in zip(front[1:-1], sorted(live.items()), strict=True):
        row["key"], row["size"] = address, size
    front["size"][-1] = sum(live.values())
    return front


def write(path: Path, recording: Recording) -> None:
    """The recording as one hears it who listens from the cut on."""
    put(path, [snapshot_of(recording.live), recording.events[recording.cut :]])


def put(path: Path, events: list[Events], features: int = ADDRESSES) -> None:
    with NativeWriter(features=features) as writer:
        for key, value in (("snapshots", "1"), ("boot", "7")):
            writer.metadata(key, value)
        writer.events(np.concatenate(events))
        writer.finish()
        path.write_bytes(b"".join(writer.take()))


@pytest.mark.parametrize("allocator", ALLOCATORS)
def test_blocks_lie_where_the_snapshot_saw_them(
    allocator: str, record: Record, tmp_path: Path
) -> None:
    recording = record(allocator)
    short = replace(recording, events=recording.events[: recording.cut + 1])
    write(tmp_path / "T.hst", short)
    result = replay(tmp_path / "T.hst", pool_layout(POOL, allocator))
    assert len(recording.live) > 50
    assert result.summary.address_matched >= len(recording.live)
    assert result.summary.address_compared <= len(recording.live) + 1
    assert result.loss is None


def test_blocks_of_the_beginning_are_no_calls_of_the_program(
    record: Record, tmp_path: Path
) -> None:
    recording = record("idf-4.2")
    write(tmp_path / "T.hst", recording)
    result = replay(tmp_path / "T.hst", pool_layout(POOL, "idf-4.2"))
    after = recording.events[recording.cut :]
    assert result.census.events == len(after)
    assert result.census.mallocs == (after["kind"] == MALLOC).sum()
    assert result.summary.address_matched == result.summary.address_compared
    assert result.summary.unknown_frees == result.summary.reused_ids == 0
    blocks = dict(recording.live)
    for event in after:
        blocks.pop(int(event["key"]), None)
        if event["kind"] != FREE:
            blocks[int(event["new_key"] or event["key"])] = int(event["size"])
    assert result.summary.live == sum(blocks.values())


def test_start_up_use_is_among_the_blocks_of_a_snapshot(record: Record, tmp_path: Path) -> None:
    """The snapshot has the blocks of start-up, and they are not taken once more."""
    recording = record("idf-5.5")
    write(tmp_path / "T.hst", replace(recording, events=recording.events[: recording.cut + 1]))
    layout = pool_layout(POOL, "idf-5.5")
    used = replace(layout, regions=(replace(layout.regions[0], startup_use=20_000),))
    one, other = (replay(tmp_path / "T.hst", memory) for memory in (layout, used))
    assert one.regions == other.regions
    assert one.summary.address_matched == other.summary.address_matched


# ---- segments: what follows a loss and a snapshot ----


def live_after(blocks: dict[int, int], events: Events) -> dict[int, int]:
    result = dict(blocks)
    for event in events:
        result.pop(int(event["key"]), None)
        if event["kind"] != FREE:
            result[int(event["new_key"] or event["key"])] = int(event["size"])
    return result


def lost(events: int) -> Events:
    row = np.zeros(1, dtype=event_dtype())
    row["kind"], row["size"] = LOST, events
    return row


def in_segments(path: Path, recording: Recording) -> list[Events]:
    """Three segments, with 40 events lost between two of them. Returns the events of each."""
    rest, first, second = recording.events[recording.cut :], 500, 1000
    segments = [rest[:first], rest[first + 40 : second], rest[second + 40 :]]
    written = [snapshot_of(recording.live), segments[0]]
    for number, end in ((2, first + 40), (3, second + 40)):
        live = live_after(recording.live, rest[:end])
        written += [lost(40), rest[end - 10 : end], snapshot_of(live, number), segments[number - 1]]
    put(path, written, ADDRESSES | BOOT)
    return segments


@pytest.mark.parametrize("allocator", ["idf-4.2", "heap_4"])
def test_each_segment_of_a_recording_is_replayed_from_its_snapshot(
    allocator: str, record: Record, tmp_path: Path
) -> None:
    recording = record(allocator)
    segments = in_segments(tmp_path / "T.hst", recording)
    rest = recording.events[recording.cut :]
    live, layout = recording.live, pool_layout(POOL, allocator)
    for number, (events, end) in enumerate(zip(segments, (500, 1000, len(rest)), strict=True), 1):
        result = replay(tmp_path / f"T.hst:{number}", layout)
        used = result.census.events if result.loss is None else result.loss.event
        assert used == len(events)
        # Snapshots do not tell all of a heap's state; where that shows, the answer says so.
        certain = result.summary.address_matched == result.summary.address_compared
        stated = any("blocks of a snapshot" in one for one in result.verdict.sentences)
        assert result.summary.address_compared > len(events) // 3
        assert stated != certain
        assert result.summary.unknown_frees == result.summary.reused_ids == 0
        assert result.summary.live == sum(live_after(live, rest[:end]).values())
        assert (result.loss is None) == (number == 3)
        if result.loss is not None:
            assert (result.loss.segment, result.loss.segments) == (number, 3)
            assert f"segment {number} of 3" in result.loss.sentences()[-1]
    one, same = (replay(tmp_path / name, layout) for name in ("T.hst", "T.hst:1"))
    assert (one.summary, one.regions) == (same.summary, same.regions)
    with pytest.raises(InputError, match="segment 4 is wanted, and the last is 3"):
        replay(tmp_path / "T.hst:4", layout)


@pytest.mark.parametrize("verb", ["contents", "fit", "leaks", "report", "export", "why", "replay"])
def test_verbs_read_a_segment(verb: str, record: Record, tmp_path: Path) -> None:
    in_segments(tmp_path / "T.hst", record("idf-4.2"))
    options = {"export": ["--to", "csv"], "why": ["--need", "4096"]}.get(verb, [])
    options += [] if verb in ("contents", "fit", "leaks") else ["--pool", "150000"]
    options += ["--output", str(tmp_path / "out")] if verb in ("report", "export") else []
    command = "replay" if verb == "contents" else verb
    result = CliRunner().invoke(app, [command, str(tmp_path / "T.hst:2"), *options])
    assert result.exit_code == 0, result.output
    assert "segment 2 of 3" in " ".join(result.output.split())


def test_a_file_that_is_called_so_is_no_segment(record: Record, tmp_path: Path) -> None:
    recording = record("idf-4.2")
    write(tmp_path / "T.hst", recording)
    in_segments(tmp_path / "T.hst:3", recording)
    loss = heapscope.replay(tmp_path / "T.hst:3").loss
    assert loss is not None
    assert (loss.event, loss.segment, loss.segments) == (500, 1, 3)
    with pytest.raises(InputError, match="no such file"):
        heapscope.replay(tmp_path / "other.hst:2")
