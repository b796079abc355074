"""One replay, shaped: against what can be worked out by hand or another way."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace as changed
from pathlib import Path

import pytest

from heapscope.base import capabilities
from heapscope.base.errors import HeapscopeError, InputError
from heapscope.base.request import Request
from heapscope.memory.layout.chips import load_chip
from heapscope.memory.layout.layout import Layout, Region
from heapscope.memory.layout.pool import pool_layout
from heapscope.memory.layout.region_rows import RegionRow
from heapscope.simulation.replay.config import native_config, served_capsets
from heapscope.simulation.replay.run import replay
from heapscope.simulation.result.result import ReplayResult

MakeTrace = Callable[[str], Path]

STORY = """t net
! start
a 1 1000
a 2 3000
t script
c 3 500
m 4 64 256
r 3 700
! middle
f 2
a 5 60000
f 99
f 1
f 1
r 1 10
! end"""


@pytest.fixture
def story(trace: MakeTrace) -> ReplayResult:
    return replay(
        trace(STORY), pool_layout(32768, "idf-5.5"), needs=[Request(16717), Request(30000)]
    )


def test_tasks_hold_what_they_requested(story: ReplayResult) -> None:
    rows = {row.task: row for row in story.tasks}
    assert set(rows) == {"net", "script"}
    assert (rows["net"].payload_peak, rows["net"].payload, rows["net"].allocations) == (4000, 0, 2)
    assert (rows["script"].payload_peak, rows["script"].blocks) == (956, 2)
    assert rows["script"].held >= rows["script"].payload == 956
    assert rows["script"].failures == 1


def test_the_failed_request_is_reported_with_its_reason(story: ReplayResult) -> None:
    (failure,) = story.failures
    assert (failure.event, failure.task, failure.call) == (6, "script", "malloc")
    assert (failure.size, failure.capabilities, failure.site) == (60000, "malloc", "")
    (region,) = failure.regions
    assert region.eligible
    assert region.largest_allocatable < 60000
    assert story.summary.failures == 1
    assert story.summary.first_failure_event == 6


def test_events_that_make_no_sense_are_listed_and_counted(story: ReplayResult) -> None:
    assert [(row.event, row.what, row.key) for row in story.anomalies] == [
        (7, "free of an unknown id", None),  # ids of a trace are its own: nobody wrote them
        (9, "double free", None),
        (10, "realloc of a dead id", None),
    ]
    summary = story.summary
    counts = (summary.unknown_frees, summary.double_frees, summary.dead_reallocs)
    assert counts == (1, 1, 1)


def test_marks_carry_the_figures_of_their_moment(story: ReplayResult) -> None:
    assert [(mark.name, mark.event) for mark in story.marks] == [
        ("start", 0),
        ("middle", 5),
        ("end", 11),
    ]
    start, middle, end = story.marks
    assert (start.live, middle.live, end.live) == (0, 4956, 956)
    assert (middle.live_blocks, end.failures) == (4, 1)
    assert middle.sets[0].capabilities == "malloc"
    assert story.mark_before(6) == "middle"
    assert story.mark_before(11) == "end"


def test_every_byte_of_every_region_is_accounted_for(story: ReplayResult) -> None:
    for regions in (story.regions, *(mark.regions for mark in story.marks)):
        for row in regions:
            assert total(row) == row.size
    assert story.summary.tightest.size == sum(row.size for row in story.regions)


def total(row: RegionRow) -> int:
    return row.control + row.header + row.startup + row.payload + row.rounding + row.free


def test_the_same_holds_on_a_whole_chip(trace: MakeTrace) -> None:
    result = replay(trace(STORY), load_chip("esp32").layout(idf="5.5"))
    assert [total(row) for row in result.regions] == [row.size for row in result.regions]
    kinds = {kind.kind: kind.size for kind in result.kinds}
    for kind, size in kinds.items():
        assert size == sum(row.size for row in result.regions if row.kind == kind)
    assert {row.kind for row in result.regions} == set(kinds)


@pytest.mark.cells(4)
@pytest.mark.parametrize("allocator", ["idf-4.2", "idf-5.5", "idf-4.2+light", "idf-5.5+light"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_headroom_is_what_trying_the_request_after_each_event_gives(
    trace: MakeTrace, allocator: str, seed: int
) -> None:
    """The need's row against replays of every prefix with the request appended."""
    lines = random_lines(random.Random(seed), events=40)
    layout, size = pool_layout(16384, allocator), 4000
    (row,) = replay(trace("\n".join(lines)), layout, needs=[Request(size)]).needs
    short = [
        event
        for event in range(len(lines))
        if fails(trace, layout, [*lines[: event + 1], f"a 9999 {size}"])
    ]
    assert row.short_events == len(short)
    assert 0 < len(short) < len(lines), "a need that always or never fits shows nothing"
    assert (row.first_event, row.last_event) == (short[0], short[-1])
    assert row.spells == sum(event - 1 not in short for event in short)


def random_lines(rng: random.Random, *, events: int) -> list[str]:
    lines: list[str] = []
    live: list[int] = []
    for number in range(events):
        if live and rng.random() < 0.4:
            lines.append(f"f {live.pop(rng.randrange(len(live)))}")
        else:
            live.append(number)
            lines.append(f"a {number} {rng.randrange(1, 1500)}")
    return lines


