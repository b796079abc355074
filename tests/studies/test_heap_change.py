"""heap-change: published figures come out to the unit, and the rest is what the models say."""

from __future__ import annotations

import pytest

from heapscope.memory.layout.chips import load_chip
from heapscope.native.single_heap import UNTIL_FULL, DrillRow, drill, fill
from heapscope.native.status import StatusError
from heapscope_studies.heap_change import counts, upgrade
from heapscope_studies.heap_change.subjects import is_ours, names
from heapscope_studies.result import Cell, Check, Experiment

#: The article's table, typed again: free at start, then blocks of 4, 32, 128 and 512 bytes.
PUBLISHED = {
    "idf-4.2": (249_964, 31_246, 6_943, 1_893, 484),
    "idf-4.3.2-host+light": (246_780, 12_339, 5_141, 1_713, 467),
}
#: 4.2 in the build that 4.3.2 was in.
LIGHT_4_2 = (249_952, 12_498, 5_207, 1_735, 473)


def row(experiment: Experiment, table: str, name: str) -> dict[str, Cell]:
    """The row of a table whose first cell is `name`."""
    result = experiment.table(table)
    keys = [column.key for column in result.columns]
    return next(dict(zip(keys, r, strict=True)) for r in result.rows if r[0] == name)


# ---- counts -----------------------------------------------------------------------------------


def counted(experiment: Experiment, name: str) -> tuple[Cell, ...]:
    cells = row(experiment, "counts", name)
    return (cells["reported_free"], *(cells[f"blocks_{size}"] for size in (4, 32, 128, 512)))


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_published_counts_come_out_exactly(heap_change: Experiment, name: str) -> None:
    assert counted(heap_change, name) == PUBLISHED[name]


def test_published_stands_beside_computed_with_no_difference(heap_change: Experiment) -> None:
    table = heap_change.table("published_counts")
    for side, figures in zip(("before", "after"), PUBLISHED.values(), strict=True):
        assert table.column(f"{side}_published") == figures
        assert table.column(f"{side}_computed") == figures
        assert set(table.column(f"{side}_difference")) == {0}


def test_no_other_builds_give_the_published_counts(heap_change: Experiment) -> None:
    for name in heap_change.table("counts").column("allocator"):
        if name not in PUBLISHED:
            assert counted(heap_change, str(name)) not in PUBLISHED.values()
    assert "of idf-4.2, idf-4.2; of idf-4.3.2, idf-4.3.2-host+light" in " ".join(
        heap_change.table("published_counts").notes
    )


def test_like_for_like_the_two_heaps_hold_nearly_the_same(heap_change: Experiment) -> None:
    assert counted(heap_change, "idf-4.2+light") == LIGHT_4_2
    four = row(heap_change, "like_for_like", "blocks of 4 B")
    assert (four["light_before"], four["light_after"]) == (12_498, 12_339)
    assert four["published_change"] == pytest.approx(-60.51, abs=0.005)
    assert four["plain_change"] == pytest.approx(-50.64, abs=0.005)
    assert four["light_change"] == pytest.approx(-1.27, abs=0.005)


def test_models_count_what_the_real_code_counted(heap_change: Experiment) -> None:
    real = [check for check in heap_change.checks if "real code" in check.what]
    assert len(real) == 7 * 9 + 6  # free of one is not known
    assert [check for check in real if not check.holds] == []


def test_every_allocator_is_there_and_ours_first(heap_change: Experiment) -> None:
    listed = heap_change.table("counts").column("allocator")
    assert set(listed) == set(names())
    assert is_ours(str(listed[0]))
    assert {"idf-4.2", "idf-5.5", "umm", "heap_4", "sys_heap", "o1heap"} < set(listed)


def test_a_pool_is_full_when_no_more_fits() -> None:
    full = fill("idf-4.2", base=0x2000_0000, size=250_000, block=512, most=UNTIL_FULL)
    some = fill("idf-4.2", base=0x2000_0000, size=250_000, block=512, most=7)
    assert full is not None
    assert some is not None
    assert (full.blocks, some.blocks) == (484, 7)
    assert full.control + full.used + full.headers + full.free == 250_000
    assert full.free < 512 + 4


