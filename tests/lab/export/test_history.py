"""The lives of blocks that pages draw, against a plain model of the same rows of an export."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from heapscope.memory.layout.pool import pool_layout
from heapscope.native import export
from heapscope.native.library import ffi, load
from heapscope.native.reader import NativeReader
from heapscope.native.structs import NEVER, read_struct, read_structs
from heapscope.simulation.replay.config import native_config

from .conftest import FREE, MALLOC, REALLOC, Event, Write, story

POOL = 30_000  #: some requests fail
HISTORY = 16  #: HS_LAB_EXPORT_HISTORY
PARTS = 65_536
ALL = 0xFFFF_FFFF
OK, FAILED, ZERO = 0, 1, 3  #: HS_LAB_OUTCOME_*
WIDTH, HEIGHT = 97, 61


@dataclass
class Block:
    born: int
    address: int
    size: int
    task: int
    site: int
    died: float = float("inf")


@dataclass
class Lives:
    """A reader with the history of its blocks, and the model of them."""

    reader: NativeReader
    blocks: list[Block]
    failed: list[tuple[int, int, int, int]]  # event, size, task, site
    times: list[int]
    start: int
    passing: list[Block]

    @property
    def events(self) -> int:
        return len(self.times)

    def filter(self, **set_to: Any) -> None:
        built = ffi.new("hs_lab_filter_t *", {"task": ALL, "region": ALL, "size_max": ALL})
        kept = []
        for name, value in set_to.items():
            if isinstance(value, list):
                array = ffi.new("uint8_t[]" if name == "sites" else "uint64_t[]", value)
                kept.append(array)
                setattr(built, name.replace("sites", "site").rstrip("s") + "_count", len(value))
                value = array
            setattr(built, name, value)
        assert load().hs_lab_history_filter(self.reader.handle, built) == 0

    def view(self, left: float, right: float, low: int = 0, high: int = POOL) -> Any:
        strip = ffi.new("hs_lab_strip_t[1]")
        strip[0].low, strip[0].high = (self.start + low) * PARTS, (self.start + high) * PARTS
        strip[0].bottom = HEIGHT
        built = ffi.new("hs_lab_view_t *")
        built.left, built.right = round(left * PARTS), round(right * PARTS)
        built.width, built.height, built.strips, built.strip_count = WIDTH, HEIGHT, strip, 1
        self.strip = strip  # lives as long as the view
        return built


def begun(keep: int) -> NativeReader:
    reader = NativeReader(native_config(pool_layout(POOL), needs=[], capsets=None, buckets=64))
    export.begin_export(reader, export.Keep(keep))
    return reader


@pytest.fixture
def lives(write_trace: Write, seed: int) -> Iterator[Lives]:
    trace = write_trace(story(3000, seed=seed))
    with begun(HISTORY) as reader, begun(export.Keep.ROWS) as reported:
        yield replayed(reader, trace, reported)


def replayed(reader: NativeReader, trace: Path, native_reader: NativeReader | None = None) -> Lives:
    """`native_reader`: a reader that keeps the rows; None: the reader keeps them itself, and
    notes the lives event by event."""
    native_reader = native_reader or reader
    for one in {id(reader): reader, id(native_reader): native_reader}.values():
        one.push(trace.read_bytes())
        one.finish()
    live: dict[int, Block] = {}
    result = Lives(reader, [], [], [], 0, [])
    for part in export.take_rows(native_reader):
        for row in part:
            event, key, new = int(row["event"]), int(row["block"]), int(row["new_block"])
            result.times.append(int(row["time"]))
            call, outcome = int(row["call"]), int(row["outcome"])
            if outcome == FAILED:
                what = (event, int(row["size"]), int(row["task"]), int(row["site"]))
                result.failed.append(what)
            freed = outcome == OK or (outcome == ZERO and call == REALLOC and row["freed"])
            if freed and key in live:
                live.pop(key).died = event
            if outcome == OK and call != FREE and row["size"] and row["region"] != ALL:
                if new in live:
                    live.pop(new).died = event
                place = (int(row["address"]), int(row["size"]), int(row["task"]))
                live[new] = Block(event, *place, int(row["site"]))
                result.blocks.append(live[new])
    result.start = read_structs(load().hs_lab_regions, reader.handle)[0].start
    result.passing = result.blocks
    assert len(result.failed) > 20
    return result


def loops(seed: int) -> list[Event]:
    """A program that does nearly the same again and again: blocks lie where others lay."""
    chance, events, live = random.Random(seed), [], []
    for key in range(6000):
        size = 2 * POOL if key % 200 == 0 else chance.choice((24, 24, 64, 300))
        task, site = chance.choice((1, 1, 2)), chance.choice((1, 1, 3))
        events.append(Event(MALLOC, key, size, len(events), task, site))
        if key % 200 != 0:
            live.append(key)
        while len(live) > 30 or (live and chance.random() < 0.45):
            old = live.pop(-1 if chance.random() < 0.8 else chance.randrange(len(live)))
            events.append(Event(FREE, old, time=len(events)))
    return events


@pytest.fixture
def looping(write_trace: Write, seed: int) -> Iterator[Lives]:
    with begun(HISTORY | export.Keep.ROWS) as reader:
        yield replayed(reader, write_trace(loops(seed)))


#: Filters as the engine takes them, and what each lets pass of a block and the number of events.
FILTERS: tuple[tuple[dict[str, Any], Callable[[Block, int], bool]], ...] = (
    ({}, lambda one, events: True),
    ({"task": 2}, lambda one, events: one.task == 2),
    ({"size_min": 60}, lambda one, events: one.size >= 60),
    ({"age": 9}, lambda one, events: min(one.died, events) - one.born >= 9),
    ({"stays": 1}, lambda one, events: one.died == float("inf")),
    ({"by_site": 1, "sites": [0, 0, 0, 1]}, lambda one, events: one.site == 3),
)


def windows(lives: Lives, seed: int) -> Iterator[tuple[float, float]]:
    chance = random.Random(seed)
    yield 0, lives.events
    for _ in range(6):
        left = chance.uniform(0, lives.events - 5)
        yield left, chance.uniform(left + 4, lives.events)


def drawn(lives: Lives, view: Any) -> tuple[list[int], list[int], list[int], list[int]]:
    """Owners by pixel; by column, failed requests, live bytes at its end and the most in it."""
    owners = ffi.new("uint16_t[]", view.width * HEIGHT)
    failed = ffi.new("uint32_t[]", view.width)
    live, most = ffi.new("uint64_t[]", view.width), ffi.new("uint64_t[]", view.width)
    handle = lives.reader.handle
    assert load().hs_lab_history_draw(handle, view, owners, failed, live) == 0
    assert load().hs_lab_history_most(handle, view, most) == 0
    return list(owners), list(failed), list(live), list(most)


def test_there_are_as_many_blocks_failures_and_events_as_rows_tell(lives: Lives) -> None:
    struct = read_struct(load().hs_lab_history, lives.reader.handle)
    assert (struct.events, struct.failures) == (lives.events, len(lives.failed))
    assert struct.blocks >= len(lives.blocks)  # those of 0 bytes are among them
    assert len(lives.blocks) > 500


def test_a_pixel_has_the_block_born_last_of_those_in_it(lives: Lives, seed: int) -> None:
    for left, right in windows(lives, seed):
        across = WIDTH / (right - left)
        wanted = [0] * (WIDTH * HEIGHT)
        for block in lives.blocks:
            if block.born >= right or block.died <= left:
                continue
            end = WIDTH if block.died == float("inf") else int((block.died - left) * across)
            x0 = max(0, int((block.born - left) * across))
            below = block.address - lives.start
            y1 = HEIGHT - int(below * HEIGHT / POOL)
            top = HEIGHT - (below + block.size) * HEIGHT / POOL
            y0 = max(0, min(y1 - 1, int(top + 0.5)))
            for x in range(x0, min(WIDTH, max(x0 + 1, end))):
                for y in range(y0, y1):
                    wanted[x * HEIGHT + y] = block.task + 1
        assert drawn(lives, lives.view(left, right))[0] == wanted


def wide_picture(lives: Lives, left: float, right: float, columns: int) -> Any:
    """A picture of few columns, in which groups of blocks have one column; and its live bytes."""
    view = lives.view(left, right)
    view.width = columns
    owners, _, live, most = drawn(lives, view)
    return owners, live, most


def walked(lives: Lives, blocks: list[Block], left: float, right: float, columns: int) -> Any:
    """The same by a walk over all blocks, and over all events."""
    across = columns / (right - left)
    owners, live, most = [0] * (columns * HEIGHT), [0] * columns, [0] * columns
    change: dict[float, int] = defaultdict(int)
    for block in blocks:
        change[block.born] += block.size
        change[block.died] -= block.size
        if block.born >= right or block.died <= int(left):
            continue
        end = columns if block.died == float("inf") else int((block.died - left) * across)
        x0, below = max(0, int((block.born - left) * across)), block.address - lives.start
        y1 = HEIGHT - int(below * (HEIGHT / POOL))
        top = int(max(0, (below + block.size) * (HEIGHT / POOL) - 0.5) // 1)
        exact = (below + block.size) * (HEIGHT / POOL) - 0.5
        y0 = min(y1 - 1, HEIGHT - (top + 1 if exact > top else top))
        for x in range(x0, min(columns, max(x0 + 1, end))):
            owners[x * HEIGHT + y0 : x * HEIGHT + y1] = [block.task + 1] * (y1 - y0)
    now = 0
    for event in range(lives.events):
        now += change[event]
        if event + 1 > left and event < right:
            x0 = max(0, int((event - left) * across))
            for x in range(x0, min(columns, max(x0 + 1, int((event + 1 - left) * across)))):
                live[x], most[x] = now, max(most[x], now)
    return owners, live, most


def test_a_picture_without_hidden_blocks_is_the_picture_of_all(looping: Lives, seed: int) -> None:
    chance = random.Random(seed)
    for given, passes in FILTERS:
        looping.filter(**given)
        blocks = [one for one in looping.blocks if passes(one, looping.events)]
        for left, right in [*windows(looping, chance.randrange(2**32))][:4]:
            columns = chance.randrange(1, 9)
            result = wide_picture(looping, left, right, columns)
            assert result == walked(looping, blocks, left, right, columns)


def test_a_filter_that_was_set_before_asks_later_blocks_too(write_trace: Write, seed: int) -> None:
    trace = write_trace(loops(seed))
    with begun(HISTORY) as reader, begun(export.Keep.ROWS) as reported:
        Lives(reader, [], [], [], 0, []).filter(task=2, age=9)
        lives = replayed(reader, trace, reported)
        blocks = [b for b in lives.blocks if b.task == 2 and FILTERS[3][1](b, lives.events)]
        window = (0.0, float(lives.events))
        assert wide_picture(lives, *window, 5) == walked(lives, blocks, *window, 5)


def test_failed_requests_stand_in_their_columns(lives: Lives, seed: int) -> None:
    for left, right in windows(lives, seed):
        wanted = [0] * WIDTH
        for event, *_ in lives.failed:
            if left <= event < right:
                wanted[min(WIDTH - 1, int((event - left) / (right - left) * WIDTH))] += 1
        assert drawn(lives, lives.view(left, right))[1] == wanted


def test_a_column_has_the_most_bytes_that_were_live_in_it(lives: Lives, seed: int) -> None:
    change: dict[float, int] = defaultdict(int)
    for block in lives.blocks:
        change[block.born] += block.size
        change[block.died] -= block.size
    for left, right in windows(lives, seed):
        across, now, wanted = WIDTH / (right - left), 0, [0] * WIDTH
        for event in range(lives.events):
            now += change[event]
            if event + 1 <= left or event >= right:
                continue
            x0 = max(0, int((event - left) * across))
            for x in range(x0, min(WIDTH, max(x0 + 1, int((event + 1 - left) * across)))):
                wanted[x] = max(wanted[x], now)
        assert drawn(lives, lives.view(left, right))[3] == wanted


@pytest.mark.parametrize(
    "name", ["task", "size", "age", "stays", "site", "holder", "region", "other region"]
)
def test_a_filter_lets_through_what_it_says(lives: Lives, name: str) -> None:
    holders = [4 << 32 | 2, 1 << 32 | 5]
    filters: dict[str, Any] = {
        "task": ({"task": 3}, lambda one: one.task == 3),
        "size": ({"size_min": 60, "size_max": 1010}, lambda one: 60 <= one.size <= 1010),
        "age": ({"age": 40}, lambda one: min(one.died, lives.events) - one.born >= 40),
        "stays": ({"stays": 1}, lambda one: one.died == float("inf")),
        "site": ({"by_site": 1, "sites": [0, 1, 0, 1]}, lambda one: one.site in (1, 3)),
        "holder": (
            {"by_holder": 1, "holders": holders},
            lambda one: one.died == float("inf") and one.task << 32 | one.site in holders,
        ),
        "region": ({"region": 0}, lambda _: True),
        "other region": ({"region": 1}, lambda _: False),
    }
    given, passes = filters[name]
    lives.filter(**given)
    view = lives.view(0, lives.events)
    assert load().hs_lab_history_range(lives.reader.handle, view) == 0
    structs = read_structs(load().hs_lab_history_sums, lives.reader.handle)
    passing = [one for one in lives.blocks if passes(one)]
    assert sum(row.blocks for row in structs) == len(passing)
    assert sum(row.bytes for row in structs) == sum(one.size for one in passing)


def test_a_range_is_summed_by_task_and_site(lives: Lives, seed: int) -> None:
    for left, right in windows(lives, seed):
        low, high = POOL // 4, POOL // 2
        wanted: dict[tuple[int, int], list[int]] = defaultdict(lambda: [0] * 4)
        for one in lives.blocks:
            inside = one.address - lives.start < high and one.address - lives.start + one.size > low
            if left <= one.born < right and inside:
                stays = one.died >= right
                for i, value in enumerate((1, one.size, stays, stays * one.size)):
                    wanted[one.task, one.site][i] += value
        assert (
            load().hs_lab_history_range(lives.reader.handle, lives.view(left, right, low, high))
            == 0
        )
        rows = read_structs(load().hs_lab_history_sums, lives.reader.handle)
        result = {(r.task, r.site): [r.blocks, r.bytes, r.stayed, r.stayed_bytes] for r in rows}
        assert result == wanted


def test_two_moments_differ_by_what_is_live(lives: Lives, seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(6):
        first, second = (chance.randrange(lives.events) for _ in range(2))
        wanted: dict[tuple[int, int], int] = defaultdict(int)
        for one in lives.blocks:
            for event, sign in ((first, -1), (second, 1)):
                if one.born <= event < one.died:
                    wanted[one.task, one.site] += sign * one.size
        assert load().hs_lab_history_difference(lives.reader.handle, first, second) == 0
        rows = read_structs(load().hs_lab_history_sums, lives.reader.handle)
        result = {(row.task, row.site): row.bytes for row in rows if row.bytes}
        assert result == {who: size for who, size in wanted.items() if size}


def test_failed_requests_are_summed_in_place_of_blocks(lives: Lives) -> None:
    lives.filter(failed=1, task=2)
    assert load().hs_lab_history_range(lives.reader.handle, lives.view(100, 2500)) == 0
    rows = read_structs(load().hs_lab_history_sums, lives.reader.handle)
    wanted = [size for event, size, task, _ in lives.failed if 100 <= event < 2500 and task == 2]
    assert sum(row.bytes for row in rows) == sum(wanted)
    assert sum(row.blocks for row in rows) == len(wanted)
    assert not any(drawn(lives, lives.view(0, lives.events))[0])


def test_a_block_is_detected_with_its_neighbours(lives: Lives, seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(300):
        event, address = chance.randrange(lives.events), lives.start + chance.randrange(POOL)
        rows = ffi.new("hs_lab_life_t[3]")
        load().hs_lab_history_pick(lives.reader.handle, event, 0, address, rows)
        at = [b for b in lives.blocks if b.born <= event < b.died]
        matches = [b for b in at if b.address <= address < b.address + b.size]
        if not matches:
            assert rows[0].block == ALL
            continue
        (one,) = matches
        died = NEVER if one.died == float("inf") else one.died
        assert (rows[0].born, rows[0].died, rows[0].size) == (one.born, died, one.size)
        assert rows[0].born_time == lives.times[one.born]
        near = [b.address for b in lives.blocks if b.born <= one.born < b.died and b is not one]
        below = max((n for n in near if n < one.address), default=None)
        above = min((n for n in near if n > one.address), default=None)
        results = [None if row.block == ALL else row.address for row in rows[1:3]]
        assert results == [below, above]


def test_times_lead_to_events_and_back(lives: Lives, seed: int) -> None:
    chance = random.Random(seed)
    for event in chance.sample(range(lives.events), 100):
        assert load().hs_lab_history_time(lives.reader.handle, event) == lives.times[event]
        time = lives.times[event] + chance.choice((-1, 0, 1))
        wanted = next((n for n, at in enumerate(lives.times) if at >= time), lives.events)
        assert load().hs_lab_history_event(lives.reader.handle, time) == wanted


def test_a_reader_without_a_history_has_an_empty_one() -> None:
    with NativeReader() as reader:
        assert read_struct(load().hs_lab_history, reader.handle).events == 0
        assert load().hs_lab_history_time(reader.handle, 5) == 0
        assert read_structs(load().hs_lab_history_sums, reader.handle) == ()