def fails(trace: MakeTrace, layout: Layout, lines: list[str]) -> bool:
    """Whether the last of the lines is a request that fails."""
    summary = replay(trace("\n".join(lines)), layout).summary
    without = replay(trace("\n".join(lines[:-1])), layout).summary
    return summary.failures > without.failures


def test_the_timeline_has_the_named_series_and_their_extremes(story: ReplayResult) -> None:
    line = story.timeline
    assert line is not None
    assert line.series == (
        "live_payload",
        "largest_allocatable",
        "free 0x20000000 pool",
        "task net",
        "task script",
    )
    assert line.most[:, 0].max() == story.summary.live_peak == 4956
    assert line.least[:, 1].min() == story.malloc.minimum_largest_allocatable
    # The low-water mark also counts moments inside a realloc, which no event ends with.
    assert line.least[:, 2].min() >= story.regions[0].minimum_free


def test_a_replay_without_timeline_has_none(trace: MakeTrace) -> None:
    assert replay(trace("a 1 5"), pool_layout(4096), buckets=0).timeline is None


def test_a_trace_replayed_twice_gives_the_same_result(trace: MakeTrace) -> None:
    path, layout = trace(STORY), pool_layout(32768)
    assert replay(path, layout) == replay(path, layout)


def test_names_of_the_trace_are_safe_to_show(trace: MakeTrace) -> None:
    result = replay(trace("t \x1b[31mred;a 1 5;! \x1b]0;a 2 5"), pool_layout(4096))
    assert "\x1b" not in str(result.to_json())
    assert result.tasks[0].task.startswith("\\x1b[31m")


def test_a_trace_without_events_cannot_be_replayed(trace: MakeTrace, tmp_path: Path) -> None:
    with pytest.raises(InputError):
        replay(tmp_path / "missing.hst", pool_layout(4096))
    whole = trace("a 1 5")
    (tmp_path / "head.hst").write_bytes(whole.read_bytes()[:20])
    with pytest.raises(InputError, match=r"head\.hst"):
        replay(tmp_path / "head.hst", pool_layout(4096))


def test_a_damaged_trace_is_replayed_as_far_as_it_can_be_read(
    trace: MakeTrace, tmp_path: Path
) -> None:
    raw = trace("\n".join(f"a {i} 16" for i in range(200_000))).read_bytes()
    broken = tmp_path / "broken.hst"
    middle = len(raw) // 2
    broken.write_bytes(raw[:middle] + b"\xff" * 8 + raw[middle + 8 :])
    result = replay(broken, pool_layout(1 << 24))
    assert result.loss is not None
    assert 0 < result.summary.event_count == result.loss.event < 200_000
    assert result.loss.events_after > 0
    assert result.health.messages
    assert result.health.first_damage is not None
    assert "the first after" in result.verdict.sentence


def test_a_region_too_small_for_its_allocator_is_named(trace: MakeTrace) -> None:
    layout = pool_layout(4096)
    tiny = changed(layout.regions[0], start=0x3000_0000, size=64)
    unfit = changed(layout, regions=(*layout.regions, tiny), source="two.toml")
    with pytest.raises(InputError, match=r"two\.toml: region at 0x30000000 of 64 B") as caught:
        replay(trace("a 1 5"), unfit)
    assert "leave it out" in caught.value.remedy


def test_tasks_beyond_those_kept_apart_share_a_row(trace: MakeTrace) -> None:
    lines = [line for i in range(4200) for line in (f"t worker{i}", f"a {i} 16")]
    result = replay(trace("\n".join(lines)), pool_layout(1 << 20))
    others = result.tasks[-1]
    assert (others.task, others.task_index) == ("other tasks", None)
    assert (len(result.tasks), others.allocations) == (4096, 4200 - 4095)
    assert ReplayResult.from_json(result.to_json()) == result


def test_overlapping_regions_are_refused(trace: MakeTrace) -> None:
    layout = pool_layout(4096)
    twice = changed(layout, regions=layout.regions * 2, source="two.toml")
    with pytest.raises(InputError, match="overlap"):
        replay(trace("a 1 5"), twice)


def test_progress_ends_with_all_bytes_and_events(trace: MakeTrace) -> None:
    path = trace(STORY)
    seen: list[tuple[int, int | None, int]] = []
    replay(path, pool_layout(32768), progress=lambda *step: seen.append(step))
    assert seen[-1][:2] == (path.stat().st_size, path.stat().st_size)


def region(caps: tuple[int, int, int]) -> Region:
    return Region(start=0, size=4096, kind="DRAM", caps=caps, allocator="idf-5.5")


def test_only_capability_sets_that_a_region_serves_are_kept() -> None:
    bits = capabilities.parse
    layout = changed(pool_layout(4096), regions=(region((bits("DMA"), bits("8BIT"), 0)),))
    assert served_capsets(layout) == (bits("DMA"), bits("8BIT"))


def test_mallocs_own_set_is_always_kept_and_first() -> None:
    config = native_config(pool_layout(4096), needs=[Request(5)], capsets=[8, 0, 8], buckets=0)
    assert config.capsets == (0, 8)
    assert (config.needs[0].size, config.needs[0].caps) == (5, 0)


def test_an_unknown_allocator_is_an_error_of_the_layout(trace: MakeTrace) -> None:
    layout = pool_layout(4096)
    odd = changed(layout, regions=(changed(layout.regions[0], allocator="nosuch"),))
    with pytest.raises(HeapscopeError, match="nosuch"):
        replay(trace("a 1 5"), odd)
