"""A plan's arithmetic: every cell once, every batch whole, and no more room for a million cells."""

from __future__ import annotations

import itertools
import json
import random
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from heapscope.base.errors import InputError
from heapscope.fleet.sweep.axis import Axis, Steps
from heapscope.fleet.sweep.plan import (
    BATCH_CELLS,
    BATCH_EVENTS,
    PlannedTrace,
    Recipe,
    SweepGrid,
    SweepPlan,
)
from heapscope.fleet.sweep.plan_file import read_plan
from heapscope.simulation.jitter.runs import Jitter

WritePlan = Callable[..., Path]


def plan_of(
    grids: list[dict[str, list[str] | Steps]], events: list[int], runs: int = 0
) -> SweepPlan:
    recipe = Recipe(
        grids=tuple(
            SweepGrid(tuple(Axis(name, values) for name, values in grid.items())) for grid in grids
        ),
        needs=(),
        jitter=Jitter(runs=runs) if runs else None,
        files={},
    )
    traces = tuple(
        PlannedTrace(name=f"t{at}", content=f"{at:032x}", events=count)
        for at, count in enumerate(events)
    )
    return SweepPlan(traces=traces, recipe=recipe, prices={})


def random_plan(chance: random.Random) -> SweepPlan:
    def values(name: str) -> list[str] | Steps:
        count = chance.randint(1, 4)
        if name == "pool":
            return Steps(chance.randint(64, 999), chance.randint(1, 99), count)
        return [f"{name}{at}" for at in range(count)]

    grids = [
        {name: values(name) for name in chance.sample(["chip", "idf", "pool", "allocator"], 2)}
        for _ in range(chance.randint(1, 3))
    ]
    events = [chance.choice([0, 10, 5000, 10**6, 10**8]) for _ in range(chance.randint(1, 6))]
    return plan_of(grids, events, runs=chance.choice([0, 0, 3]))


def test_each_combination_is_one_cell_in_the_order_that_is_reported(seed: int) -> None:
    chance = random.Random(seed)
    print(f"seed {seed}")
    for _ in range(50):
        plan = random_plan(chance)
        expected = [
            (trace, dict(zip((axis.name for axis in grid.axes), chosen, strict=True)), run)
            for trace in range(len(plan.traces))
            for grid in plan.recipe.grids
            for chosen in itertools.product(*(list(axis.values) for axis in grid.axes))
            for run in range(plan.recipe.runs)
        ]
        cells = [plan.recipe.cell(number) for number in range(plan.cell_count)]
        assert [(cell.trace, cell.options, cell.run) for cell in cells] == expected


def test_batches_are_all_cells_once_and_about_a_second(seed: int) -> None:
    chance = random.Random(seed)
    print(f"seed {seed}")
    for _ in range(100):
        plan = random_plan(chance)
        batches = list(plan.batches())
        assert [batch.number for batch in batches] == list(range(len(batches)))
        numbers = [cell.number for batch in batches for cell in plan.recipe.cells(batch)]
        assert numbers == list(range(plan.cell_count))
        for batch in batches:
            cost = sum(plan.traces[cell.trace].events for cell in plan.recipe.cells(batch))
            assert batch.cells == 1 or cost <= BATCH_EVENTS
            assert batch.cells <= BATCH_CELLS
            places = plan.recipe.traces_of(batch)
            assert {cell.trace for cell in plan.recipe.cells(batch)} == set(places)


def test_a_batch_is_filled_with_the_cells_of_short_traces() -> None:
    plan = plan_of([{"chip": ["esp32"]}], [100] * 2000)
    assert len(list(plan.batches())) == 1


def test_a_million_cells_are_planned_in_the_room_of_few() -> None:
    axes = {"allocator": [f"a{at}" for at in range(10)], "pool": Steps(1024, 8, 1000)}
    plan = plan_of([axes], [272_233] * 100)
    assert plan.cell_count == 1_000_000
    tracemalloc.start()
    try:
        cells = sum(batch.cells for batch in plan.batches())
        last = plan.recipe.cell(plan.cell_count - 1)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert cells == 1_000_000
    assert last.options == {"allocator": "a9", "pool": str(1024 + 8 * 999)}
    assert peak < 100_000


