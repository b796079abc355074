"""The model of a placement: blocks, classes and the programme, held against simple ones."""

from __future__ import annotations

import itertools
import math
import random
import time
from pathlib import Path

import numpy as np
import pytest

import heapscope as hs
from heapscope.answers.place.blocks import TracedBlocks, read_blocks
from heapscope.answers.place.classes import Classes, classes_of
from heapscope.answers.place.memories import (
    FixedPool,
    PlaceTarget,
    least_beyond,
    start_room,
    taken,
    targets,
)
from heapscope.answers.place.programme import Programme
from heapscope.answers.place.usage import Usage, held_by
from heapscope.answers.why.recording import Recording, read_recording
from heapscope.base.capabilities import DEFAULT, EIGHT_BIT, INTERNAL, SPIRAM, WORD
from heapscope.memory.layout.layout import Layout, MallocRule, Region
from heapscope.native.library import fixed_memory

from .conftest import Event, Story

INSIDE = (EIGHT_BIT | WORD | INTERNAL | DEFAULT, 0, 0)
SIZES = (24, 56, 120, 504, 1016)
TASKS = ("net", "app")


def chip(inside: int = 1 << 20) -> Layout:
    """Internal memory, and PSRAM that only rules ask for."""
    outside = (EIGHT_BIT | WORD | SPIRAM, 0, 0)
    regions = (
        Region(start=0x3FFB_0000, size=inside, kind="DRAM", caps=INSIDE, allocator="idf-5.5"),
        Region(start=0x3F80_0000, size=1 << 21, kind="SPIRAM", caps=outside, allocator="idf-5.5"),
    )
    return Layout(name="two memories", regions=regions, malloc=MallocRule(small=DEFAULT))


def story(random_: random.Random, *, events: int, resizes: bool) -> tuple[Event, ...]:
    """Blocks come, are resized and go, at random."""
    built: list[Event] = []
    live: list[int] = []
    born = 0  # blocks are numbered in the order of their allocations
    for _ in range(events):
        task = random_.randrange(len(TASKS))
        if live and random_.random() < 0.4:
            old = live.pop(random_.randrange(len(live)))
            built.append({"kind": "free", "key": old})
        elif resizes and live and random_.random() < 0.4:
            size, key = random_.choice(SIZES), random_.choice(live)
            built.append({"kind": "realloc", "key": key, "size": size, "task": task})
        else:
            live.append(born)
            size = random_.choice(SIZES)
            built.append({"kind": "malloc", "key": born, "size": size, "task": task})
            born += 1
    return tuple(built)


def recorded(events: tuple[Event, ...], folder: Path) -> Recording:
    return read_recording(Story(events=events, names={"task": TASKS}).write(folder / "T.hst"))


def modelled(
    recording: Recording, layout: Layout
) -> tuple[TracedBlocks, Classes, tuple[PlaceTarget, ...], Usage]:
    blocks = read_blocks(recording)
    classes = classes_of(blocks, recording.names)
    slow = tuple(each for each in targets(layout, start_room(layout)) if each.weight)
    return blocks, classes, slow, Usage(blocks, classes, held_by(blocks, layout), slow)


def live_bytes(events: tuple[Event, ...]) -> list[int]:
    """Payload after each event, by a dictionary."""
    held: dict[int, int] = {}
    totals = []
    for event in events:
        if event["kind"] == "free":
            del held[event["key"]]
        else:
            held[event["key"]] = event["size"]
        totals.append(sum(held.values()))
    return totals


@pytest.mark.parametrize("resizes", [False, True])
def test_the_blocks_are_those_that_a_dictionary_holds(
    seed: int, tmp_path: Path, resizes: bool
) -> None:
    print(f"seed {seed}")
    events = story(random.Random(f"blocks {seed}"), events=300, resizes=resizes)
    blocks = read_blocks(recorded(events, tmp_path))
    held = np.zeros(blocks.events + 1, dtype=np.int64)
    sizes = blocks.requested["size"][blocks.request].astype(np.int64)
    np.add.at(held, blocks.begin, sizes)
    np.add.at(held, blocks.end, -sizes)
    assert np.cumsum(held)[:-1].tolist() == live_bytes(events)
    parents = blocks.parent[blocks.parent >= 0]
    assert len(parents) == sum(event["kind"] == "realloc" for event in events)
    assert (blocks.end[parents] == blocks.begin[blocks.parent >= 0]).all()


