"""Each part of a difference, on memories where one thing changes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from heapscope.answers.upgrade.chain import equal_tables
from heapscope.answers.upgrade.cost import UpgradeResult
from heapscope.answers.upgrade.moment import look
from heapscope.answers.upgrade.parts import open_layout
from heapscope.answers.upgrade.state import Meter
from heapscope.base.capabilities import INTERNAL
from heapscope.memory.layout.boot_log import read_boot_log
from heapscope.memory.layout.chips import load_chip
from heapscope.memory.layout.layout import Layout
from heapscope.memory.layout.pool import pool_layout

Upgrade = Callable[..., UpgradeResult]
AddsUp = Callable[[UpgradeResult], None]
MakeTrace = Callable[..., Path]

COUNT = 50
POOL = 64 * 1024
MIXED = [
    "t one",
    *(f"a {i} {1 + i * 37 % 900}" for i in range(120)),
    *(f"f {i}" for i in range(0, 120, 3)),
    "t two",
    "a 200 6000",
    "r 200 9000",
    "m 201 64 500",
    *(f"r {i} {50 + i * 11}" for i in range(1, 120, 9)),
]


def pools(before: str, after: str) -> tuple[Layout, Layout]:
    return pool_layout(POOL, before), pool_layout(POOL, after)


def blocks(size: int) -> list[str]:
    return [f"a {i} {size}" for i in range(COUNT)]


def rows(result: UpgradeResult, figure: str) -> dict[str, int | None]:
    return {row.key: row.lost for row in result.waterfall(figure).rows}


# ---- one part at a time --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("size", "each"), [(1, 8), (4, 8), (5, 4), (8, 4), (9, 0), (12, 0), (13, 0), (1000, 0)]
)
def test_small_blocks_pay_for_the_larger_smallest_block(
    upgrade: Upgrade, size: int, each: int
) -> None:
    """4.2 gives 4 bytes at the least, 4.3.2 gives 12."""
    result = upgrade(blocks(size), *pools("idf-4.2", "idf-4.3.2"))
    match = rows(result, "minimum_free")
    assert match["minimum_block"] == each * COUNT
    assert (match["rounding"], match["whole"]) == (0, 0)
    assert match["control"] == 1624 - 24
    assert match["headers"] == -4  # the end of the heap: 8 bytes, then 4


@pytest.mark.parametrize("size", [700, 1500, 5000])
def test_a_version_that_keeps_the_class_rounding_shows_it(upgrade: Upgrade, size: int) -> None:
    """5.5 hands out whole size classes: with 8 or 16 to a power of two, seen from outside."""
    count = 5
    lines = [f"a {i} {size}" for i in range(count)]
    before, after = pools("idf-4.2", "idf-5.5")
    result = rows(upgrade(lines, before, after), "minimum_free")
    with open_layout(after) as reader:
        free = reader.regions()[0].free
    lost = upgrade(lines, before, after).waterfall("minimum_free")
    taken = free - lost.after - 4 * count  # a header each
    assert result["rounding"] == taken - size * count
    assert result["minimum_block"] == 0


def test_poisoning_takes_twelve_bytes_of_every_block(upgrade: Upgrade, adds_up: AddsUp) -> None:
    result = upgrade(blocks(16), *pools("idf-4.2", "idf-4.2+light"))
    match = rows(result, "minimum_free")
    assert match == {**dict.fromkeys(match, 0), "checks": 12 * COUNT, "static": None}
    assert rows(result, "minimum_largest")["checks"] == 12 * COUNT + 12
    adds_up(result)


def test_checks_and_heap_are_distinguished(upgrade: Upgrade, adds_up: AddsUp) -> None:
    plain = upgrade(blocks(16), *pools("idf-4.2", "idf-4.3.2"))
    both = upgrade(blocks(16), *pools("idf-4.2", "idf-4.3.2+light"))
    expected = rows(plain, "minimum_free") | {"checks": 12 * COUNT}
    assert rows(both, "minimum_free") == expected
    adds_up(both)


def test_checks_that_the_new_heap_has_not_are_marked_inseparable(
    upgrade: Upgrade, adds_up: AddsUp
) -> None:
    result = upgrade(blocks(16), *pools("idf-4.2+light", "umm"))
    fall = result.waterfall("minimum_free")
    assert "no such build" in fall.rows[0].note
    assert rows(result, "minimum_free")["checks"] is None
    adds_up(result)


def test_static_growth_is_its_own_row(upgrade: Upgrade, adds_up: AddsUp, tmp_path: Path) -> None:
    """Two boot logs of one version: the new firmware's heap begins 2688 bytes later."""
    layouts = []
    for start, size in ((0x3FFB_8F80, 0x2_7080), (0x3FFB_9A00, 0x2_6600)):
        log = tmp_path / f"{start:x}.txt"
        log.write_text(f"I (286) heap_init: At {start:X} len {size:08X} (1 KiB): DRAM\n")
        layouts.append(load_chip("esp32").layout(idf="4.2", boot=read_boot_log(log)))
    result = upgrade(MIXED, *layouts, crossed=layouts[0], static_known=True)
    for figure in ("free_at_start", "minimum_free", "largest_at_start"):
        match = rows(result, figure)
        assert match == {**dict.fromkeys(match, 0), "static": 0x2_7080 - 0x2_6600}
    adds_up(result)