def test_a_plan_is_the_same_after_its_document(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(20):
        plan = random_plan(chance)
        again = SweepPlan.from_json(json.loads(json.dumps(plan.to_json())))
        assert again.hash == plan.hash
        assert list(again.batches()) == list(plan.batches())


def test_a_plan_names_its_traces_by_patterns_and_sizes_by_steps(write_plan: WritePlan) -> None:
    path = write_plan(
        'traces = ["s*.hst", "large.hst"]\nneed = [100, "1KB:DMA"]\n'
        "[jitter]\nruns = 2\nseed = 7\n"
        '[[grid]]\npool = { from = "16KB", to = "32KB", step = "4KB" }\n'
        'allocator = ["idf-5.5", "tlsf"]\n[[grid]]\nchip = "esp32c3"\nrtc = [true, false]\n'
    )
    plan = read_plan(path).plan
    assert [trace.name for trace in plan.traces] == ["small.hst", "large.hst"]
    assert plan.cell_count == 2 * (5 * 2 + 2) * 3
    assert plan.recipe.cell(0).options == {"pool": "16384", "allocator": "idf-5.5"}
    assert plan.recipe.cell(10 * 3).options == {"chip": "esp32c3", "rtc": "on"}
    assert [need.text for need in plan.recipe.needs] == ["100", "1024:DMA"]


BASE = 'traces = "small.hst"\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[grid]]\nchip = 'esp32'\n", "traces: missing"),
        (BASE, "grid: missing"),
        (BASE + "[[grid]]\n", "the grid is empty"),
        (BASE + "chips = 3\n[[grid]]\nchip = 'esp32'\n", "line 2: chips: unknown key"),
        (BASE + "[[grid]]\nchp = 'esp32'\n", "line 3: grid 1, chp: unknown key"),
        (BASE + "[[grid]]\nchip = 'esp32'\npool = '64KB'\n", "cannot be used together"),
        (BASE + "[[grid]]\nchip = ['esp32', 'esp33']\n", "chip = 'esp33'"),
        (BASE + "[[grid]]\nchip = ['esp32', 'esp32']\n", "stands there twice"),
        (BASE + "[[grid]]\nchip = []\n", "no values"),
        (BASE + "[[grid]]\npool = ['64KB', 65536]\n", "'65536' stands there twice"),
        (BASE + "[[grid]]\npool = { from = 9000, to = 800, step = 8 }\n", "is above to"),
        (BASE + "[[grid]]\npool = { from = 800, to = 9000, step = 0 }\n", "a step of 0"),
        (BASE + "[[grid]]\npool = { from = 800, to = 9000 }\n", "has the keys from, to"),
        (BASE + "[[grid]]\nchip = { from = 1, to = 2, step = 1 }\n", "no sizes to step through"),
        (BASE + "[[grid]]\npsram = 'least'\nchip = 'esp32'\n", "psram"),
        (BASE + "[[grid]]\nsdkconfig = 'none.cfg'\nchip = 'esp32'\n", "cannot be read"),
        (BASE + "[jitter]\nruns = 0\n[[grid]]\nchip = 'esp32'\n", "runs: 0 is out of range"),
        (BASE + "[jitter]\nruns = 3\nstrength = 2\n[[grid]]\nchip = 'esp32'\n", "strength"),
        (BASE + "[[grid]]\nchip = 'esp32'\nidf = 5.5\n", "not a text or a whole number"),
        (BASE + "[[grid]]\nchip = 'esp32'\nallocator = 'tlfs'\n", "allocator = 'tlfs'"),
        (BASE + "[prices]\nesp32c3 = 1\n[[grid]]\nchip = 'esp32'\n", "no grid has this chip"),
        (BASE + "[prices]\nesp32 = -1\n[[grid]]\nchip = 'esp32'\n", "is not a price"),
        (BASE + "need = ['x']\n[[grid]]\nchip = 'esp32'\n", "need"),
        (BASE + "[[grid]]\nchip='esp32'\n[[grid]]\nchip=['esp32c3', 'esp32']\n", "in common"),
        ("traces = 'no*.hst'\n[[grid]]\nchip = 'esp32'\n", "'no*.hst' is not there"),
        ("traces = ['small.hst', 's*']\n[[grid]]\nchip = 'esp32'\n", "named twice"),
        (
            "traces = ['small.hst', '../{folder}/small.hst']\n[[grid]]\nchip = 'esp32'\n",
            "is the file",
        ),
        ("traces = '.'\n[[grid]]\nchip = 'esp32'\n", "'.' is a folder"),
        ("traces = 3\n[[grid]]\nchip = 'esp32'\n", "line 1: traces: is not a text or a list"),
        ("traces = ''\n[[grid]]\nchip = 'esp32'\n", "texts that can name files"),
        (BASE + "[[grid]]\npool = nan\n", "line 3: grid 1, pool: nan is not a number"),
        (BASE + "[[grid]]\npool = -4\n", "'-4' is not a number of bytes"),
        (BASE + "[jitter]\nruns = 1\nstrength = nan\n[[grid]]\nchip = 'esp32'\n", "line 4: jitter"),
        (BASE + "jitter = { runs = -1 }\n[[grid]]\nchip = 'esp32'\n", "line 2: jitter, runs"),
        (BASE + "[prices]\nesp32 = nan\n[[grid]]\nchip = 'esp32'\n", "line 3: prices, esp32"),
        (BASE + "[[grid]]\npool = 'least'\nallocator = 'pool=tlsf'\n", "allocator 'pool=tlsf'"),
        (BASE + "[[grid]\n", "not TOML"),
        (BASE + "[[grid]]\npool = { from = 1, to = 4000000000, step = 1 }\n", "cells, at most"),
    ],
)
def test_a_plan_that_contradicts_itself_is_refused_by_name(
    write_plan: WritePlan, text: str, message: str
) -> None:
    path = write_plan("")
    with pytest.raises(InputError) as refused:
        read_plan(write_plan(text.replace("{folder}", path.parent.name)))
    assert message in refused.value.message, refused.value.message
    assert "plan.toml" in refused.value.message or "none.cfg" in refused.value.message
    assert refused.value.remedy


def test_a_combination_that_cannot_be_is_left_to_its_cells(write_plan: WritePlan) -> None:
    """A heap of umm ends at 256 KB, and other values of the grid go well with both."""
    text = BASE + "[[grid]]\npool = ['64KB', '512KB']\nallocator = ['umm', 'tlsf']\n"
    assert read_plan(write_plan(text)).plan.cell_count == 4
