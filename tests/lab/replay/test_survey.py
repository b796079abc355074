"""The curves that a report draws, recomputed from the replay of every prefix of a trace."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from heapscope.memory.layout.layout import Layout
from heapscope.memory.layout.pool import pool_layout
from heapscope.simulation.replay.run import replay
from heapscope.simulation.replay.survey import ROWS, survey
from heapscope.simulation.result.result import ReplayResult
from heapscope.simulation.result.survey import Survey

MakeTrace = Callable[[str], Path]
POOL = 20_000
EVENTS = 240


def random_lines(events: int, *, seed: int) -> list[str]:
    """Heap events of three tasks: allocations, some that fail, reallocs and frees."""
    chance = random.Random(seed)
    lines: list[str] = []
    live: list[int] = []
    number = 0
    for event in range(events):
        lines.append(f"t {('net', 'script', 'app')[event // 7 % 3]}")
        choice = chance.random()
        if not live or choice < 0.5:
            size = chance.choice((0x1234, 24, 100, 700, 1500, 9000))
            lines.append(f"{chance.choice('aac')} {number} {size}")
            live.append(number)
            number += 1
        elif choice < 0.62:
            lines.append(f"r {chance.choice(live)} {chance.choice((16, 300, 2500))}")
        else:
            lines.append(f"f {live.pop(chance.randrange(len(live)))}")
    return lines


def is_event(line: str) -> bool:
    return line[0] in "acrf"


def prefixes(trace: MakeTrace, lines: list[str], layout: Layout) -> list[ReplayResult]:
    """The state after each heap event; the first is before any."""
    ends = [number for number, line in enumerate(lines, 1) if is_event(line)]
    return [replay(trace("\n".join(lines[:end])), layout, buckets=0) for end in ends]


@pytest.fixture
def lines() -> list[str]:
    return random_lines(EVENTS, seed=11)


@pytest.fixture
def layout() -> Layout:
    return pool_layout(POOL, "idf-5.5")


@pytest.fixture
def states(trace: MakeTrace, lines: list[str], layout: Layout) -> list[ReplayResult]:
    return prefixes(trace, lines, layout)


def lowest(state: ReplayResult, event: int) -> int:
    """Free bytes after an event, or within it where that was a new minimum: a realloc that moves
    holds both blocks for a moment."""
    malloc = state.malloc
    inside = malloc.minimum_free if malloc.minimum_free_event == event else malloc.free
    return min(malloc.free, inside)


def seen(trace: MakeTrace, lines: list[str], layout: Layout, columns: int = 1200) -> Survey:
    return survey(trace("\n".join(lines)), layout, columns=columns)[1]


@pytest.mark.slow
def test_each_column_of_one_event_is_the_state_after_it(
    trace: MakeTrace, lines: list[str], layout: Layout, states: list[ReplayResult]
) -> None:
    got = seen(trace, lines, layout)
    assert len(got.columns) == EVENTS
    for number, (column, moment, state) in enumerate(
        zip(got.columns, got.moments, states, strict=True)
    ):
        malloc = state.malloc
        assert (column.first_event, column.events, moment.event) == (number, 1, number)
        assert column.most_live == column.least_live == moment.live == state.summary.live
        assert moment.free == malloc.free
        assert column.least_free == lowest(state, number)
        assert column.least_largest == moment.largest_allocatable == malloc.largest_allocatable
        assert moment.largest_free == malloc.largest_free
        assert moment.free_blocks == state.regions[0].free_blocks
        held = {row.task: row.payload for row in state.tasks}
        tasks = dict(zip(got.picture.tasks, got.payload[number].tolist(), strict=True))
        assert {task: bytes_ for task, bytes_ in tasks.items() if bytes_} == {
            task: bytes_ for task, bytes_ in held.items() if bytes_
        }


@pytest.mark.cells(1)
@pytest.mark.parametrize("columns", [2, 8, 64])
def test_merged_columns_keep_every_extreme(
    trace: MakeTrace, lines: list[str], layout: Layout, states: list[ReplayResult], columns: int
) -> None:
    got = seen(trace, lines, layout, columns)
    assert columns // 2 <= len(got.columns) <= columns
    assert sum(column.events for column in got.columns) == EVENTS
    for column, moment in zip(got.columns, got.moments, strict=True):
        span = states[column.first_event : column.first_event + column.events]
        live = [state.summary.live for state in span]
        free = [lowest(state, column.first_event + i) for i, state in enumerate(span)]
        largest = [state.malloc.largest_allocatable for state in span]
        assert (column.least_live, column.most_live) == (min(live), max(live))
        assert column.least_free == min(free)
        assert column.least_largest == min(largest)
        first = column.first_event
        assert column.most_live_event == first + live.index(max(live)) == moment.event
        assert column.least_free_event == first + free.index(min(free))
        assert column.least_largest_event == first + largest.index(min(largest))
        assert moment.live == max(live)


@pytest.mark.slow
def test_the_nearest_miss_is_the_request_with_the_least_to_spare(
    trace: MakeTrace, lines: list[str], layout: Layout, states: list[ReplayResult]
) -> None:
    events = [line for line in lines if is_event(line)]
    spare = {}
    for number, line in enumerate(events):
        before = states[number - 1].malloc.largest_allocatable if number else None
        failed = states[number].summary.failures - (
            states[number - 1].summary.failures if number else 0
        )
        if line[0] in "ac" and before is not None and not failed:
            spare[number] = before - int(line.split()[2])
    got = seen(trace, lines, layout).closest[0].closest
    assert got is not None
    # A realloc that had to move is a request too, and can be closer.
    if got.event in spare:
        assert got.spare == min(spare.values())
    else:
        assert events[got.event][0] == "r"
        assert got.spare <= min(spare.values())
    assert got.largest == states[got.event - 1].malloc.largest_allocatable


@pytest.mark.slow
def test_the_map_is_as_full_as_the_heap(
    trace: MakeTrace, lines: list[str], layout: Layout, states: list[ReplayResult]
) -> None:
    picture = seen(trace, lines, layout).picture
    (strip,) = picture.strips
    edges = [POOL * row // strip.rows for row in range(strip.rows + 1)]
    heights = np.diff(edges)
    for number, state in enumerate(states):
        used = (picture.used[number].astype(float) * heights / 255).sum()
        true = POOL - state.malloc.free
        # A cell's share is rounded up to the next 255th.
        assert true - 1 <= used <= true + (heights / 255).sum() + 1


def test_cells_name_blocks_that_lie_in_them_and_live_then(
    trace: MakeTrace, lines: list[str], layout: Layout
) -> None:
    got = seen(trace, lines, layout)
    picture, blocks = got.picture, got.picture.blocks
    (strip,) = picture.strips
    named = 0
    for column, row in zip(*np.nonzero(picture.block), strict=True):
        block = int(picture.block[column, row]) - 1
        event = got.moments[column].event
        died = blocks["died"][block]
        assert blocks["born"][block] <= event
        assert died is None or event < died
        low = strip.start + POOL * int(row) // strip.rows
        high = strip.start + POOL * (int(row) + 1) // strip.rows
        start = blocks["address"][block]
        assert start < high
        assert start + blocks["size"][block] > low
        assert picture.used[column, row]
        named += 1
    assert named > 1000


def expected_lives(lines: list[str], states: list[ReplayResult]) -> set[tuple[object, ...]]:
    """Task, size, birth and death of every block that the heap held, realloc ending one life."""
    lives: set[tuple[object, ...]] = set()
    open_: dict[str, tuple[str, int, int]] = {}
    task, event, failures = "main", -1, 0
    nowhere: set[str] = set()
    for line in lines:
        words = line.split()
        if words[0] == "t":
            task = words[1]
            continue
        event += 1
        failed = states[event].summary.failures > failures
        failures = states[event].summary.failures
        ends = words[0] == "f" or (words[0] == "r" and not failed and words[1] not in nowhere)
        if ends and words[1] in open_:
            lives.add((*open_.pop(words[1]), event))
        if words[0] in "ac" and failed:
            nowhere.add(words[1])
        elif words[0] in "acr" and not failed and words[1] not in nowhere:
            open_[words[1]] = (task, int(words[2]), event)
    return lives | {(*life, None) for life in open_.values()}


@pytest.mark.slow
def test_blocks_of_the_map_have_the_lives_that_the_trace_gave_them(
    trace: MakeTrace, lines: list[str], layout: Layout, states: list[ReplayResult]
) -> None:
    blocks = seen(trace, lines, layout).picture.blocks
    results = set(zip(blocks["task"], blocks["size"], blocks["born"], blocks["died"], strict=True))
    expected = expected_lives(lines, states)
    assert results <= expected
    # All but blocks that never cover most of a row.
    assert {life for life in expected if life[1] >= 300} <= results  # type: ignore[operator]


@pytest.mark.slow
def test_classes_and_sites_hold_what_was_live_at_the_peak(
    trace: MakeTrace, lines: list[str], layout: Layout, states: list[ReplayResult]
) -> None:
    got = seen(trace, lines, layout)
    last = states[-1]
    peak = last.summary.live_peak
    assert sum(row.payload_at_peak for row in got.classes) == peak
    assert [row.payload_at_peak for row in got.sites] == [peak]
    assert sum(row.payload for row in got.classes) == last.summary.live
    assert sum(row.failures for row in got.classes) == last.summary.failures > 0
    counts: dict[int, int] = defaultdict(int)
    for _, size, _, _ in expected_lives(lines, states):
        counts[
            next(row.most for row in got.classes if row.least <= int(str(size)) <= row.most)
        ] += 1
    assert {row.most: row.allocations for row in got.classes if row.allocations} == counts


def test_a_block_whose_free_was_lost_ends_when_its_address_comes_again(
    make_recorded: Callable[[list[tuple[int, int, int]]], Path], layout: Layout
) -> None:
    """Kind, address, size: a later malloc takes the address of the first, which is still live."""
    path = make_recorded([(1, 0x1000, 400), (1, 0x2000, 500), (1, 0x1000, 600), (5, 0x1000, 0)])
    blocks = survey(path, layout)[1].picture.blocks
    lives = sorted(zip(blocks["size"], blocks["born"], blocks["died"], strict=True))
    assert lives == [(400, 0, 2), (500, 1, None), (600, 2, 3)]


@pytest.fixture
def make_recorded(tmp_path: Path) -> Callable[[list[tuple[int, int, int]]], Path]:
    from heapscope.native.events import NativeWriter, event_dtype

    def make(events: list[tuple[int, int, int]]) -> Path:
        rows = np.zeros(len(events), dtype=event_dtype())
        for row, (kind, key, size) in zip(rows, events, strict=True):
            row["kind"], row["key"], row["size"] = kind, key, size
        with NativeWriter(features=1) as writer:
            writer.events(rows)
            writer.finish()
            path = tmp_path / "recorded.hst"
            path.write_bytes(b"".join(writer.take()))
        return path

    return make


def test_statics_and_every_region_have_their_rows(trace: MakeTrace) -> None:
    from dataclasses import replace

    layout = pool_layout(POOL, "idf-4.2")
    (region,) = layout.regions
    second = replace(region, start=region.start + 0x10000, size=900_000, startup_use=400_000)
    layout = replace(layout, regions=(region, second))
    got = seen(trace, ["a 0 100", "a 1 300000", "f 0", "f 1"], layout)
    large, small = got.picture.strips  # the highest address first
    assert small.rows + large.rows <= ROWS
    assert 6 <= small.rows < large.rows
    of_large = got.picture.owner[0, large.first_row : large.first_row + large.rows]
    startup = np.flatnonzero(of_large == 2)
    assert abs(len(startup) - large.rows * 400_000 / 900_000) <= 2
    # The allocator's own structures come first in a region.
    assert got.picture.owner[2:, small.first_row].tolist() == [1, 1]