def least_peak(
    events: tuple[Event, ...], classes: Classes, budget: float, cost: dict[int, int]
) -> float:
    """The least peak of all sets of classes whose bytes keep the budget, one by one."""
    keys = [(row.owner.task, row.least) for row in classes.rows]
    results = [row.requested for row in classes.rows]
    best = math.inf
    for moved in itertools.product((False, True), repeat=len(keys)):
        if sum(n for n, out in zip(results, moved, strict=True) if out) > budget:
            continue
        out_of = {key for key, out in zip(keys, moved, strict=True) if out}
        held: dict[int, int] = {}
        peak = 0
        for event in events:
            if event["kind"] == "free":
                held.pop(event["key"], None)
            elif (TASKS[event["task"]], event["size"]) not in out_of:
                held[event["key"]] = cost[event["size"]]
            peak = max(peak, sum(held.values()))
        best = min(best, peak)
    return best


@pytest.mark.parametrize("percent", [0, 10, 35])
def test_the_programme_finds_the_least_peak_of_all_assignments(
    seed: int, tmp_path: Path, percent: int
) -> None:
    print(f"seed {seed}")
    events = story(random.Random(f"programme {seed} {percent}"), events=120, resizes=False)
    layout = chip()
    _, classes, slow, usage = modelled(recorded(events, tmp_path), layout)
    budget = percent / 100 * classes.total
    result = Programme(usage=usage, targets=slow, budget=budget).solve(until=time.monotonic() + 60)
    assert result is not None
    sizes = np.array(SIZES)
    cost = dict(zip(SIZES, taken(["idf-5.5"], sizes).tolist(), strict=True))
    least = least_peak(events, classes, budget, cost)
    assert result.optimal
    assert result.stays == pytest.approx(least)
    assert result.bound == pytest.approx(least, abs=2)
    requested = np.array([row.requested for row in classes.rows])
    assert requested @ result.moved[:, 0] <= budget


def test_the_bound_holds_where_resized_blocks_stay(seed: int, tmp_path: Path) -> None:
    """The bytes that count as inside are never more than by the last request alone."""
    print(f"seed {seed}")
    random_ = random.Random(f"resized {seed}")
    layout = chip()
    recording = recorded(story(random_, events=200, resizes=True), tmp_path)
    blocks, classes, slow, usage = modelled(recording, layout)
    strict = Usage(blocks, classes, held_by(blocks, layout), slow, resized_stay=False)
    for _ in range(20):
        moved = np.array([[random_.random() < 0.4] for _ in classes.rows])
        loose_peak = usage.over_time(usage.shares(moved)).max()
        assert loose_peak <= strict.over_time(strict.shares(moved)).max()


def test_a_block_takes_its_header_and_what_rounding_adds() -> None:
    assert taken(["idf-5.5"], np.array([1, 12, 13, 100])).tolist() == [16, 16, 20, 104]
    assert taken(["idf-5.5", "heapscope"], np.array([13])).tolist() == [16]  # the one with less


def test_many_sizes_of_an_owner_are_taken_together_between_powers_of_two(tmp_path: Path) -> None:
    events = tuple(
        {"kind": "malloc", "key": number - 1, "size": number, "task": 0} for number in range(1, 200)
    )
    _, classes, _, _ = modelled(recorded(events, tmp_path), chip())
    ends = [row.most for row in classes.rows]
    assert {4, 8, 16, 32, 64, 128} <= set(ends)
    assert all(row.least <= row.most for row in classes.rows)
    assert [row.least for row in classes.rows[1:]] == [end + 1 for end in ends[:-1]]
    assert sum(row.requests for row in classes.rows) == 199


# ---- pools of fixed blocks -----------------------------------------------------------------------


def pool_of(block: int) -> PlaceTarget:
    pool = FixedPool(name=f"{block} bytes", block=block, alignment=8, source="DRAM")
    return PlaceTarget(
        name=pool.name, regions=(), weight=0, room=1 << 20, caps=INSIDE[0], pool=pool
    )