def test_static_growth_is_not_known_without_two_firmwares(upgrade: Upgrade) -> None:
    chip = load_chip("esp32")
    result = upgrade((), chip.layout(idf="4.2"), chip.layout(idf="5.5"))
    for fall in result.waterfalls:
        (row,) = [row for row in fall.rows if row.key == "static"]
        assert (row.lost, row.how) == (None, "not known")
        assert "boot logs or ELFs of both" in row.note


def test_regions_and_growth_that_cannot_be_distinguished_are_one_row(
    upgrade: Upgrade, adds_up: AddsUp
) -> None:
    before, after = pool_layout(POOL, "idf-4.2"), pool_layout(POOL + 4096, "idf-4.2")
    result = upgrade(blocks(100), before, after, crossed=None, why="a layout file")
    match = {row.key: row for row in result.waterfall("minimum_free").rows}
    assert match["regions"].lost == -4096
    assert "cannot be told apart" in match["regions"].note
    assert match["static"].lost is None
    assert any("a layout file" in note for note in result.notes)
    adds_up(result)


def test_another_order_of_regions_is_its_own_row(upgrade: Upgrade, adds_up: AddsUp) -> None:
    """The small blocks fill the large region, or leave it whole."""
    large = pool_layout(32 * 1024, "idf-4.2").regions[0]
    small = replace(large, start=large.start + 0x1_0000, size=16 * 1024)
    first = replace(pool_layout(POOL, "idf-4.2"), regions=(large, small))
    second = replace(first, regions=(small, large))
    result = upgrade([f"a {i} 1000" for i in range(12)], first, second)
    match = rows(result, "minimum_largest")
    assert match["order"] == -12 * 1004
    assert [key for key, lost in match.items() if lost] == ["order"]
    adds_up(result)


def test_equal_tables_leave_both_heaps_the_same_room() -> None:
    for before, after in (
        ("idf-4.2", "idf-4.3.2"),
        ("idf-4.3.2", "idf-5.5"),
        ("idf-4.2", "idf-5.5"),
    ):
        layouts = pools(before, after)
        cut = equal_tables(layouts[0], _rows(layouts[0]), layouts[1], _rows(layouts[1]))
        room = [layout.regions[0].size - _rows(layout)[0].control for layout in cut]
        assert room[0] == room[1]
        assert sum(layout.regions[0].size == POOL for layout in cut) == 1
        assert {layout.regions[0].end for layout in cut} == {layouts[0].regions[0].end}


def _rows(layout: Layout) -> tuple:  # type: ignore[type-arg]
    with open_layout(layout) as reader:
        return reader.regions()


