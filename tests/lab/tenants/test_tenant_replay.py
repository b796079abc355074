"""Blocks of the system lie in the heaps as blocks of a trace do, and each is its task's."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from heapscope.base.capabilities import DMA, EIGHT_BIT, INTERNAL, SPIRAM
from heapscope.memory.layout.build import Psram
from heapscope.memory.layout.chips import load_chip
from heapscope.memory.layout.layout import Layout, Tenant
from heapscope.simulation.replay.run import replay
from heapscope.simulation.result.result import ReplayResult

MakeTrace = Callable[..., Path]


def layout(*tenants: Tenant, chip: str = "esp32", psram: int = 0) -> Layout:
    external = Psram(size=psram) if psram else None
    built = load_chip(chip).layout(idf="5.5", startup_use=0, psram=external)
    return replace(built, tenants=tenants)


def tenant(task: str, size: int, count: int = 1, caps: int = 0) -> Tenant:
    return Tenant(task=task, size=size, count=count, caps=caps)


def by_task(replay_result: ReplayResult) -> dict[str, tuple[int, int, int]]:
    """Payload at the peak, blocks at the peak and payload at the end, of all kinds of memory."""
    rows: dict[str, tuple[int, int, int]] = {}
    for row in replay_result.tasks:
        peak, blocks, now = rows.get(row.task, (0, 0, 0))
        rows[row.task] = (peak + row.payload_peak, blocks + row.blocks_peak, now + row.payload)
    return rows


@pytest.mark.parametrize("number", range(4))
def test_a_replay_is_as_if_the_trace_had_allocated_the_blocks_first(
    make_trace: MakeTrace, seed: int, number: int
) -> None:
    draw = random.Random(f"{seed} {number}")
    print(f"seed {seed}, case {number}")
    tenants = [
        tenant(draw.choice(("wifi", "tiT")), draw.randrange(1, 5_000), draw.randrange(1, 9))
        for _ in range(12)
    ]
    first, events, live = [], ["t app"], []
    for each in tenants:
        first.append(f"t {each.task}")
        first += [f"a {len(first) + n} {each.size}" for n in range(each.count)]
    for at in range(10_000, 10_600):
        events.append(f"a {at} {draw.randrange(1, 3_000)}")
        live.append(at)
        if len(live) > 60:
            events.append(f"f {live.pop(draw.randrange(len(live)))}")
    alone = make_trace(*events, name="alone.hst")
    beside = replay(alone, layout(*tenants))
    merged = replay(make_trace(*first, *events, name="merged.hst"), layout())

    def places(replay_result: ReplayResult) -> list[tuple[object, ...]]:
        rows = replay_result.regions
        return [(r.free, r.payload, r.rounding, r.used_blocks, r.minimum_free) for r in rows]

    assert places(beside) == places(merged)
    assert beside.summary.live_peak == merged.summary.live_peak
    assert beside.summary.tightest.payload == merged.summary.tightest.payload
    assert [s.peak_payload for s in beside.sets] == [s.peak_payload for s in merged.sets]
    assert by_task(beside) == by_task(merged)


def test_the_figures_of_the_trace_itself_do_not_count_the_system(make_trace: MakeTrace) -> None:
    trace = make_trace("a 0 100", "a 1 50", "f 0", "f 0")
    plain, beside = (replay(trace, each) for each in (layout(), layout(tenant("wifi", 99, 3))))
    assert beside.census == plain.census
    assert beside.summary.double_frees == plain.summary.double_frees == 1
    assert beside.summary.live_blocks == plain.summary.live_blocks + 3


def test_a_stack_is_booked_on_the_task_of_that_name_in_the_trace(make_trace: MakeTrace) -> None:
    """main is the trace's first task, also where no line names it."""
    trace = make_trace("a 0 100", "t net", "a 1 200")
    result = replay(trace, layout(tenant("main", 3584), tenant("net", 1000), tenant("tiT", 50)))
    tasks = {row.task: (row.payload_peak, row.task_index) for row in result.tasks}
    assert tasks == {"main": (3684, 0), "net": (1200, 1), "tiT": (50, 2)}


def test_blocks_land_where_their_capabilities_are(make_trace: MakeTrace) -> None:
    wanted = (
        tenant("wifi", 2_000, 3, INTERNAL | EIGHT_BIT | DMA),
        tenant("tiT", 9_000, 1, SPIRAM | EIGHT_BIT),
    )
    result = replay(make_trace("a 0 4"), layout(*wanted, psram=4 << 20, chip="esp32s3"))
    kinds = {row.task: row.kind for row in result.tasks}
    assert (kinds["wifi"], kinds["tiT"]) == ("RAM", "SPIRAM")


def test_a_block_without_room_is_stated(make_trace: MakeTrace) -> None:
    result = replay(make_trace("a 0 4"), layout(tenant("wifi", 900_000)))
    assert result.summary.startup_unplaced == 900_000
    assert result.summary.failures == 0