def least_with_pools(
    events: tuple[Event, ...], classes: Classes, pools: tuple[int, ...], cost: dict[int, int]
) -> float:
    """The least peak over all ways to leave each class, or to send it to one of the pools. A pool
    takes its memory all the time, for as many blocks as it ever has at once."""
    keys = [(row.owner.task, row.least) for row in classes.rows]
    best = math.inf
    able = [[0, *(block for block in pools if block >= size)] for _, size in keys]
    for chosen in itertools.product(*able):
        where = dict(zip(keys, chosen, strict=True))
        held: dict[int, tuple[int, int]] = {}  # block: its pool, or 0, and its bytes
        peak, most = 0, dict.fromkeys(pools, 0)
        for event in events:
            if event["kind"] == "free":
                held.pop(event["key"], None)
            else:
                pool = where[TASKS[event["task"]], event["size"]]
                held[event["key"]] = pool, 0 if pool else cost[event["size"]]
            peak = max(peak, sum(bytes_ for _, bytes_ in held.values()))
            for block in pools:
                most[block] = max(most[block], sum(pool == block for pool, _ in held.values()))
        peak += sum(fixed_memory(count, block, 8) for block, count in most.items() if count)
        best = min(best, peak)
    return best


def test_the_programme_finds_the_least_peak_with_pools(seed: int, tmp_path: Path) -> None:
    """Its bound may be lower by the words of bits, of which it counts the bits that are used."""
    print(f"seed {seed}")
    gained = 0
    for number in range(4):
        events = story(random.Random(f"pools {seed} {number}"), events=250, resizes=False)
        if number % 2:  # one size alone
            events = tuple(e | {"size": 24} if "size" in e else e for e in events)
        layout = chip()
        recording = recorded(events, tmp_path)
        blocks = read_blocks(recording)
        classes = classes_of(blocks, recording.names)
        pools = (24, 56)
        results = tuple(map(pool_of, pools))
        usage = Usage(blocks, classes, held_by(blocks, layout), results)
        result = Programme(usage=usage, targets=results, budget=0).solve(
            until=time.monotonic() + 60
        )
        assert result is not None
        cost = dict(zip(SIZES, taken(["idf-5.5"], np.array(SIZES)).tolist(), strict=True))
        least = least_with_pools(events, classes, pools, cost)
        assert result.bound <= least + 1 <= result.stays + 1
        assert result.stays <= least + 16
        assert result.bound >= least - 16
        without = usage.over_time(np.ones(len(usage.units))).max()
        gained += least < without
        for place, count in enumerate(result.counts):
            chosen = usage.in_target(result.moved, place)
            most = usage.blocks_over_time(chosen).max() if chosen.any() else 0
            assert count == most
    assert gained


def test_classes_of_resized_blocks_go_to_no_pool(tmp_path: Path) -> None:
    events = (
        {"kind": "malloc", "key": 0, "size": 24, "task": 0},
        {"kind": "realloc", "key": 0, "size": 56, "task": 0},
        {"kind": "malloc", "key": 1, "size": 24, "task": 1},
    )
    recording = recorded(events, tmp_path)
    blocks = read_blocks(recording)
    classes = classes_of(blocks, recording.names)
    usage = Usage(blocks, classes, held_by(blocks, chip()), (pool_of(56),))
    able = {number for unit in usage.units if unit.fits[0] for number in unit.classes}
    owners = {(classes.rows[number].owner.task, classes.rows[number].least) for number in able}
    assert owners == {("app", 24)}


def test_a_resized_block_may_take_less_than_a_new_one(tmp_path: Path) -> None:
    """ESP-IDF's heap gives a large new block to the end of a class of sizes, a resized one not."""
    events: list[Event] = []
    for key in range(20):
        events += [{"kind": "malloc", "key": key, "size": 4000, "task": 0}]
        events += [{"kind": "realloc", "key": key, "size": 8200, "task": 0}]
    path = Story(events=tuple(events), names={"task": TASKS}).write(tmp_path / "T.hst")
    result = hs.place(path, pool="256KB")
    assert result.ways[0].free <= result.bound
    assert taken(["idf-5.5"], np.array([8200])).tolist() == [8708]
    assert least_beyond(["idf-5.5"]) == 4
