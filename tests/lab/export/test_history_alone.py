"""The lives that a replay notes at its own pace are those that are reported event by event."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from heapscope.memory.layout.chips import load_chip
from heapscope.memory.layout.layout import Layout
from heapscope.memory.layout.pool import pool_layout
from heapscope.native import export
from heapscope.native.events import NativeWriter, event_dtype
from heapscope.native.library import ffi, load
from heapscope.native.reader import NativeReader
from heapscope.native.structs import read_struct, read_structs
from heapscope.simulation.replay.config import native_config

from .conftest import CLOCK, FREE, MALLOC, REALLOC, SITES, Write, story

HISTORY = 16  #: HS_LAB_EXPORT_HISTORY
PARTS, ALL = 65_536, 0xFFFF_FFFF
ADDRESSES = 1
SNAPSHOT, LIVE, SNAPSHOT_END = 19, 20, 21  #: hs_event_kind_t
WIDTH, HEIGHT = 61, 43
MEMORIES = {
    "a pool of idf-5.5": pool_layout(60_000),
    "a pool of heap_4": pool_layout(60_000, "heap_4"),
    "regions of a chip": load_chip("esp32").layout(idf="5.5"),
}


def from_snapshot(path: Path, seed: int) -> Path:
    """A recording whose first blocks were live before: some are freed, and some are moved, also to
    where another one was."""
    chance = random.Random(seed)
    rows = [(SNAPSHOT, 1, 0, 0)]
    live = [0x2000_0000 + 512 * number for number in range(40)]
    rows += [(LIVE, key, 100, 1) for key in live]
    rows.append((SNAPSHOT_END, 1, 100 * len(live), len(live)))
    for number in range(600):
        key, place = 0x3000_0000 + 512 * number, chance.randrange(len(live))
        size = chance.choice((16, 300, 2500))
        draw = chance.random()
        if draw < 0.4 or len(live) < 5:
            rows.append((MALLOC, key, size, 0))
            live.append(key)
        elif draw < 0.8:
            rows.append((FREE, live.pop(place), 0, 0))
        else:
            old = live.pop(place)
            key = chance.choice((key, key, live[0]))  # the free of this one was lost
            rows.append((REALLOC, old, size, key))
            live = [one for one in live if one != key] + [key]
    events = np.zeros(len(rows), dtype=event_dtype())
    for event, row in zip(events, rows, strict=True):
        event["kind"], event["key"], event["size"], event["new_key"] = row
    with NativeWriter(features=ADDRESSES) as writer:
        for name, value in (("snapshots", "1"), ("boot", "7")):
            writer.metadata(name, value)
        writer.events(events)
        writer.finish()
        path.write_bytes(b"".join(writer.take()))
    return path


def replayed(trace: Path, layout: Layout, keep: int) -> NativeReader:
    reader = NativeReader(native_config(layout, needs=[], capsets=None, buckets=64))
    export.begin_export(reader, export.Keep(keep))
    reader.push(trace.read_bytes())
    reader.finish()
    return reader


def answers(reader: NativeReader, seed: int) -> list[Any]:
    """Counts, pictures, lines, sums and single blocks."""
    library, chance = load(), random.Random(seed)
    counts = read_struct(library.hs_lab_history, reader.handle)
    results: list[Any] = [counts, reader.summary(), reader.regions()]
    regions = reader.regions()
    strips = ffi.new("hs_lab_strip_t[]", len(regions))
    for number, (strip, region) in enumerate(zip(strips, regions, strict=True)):
        strip.low, strip.high = region.start * PARTS, (region.start + region.size) * PARTS
        strip.region = number
        strip.top = HEIGHT * number // len(regions)
        strip.bottom = HEIGHT * (number + 1) // len(regions)
    for _ in range(6):
        task = chance.choice((ALL, 0, 1))
        requested = ffi.new("hs_lab_filter_t *", {"task": task, "region": ALL, "size_max": ALL})
        assert library.hs_lab_history_filter(reader.handle, requested) == 0
        view = ffi.new("hs_lab_view_t *")
        view.left = chance.randrange(counts.events) * PARTS // 2
        view.right = view.left + chance.randrange(4, counts.events) * PARTS
        view.width, view.height, view.strips, view.strip_count = WIDTH, HEIGHT, strips, len(regions)
        owners, failed = ffi.new("uint16_t[]", WIDTH * HEIGHT), ffi.new("uint32_t[]", WIDTH)
        live, most = ffi.new("uint64_t[]", WIDTH), ffi.new("uint64_t[]", WIDTH)
        assert library.hs_lab_history_draw(reader.handle, view, owners, failed, live) == 0
        assert library.hs_lab_history_most(reader.handle, view, most) == 0
        results.append([list(owners), list(failed), list(live), list(most)])
        assert library.hs_lab_history_range(reader.handle, view) == 0
        results.append(read_structs(library.hs_lab_history_sums, reader.handle))
        for _ in range(30):
            number = chance.randrange(len(regions))
            address = regions[number].start + chance.randrange(regions[number].size)
            rows = ffi.new("hs_lab_life_t[3]")
            event = chance.randrange(counts.events)
            library.hs_lab_history_pick(reader.handle, event, number, address, rows)
            results.append(bytes(ffi.buffer(rows)))
    return results


@pytest.mark.parametrize("memory", MEMORIES)
@pytest.mark.parametrize("kind", ["ids", "addresses", "a snapshot"])
def test_a_replay_notes_the_lives_that_are_reported_event_by_event(
    kind: str, memory: str, write_trace: Write, tmp_path: Path, seed: int
) -> None:
    if kind == "a snapshot":
        trace = from_snapshot(tmp_path / "T.hst", seed)
    else:
        by_address = kind == "addresses"
        features = CLOCK | SITES | (ADDRESSES if by_address else 0)
        events = story(1500, seed=seed, addresses=by_address)
        trace = write_trace(events, features=features)
    layout = MEMORIES[memory]
    with (
        replayed(trace, layout, HISTORY) as alone,
        replayed(trace, layout, HISTORY | export.Keep.ROWS) as reported,
    ):
        assert answers(alone, seed) == answers(reported, seed)
        assert read_struct(load().hs_lab_history, alone.handle).blocks > 200