def test_a_region_that_is_refused_is_none_and_a_name_that_is_unknown_an_error() -> None:
    drill_row = DrillRow(first=8, small=4, count=1, last=8)
    assert fill("idf-4.3.2", base=0x2000_0000, size=1000, block=4, most=0) is None
    assert drill("idf-4.3.2", base=0x2000_0000, size=1000, requests=drill_row) is None
    with pytest.raises(StatusError, match="none-such"):
        fill("none-such", base=0x2000_0000, size=1000, block=4, most=0)
    with pytest.raises(StatusError, match="none-such"):
        drill("none-such", base=0x2000_0000, size=1000, requests=drill_row)


# ---- timings ----------------------------------------------------------------------------------


def test_steps_follow_from_the_algorithm(heap_change: Experiment) -> None:
    """The n-th free of the free list walks over the n - 1 free blocks below and the list's head."""
    free = 5000 * 5001 // 2
    sorts = [
        r for r in heap_change.table("steps_by_sort").rows if r[0] == "idf-4.2" and r[4] == free
    ]
    assert len(sorts) == 1
    assert str(free // 1000) in heap_change.findings[1].replace(",", "")


def test_published_timings_keep_their_direction_in_steps(heap_change: Experiment) -> None:
    table = heap_change.table("published_timings")
    published, steps, code = (
        table.column(f"{source}_ratio") for source in ("published", "steps", "code")
    )
    for each in zip(published, steps, code, strict=True):
        directions = {ratio > 1 for ratio in each if isinstance(ratio, float)}
        assert len(directions) == 1
    assert published == pytest.approx((2.124, 1.854, 0.006745, 0.01405), rel=1e-3)


def test_the_last_allocation_is_like_the_first_only_with_poisoning(
    heap_change: Experiment,
) -> None:
    """The published figures, 960 and 1098 ns, show the same: another sign of what was compared."""
    light = row(heap_change, "steps", "idf-4.3.2-host+light")
    plain = row(heap_change, "steps", "idf-4.3.2-host")
    assert light["first"] == light["last"]
    assert isinstance(plain["first"], int)
    assert isinstance(plain["last"], int)
    assert plain["first"] > 2 * plain["last"]


def test_a_pool_too_small_for_the_drill_says_so() -> None:
    rows = drill(
        "idf-4.2",
        base=0x2000_0000,
        size=1000,
        requests=DrillRow(first=8, small=4, count=10_000, last=8),
    )
    assert rows is not None
    small, freed = rows[1], rows[2]
    served = small.calls - small.failures
    assert 0 < served < 1000 // 8
    assert freed.calls - freed.failures == served // 2


# ---- the real chip ----------------------------------------------------------------------------


def test_what_a_heap_takes_and_what_is_free_make_the_region(heap_change: Experiment) -> None:
    takes, free = (heap_change.table(key) for key in ("structure", "free_after_start"))
    for position, region in enumerate(("region_3ffae6e0", "region_4008b2ac")):
        size = (0x1920, 0x14D54)[position]
        for one, other in zip(takes.column(region), free.column(region), strict=True):
            if isinstance(one, int) and isinstance(other, int):
                assert one + other == size


@pytest.mark.parametrize(
    ("name", "takes"),
    [
        ("idf-4.2", (36, 36, 36, 36, 36, 180)),
        ("idf-4.3.2", (1632, 1632, 1632, 1632, 1632, 8160)),
        ("idf-5.5", (388, 948, 424, 880, 880, 3520)),
    ],
)
def test_control_blocks_on_the_published_boot_lines(
    heap_change: Experiment, name: str, takes: tuple[int, ...]
) -> None:
    cells = row(heap_change, "structure", name)
    assert tuple(cells.values())[1:] == takes


def test_the_upgrade_adds_up_part_by_part(heap_change: Experiment) -> None:
    table = heap_change.table("upgrade")
    lost = dict(zip(table.column("part"), table.column("lost"), strict=True))
    assert lost["heap structures and tables"] == 5 * 1600
    parts = [
        value
        for part, value in lost.items()
        if part
        in (
            "heap structures and tables",
            "headers of blocks, ends of heaps",
            "start-up's allocations",
            "rounding of these",
            "reported as free, but not there",
        )
    ]
    assert len(parts) == 5
    assert sum(v for v in parts if isinstance(v, int)) == lost["reported as free"] == 7936
    assert lost["published, reported as free"] == 388_804 - 376_160
    sourced = {"stacks of the two idle tasks": 2 * 768, "texts of TLSF's assertions, in RAM": 1431}
    assert {part: lost[part] for part in sourced} == sourced
    assert lost["explained"] == 7936 + sum(sourced.values())
    assert lost["not explained"] == 12_644 - 7936 - sum(sourced.values())
    for side in ("before", "after"):
        cells = dict(zip(table.column("part"), table.column(side), strict=True))
        assert cells["not explained"] is None
        whole = [cells[part] for part in list(cells)[:5]]
        assert sum(v for v in whole if isinstance(v, int)) == cells["true free"]


def test_nothing_is_fitted_to_the_figure_after_the_upgrade(
    heap_change: Experiment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another published figure moves what is not explained, and nothing else."""
    monkeypatch.setattr(upgrade, "PUBLISHED_LOSS", upgrade.PUBLISHED_LOSS + 1000)
    started = upgrade.start_all()
    table = next(upgrade.tables(started))
    was = heap_change.table("upgrade")
    moved = [a[0] for a, b in zip(table.rows, was.rows, strict=True) if a != b]
    assert moved == ["published, reported as free", "not explained"]


def test_4_3_2_reports_free_bytes_where_no_request_fits(heap_change: Experiment) -> None:
    """ESP-IDF issue 8270: about 73 KB."""
    full = {name: row(heap_change, "full", name) for name in ("4.2", "4.3.2", "5.5")}
    assert abs(78_172 - 73 * 1024) < 0.05 * 73 * 1024
    assert full["4.3.2"]["reported"] == 78_172
    assert all(not cells["free"] for cells in full.values())
    assert not full["4.2"]["reported"]


def test_start_up_use_is_the_layout_s() -> None:
    assert load_chip("esp32").data.default_startup == upgrade.STARTUP_USE == 15_504


def test_the_chip_holds_more_small_blocks_with_our_heap(heap_change: Experiment) -> None:
    """Its bitmap is taken at the start and saves a header in each block."""
    ours, theirs = (row(heap_change, "versions", name) for name in ("heapscope", "ESP-IDF 5.5"))
    assert isinstance(ours["blocks"], int)
    assert isinstance(theirs["blocks"], int)
    assert ours["blocks"] > theirs["blocks"]


def test_a_start_up_block_costs_less_of_the_reported_figure_after_the_upgrade(
    heap_change: Experiment,
) -> None:
    table = heap_change.table("startup_block")
    assert dict(zip(table.column("size"), table.column("reported_lost"), strict=True)) == {
        1: 4,
        4: 4,
        8: 0,
        12: -4,
        16: -4,
        100: -4,
        1024: -4,
    }
    assert dict(zip(table.column("size"), table.column("true_lost"), strict=True)) == {
        1: 8,
        4: 8,
        8: 4,
        12: 0,
        16: 0,
        100: 0,
        1024: 0,
    }


# ---- mismatches are shown ---------------------------------------------------------------------


def test_a_mismatch_is_a_failed_check(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(counts.FIGURES, "before_free", 249_965)
    failed = [check for check in counts.checks(counts.count_all()) if not check.holds]
    assert failed == [Check(what="free at start, idf-4.2", published=249_965, computed=249_964)]
    assert failed[0].difference == -1