# ---- the whole -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("chip", "before", "after", "options"),
    [
        ("esp32", "4.2", "5.5", {}),
        ("esp32", "4.2", "4.3.2", {"cores": 1}),
        ("esp32", "5.5", "4.2", {}),
        ("esp32c3", "4.3.2", "head-2026-07", {}),
        ("esp32s2", "4.2", "5.5", {}),
    ],
)
@pytest.mark.parametrize("caps", [0, INTERNAL])
def test_rows_add_up(
    upgrade: Upgrade,
    adds_up: AddsUp,
    chip: str,
    before: str,
    after: str,
    options: dict[str, int],
    caps: int,
) -> None:
    loaded = load_chip(chip)
    layouts = [loaded.layout(idf=idf, **options) for idf in (before, after)]  # type: ignore[arg-type]
    result = upgrade(MIXED, *layouts, caps=caps)
    assert len(result.waterfalls) == 4
    adds_up(result)


def test_rows_add_up_where_requests_fail(upgrade: Upgrade, adds_up: AddsUp) -> None:
    lines = [*(f"a {i} 5000" for i in range(13)), *MIXED[1:]]
    result = upgrade(
        [line for line in lines if line[0] == "a"][:60], *pools("idf-4.2", "idf-4.3.2")
    )
    assert result.after.run is not None
    assert result.after.run.failures > 0
    adds_up(result)


def test_the_moment_counts_all_of_the_memory(make_trace: MakeTrace) -> None:
    """The bytes counted at the tightest moment are those that the replay itself keeps of it."""
    layout = load_chip("esp32").layout(idf="5.5")
    meter = Meter(make_trace(*MIXED))
    state = meter.measure(layout)
    moment = look(meter, layout, state.ran.minimum_free_event, least=state.ran.minimum_free)
    assert state.result is not None
    tightest = state.result.summary.tightest
    parts = moment.parts
    assert (parts.payload, parts.rounding, parts.headers, parts.control, parts.startup) == (
        tightest.payload,
        tightest.rounding,
        tightest.header,
        tightest.control,
        tightest.startup,
    )
    assert moment.moving == tightest.moving
    assert parts.free - moment.moving == tightest.free
    assert moment.excess.total == parts.rounding


def test_without_a_trace_the_start_alone_is_compared(upgrade: Upgrade, adds_up: AddsUp) -> None:
    chip = load_chip("esp32")
    result = upgrade((), chip.layout(idf="4.2"), chip.layout(idf="5.5"))
    assert [fall.key for fall in result.waterfalls] == ["free_at_start", "largest_at_start"]
    assert result.before.run is None
    assert all(offer.failures is None for offer in result.offers)
    adds_up(result)


def test_each_region_stands_in_one_row(upgrade: Upgrade) -> None:
    chip = load_chip("esp32c3")
    before, after = chip.layout(idf="4.3.2"), chip.layout(idf="5.5")
    regions = upgrade((), before, after).regions
    for side, layout in (("before", before), ("after", after)):
        starts = [getattr(row, f"start_{side}") for row in regions]
        assert sorted(s for s in starts if s is not None) == sorted(r.start for r in layout.regions)


def test_json_can_be_read_again(upgrade: Upgrade) -> None:
    result = upgrade(MIXED, *pools("idf-4.2", "idf-5.5"))
    assert UpgradeResult.from_json(result.to_json()) == result


def test_memory_that_one_side_alone_has_is_no_static_growth(
    upgrade: Upgrade, adds_up: AddsUp
) -> None:
    """The old log has no line of memory that the new version added: that is the version's doing."""
    chip = load_chip("esp32c3")
    before, after = chip.layout(idf="4.3.2", rtc=False), chip.layout(idf="5.5")
    shared = [
        r for r in after.regions if any(r.start < o.end and o.start < r.end for o in before.regions)
    ]
    crossed = replace(after, regions=tuple(shared))
    assert len(shared) < len(after.regions)
    result = upgrade(MIXED, before, after, crossed=crossed, static_known=True)
    match = {row.key: row for row in result.waterfall("free_at_start").rows}
    assert match["static"].lost == 0
    assert "one side alone" in match["regions"].note
    assert rows(result, "minimum_free")["static"] == 0
    adds_up(result)


def test_other_options_that_differ_are_named(upgrade: Upgrade) -> None:
    chip = load_chip("esp32")
    before, after = chip.layout(idf="4.2", cores=2), chip.layout(idf="4.2", cores=1)
    result = upgrade((), before, after, crossed=before, options="--cores")
    (row,) = [row for row in result.waterfall("free_at_start").rows if row.key == "static"]
    assert row.lost
    assert "--cores" in row.note
