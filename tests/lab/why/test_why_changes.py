"""Each change that is named was seen to help; here it is made by hand and replayed once more."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.lab.why.conftest import POOL, SPLIT, Agrees, Explain, Replay

from heapscope.answers.why.change import EFFORTS, Change
from heapscope.answers.why.changes import ORDER
from heapscope.answers.why.explain import explain
from heapscope.answers.why.reasons import Explained, WhyResult
from heapscope.base import capabilities
from heapscope.base.request import Request
from heapscope.memory.layout.allocator import placements
from heapscope.memory.layout.layout import Layout, MallocRule, Region
from heapscope.memory.layout.place_file import read_placement
from heapscope.memory.layout.pool import pool_layout
from heapscope.native.events import NativeWriter, event_dtype
from heapscope.native.reader import NameTable
from heapscope.simulation.replay.run import replay


def first(result: WhyResult) -> Explained:
    explained = result.groups[0].first
    assert explained is not None
    return explained


def of_kind(explained: Explained, kind: str) -> list[Change]:
    return [change for change in explained.changes if change.kind == kind]


def no_help(explained: Explained, kind: str) -> list[Change]:
    return [change for change in explained.unhelpful if change.kind == kind]


def test_one_small_block_in_the_middle(why: Explain, again: Replay, agrees: Agrees) -> None:
    """Moved to the front, left out, or in a heap of its own: then the hole is whole."""
    explained = first(why(SPLIT, POOL))
    (obstacle,) = of_kind(explained, "early")
    (early,) = no_help(explained, "early")
    assert "72 B of 'x'" in obstacle.text
    agrees(obstacle, again(["t x", "a 2 72", *(s for s in SPLIT if s != "a 2 72")], POOL))
    assert obstacle.outcome.failures == 0
    moved = ["t tls", "a 4 5000", *(line for line in SPLIT if line != "a 4 5000")]
    agrees(early, again(moved, POOL))
    assert early.outcome.served  # it helps itself and hurts others
    assert early.outcome.failures > 0
    (fewer,) = of_kind(explained, "fewer")
    agrees(fewer, again([line for line in SPLIT if line != "a 2 72"], POOL))


@pytest.mark.slow
def test_a_larger_pool_is_larger_by_the_least_that_helps(
    why: Explain, again: Replay, agrees: Agrees
) -> None:
    (change,) = of_kind(first(why(SPLIT, POOL)), "memory")
    size = int(change.options.removeprefix("--pool "))
    assert size == 6500 + change.given_up
    agrees(change, again(SPLIT, pool_layout(size, "idf-4.2")))
    assert again(SPLIT, pool_layout(size, "idf-4.2")).summary.failures == 0
    for smaller in range(6500, size, 4):
        assert again(SPLIT, pool_layout(smaller, "idf-4.2")).summary.failures == 1


def test_a_private_heap_comes_as_a_file_of_rules(
    why: Explain, again: Replay, agrees: Agrees, tmp_path: Path
) -> None:
    (change,) = of_kind(first(why(SPLIT, POOL)), "private")
    rules = tmp_path / "RULES.toml"
    rules.write_text("\n".join(change.rules), encoding="utf-8")
    result = again(SPLIT, POOL, read_placement(rules, POOL))
    agrees(change, result)
    assert result.summary.failures == 0
    assert "'x'" in change.text
    assert result.placement[0].payload_peak == 72


def test_every_allocator_of_the_registry_was_tried(
    why: Explain, again: Replay, agrees: Agrees
) -> None:
    explained = first(why(SPLIT, pool_layout(6500, "heap_4")))
    tried = [c for c in (*explained.changes, *explained.unhelpful) if c.kind == "allocator"]
    names = {change.options.removeprefix("--allocator ") for change in tried}
    assert names <= set(placements()) - {"heap_4"}
    assert {"idf-4.2", "idf-5.5", "tlsf", "umm", "sys_heap", "heapscope"} <= names
    for change in tried:
        layout = pool_layout(6500, change.options.removeprefix("--allocator "))
        result = again(SPLIT, layout)
        agrees(change, result)
        assert change.outcome.served == (5 not in [row.event for row in result.failures])


def test_poisoning_is_a_matter_of_configuration(
    why: Explain, again: Replay, agrees: Agrees
) -> None:
    lines = ["a 1 1000", "a 2 1000", "a 3 2030"]
    layout = pool_layout(4096, "idf-4.2+light")
    (change,) = of_kind(first(why(lines, layout)), "poisoning")
    assert (change.options, change.effort) == ("--allocator idf-4.2", "configuration")
    agrees(change, again(lines, pool_layout(4096, "idf-4.2")))
    assert change.outcome.failures == 0


def test_a_growing_block_gets_its_last_size_at_once(
    why: Explain, again: Replay, agrees: Agrees
) -> None:
    lines = ["t js", "a 1 1000", "a 2 500", "r 1 2000", "a 3 500", "r 1 3500"]
    layout = pool_layout(5000, "idf-4.2")
    change = of_kind(first(why(lines, layout)), "early")[0]
    assert "with its last size, 3,500 B, from the start (event 0)" in change.text
    assert change.given_up == 1500
    larger = ["t js", "a 1 3500", "a 2 500", "r 1 3500", "a 3 500", "r 1 3500"]
    agrees(change, again(larger, layout))
    assert change.outcome.failures == 0


def test_what_is_larger_than_the_memory_needs_memory(
    why: Explain, again: Replay, agrees: Agrees
) -> None:
    lines = ["a 1 100", "a 2 90000"]
    layout = pool_layout(65536, "idf-4.2")
    explained = first(why(lines, layout))
    assert explained.case.regions[0].reason == "size"
    assert [change.kind for change in explained.changes] == ["memory"]
    (change,) = explained.changes
    agrees(change, again(lines, pool_layout(65536 + change.given_up, "idf-4.2")))
    assert change.outcome.failures == 0


DMA = capabilities.parse("DMA|8BIT|DEFAULT|INTERNAL")
PLAIN = capabilities.parse("8BIT|DEFAULT|INTERNAL")
RULE = MallocRule(small=capabilities.parse("DEFAULT|INTERNAL"))


def region(start: int, size: int, caps: int, **more: Any) -> Region:
    return Region(
        start=start, size=size, kind="DRAM", caps=(caps, 0, 0), allocator="idf-4.2", **more
    )


def written(path: Path, requests: Sequence[tuple[int, int]], *, addresses: bool = False) -> Path:
    """Allocations of sizes with capabilities, one after the other."""
    events = np.zeros(len(requests), dtype=event_dtype())
    events["kind"] = 1
    events["key"] = np.arange(len(requests)) * (16 if addresses else 1)
    events["size"] = [size for size, _ in requests]
    events["caps"] = [caps for _, caps in requests]
    with NativeWriter(features=int(addresses)) as writer:
        writer.events(events)
        writer.finish()
        path.write_bytes(b"".join(writer.take()))
    return path


@pytest.mark.parametrize("addresses", [False, True])
def test_a_capability_that_only_full_memory_has(
    tmp_path: Path, agrees: Agrees, addresses: bool
) -> None:
    layout = Layout(
        name="two", regions=(region(0x1000, 4096, DMA), region(0x8000, 65536, PLAIN)), malloc=RULE
    )
    dma = capabilities.DMA
    requested = [(3000, dma), (3000, dma)]
    trace = written(tmp_path / "a.hst", requested, addresses=addresses)
    explained = first(explain(trace, layout))
    full, other = explained.case.regions
    assert (full.reason, other.reason, other.detail) == ("full", "capability", "DMA")
    assert explained.case.free == full.free
    (change,) = of_kind(explained, "capability")
    assert change.text.startswith("Ask with plain malloc instead of DMA")
    agrees(change, replay(written(tmp_path / "b.hst", [(3000, dma), (3000, 0)]), layout))
    assert change.outcome.failures == 0


def test_the_order_of_regions(tmp_path: Path, agrees: Agrees) -> None:
    """The first block takes the only region in which the second would have had room."""
    layout = Layout(
        name="two", regions=(region(0x1000, 4096, DMA), region(0x8000, 4096, PLAIN)), malloc=RULE
    )
    requests = [(3000, 0), (3000, capabilities.DMA)]
    trace = written(tmp_path / "a.hst", requests)
    explained = first(explain(trace, layout))
    assert not of_kind(explained, "order")  # of one eligible region there is no order
    layout = replace(layout, regions=(region(0x1000, 4096, PLAIN), region(0x8000, 2200, PLAIN)))
    trace = written(tmp_path / "b.hst", [(2000, 0), (3500, 0)])
    explained = first(explain(trace, layout))
    (change,) = of_kind(explained, "order")
    assert "0x00008000 DRAM first" in change.text
    turned = replace(layout, regions=layout.regions[::-1])
    agrees(change, replay(trace, turned))
    assert change.outcome.failures == 0


def test_the_limit_of_malloc_nearest_to_todays_is_named(tmp_path: Path, agrees: Agrees) -> None:
    spiram = capabilities.parse("SPIRAM|8BIT|DEFAULT")
    internal = region(0x1000, 8192, PLAIN)
    outside = replace(region(0x10000, 65536, spiram), kind="SPIRAM")
    malloc = MallocRule(
        small=capabilities.parse("DEFAULT|INTERNAL"), threshold=16384, large=capabilities.SPIRAM
    )
    layout = Layout(name="psram", regions=(internal, outside), malloc=malloc)
    trace = written(tmp_path / "a.hst", [(6000, 0), (6000, 0)])
    explained = first(explain(trace, layout))
    (change,) = of_kind(explained, "threshold")
    assert "above 5,999 B instead of 16,384 B" in change.text
    changed = replace(layout, malloc=replace(malloc, threshold=5999))
    agrees(change, replay(trace, changed))
    assert change.outcome.failures == 0


def test_a_need_is_met_by_all_moments_at_once(why: Explain, again: Replay) -> None:
    lines = [line for line in SPLIT if line != "a 4 5000"]
    result = why(lines, POOL, needs=[Request(5000)])
    (need,) = result.needs
    assert need.need.short_events > 0
    assert need.worst.case.request.call == "need"
    (memory,) = of_kind(need.worst, "memory")
    size = int(memory.options.removeprefix("--pool "))
    assert memory.outcome.short_events == 0
    larger = replay_need(again, lines, size)
    assert larger == 0
    assert replay_need(again, lines, size - 4) > 0
    (reserved,) = [c for c in no_help(need.worst, "early") if c.outcome.served]  # others fail
    assert reserved.outcome.failures == again(["a 9 5000", *lines], POOL).summary.failures


def replay_need(again: Replay, lines: Sequence[str], size: int) -> int:
    """Events of the trace after which 5000 bytes would not have fitted, by trying it after each."""
    short = 0
    events = [n for n, line in enumerate(lines) if line[0] in "af"]
    for n in events:
        result = again([*lines[: n + 1], "a 99 5000"], pool_layout(size, "idf-4.2"))
        short += bool(result.failures and result.failures[-1].size == 5000)
    return short


def test_changes_stand_in_the_order_of_their_kinds_and_all_of_them_gain(why: Explain) -> None:
    result = why(SPLIT, POOL)
    explained = first(result)
    assert all(change.outcome.failures < result.failures for change in explained.changes)
    ranks = [(ORDER.index(change.kind), change.cost) for change in explained.changes]
    assert ranks == sorted(ranks)
    for change in explained.changes:
        assert change.cost == EFFORTS[change.effort].worth + change.given_up
    for change in explained.unhelpful:
        assert not change.outcome.served or change.outcome.failures >= result.failures
    assert explained.tried == len(explained.changes) + len(explained.unhelpful)


def test_blocks_known_by_address_are_moved_like_those_known_by_number(
    why: Explain, again: Replay, agrees: Agrees, tmp_path: Path
) -> None:
    """The addresses come again: 1 and 4 have the same one, and so have 3 and 5."""
    lines = [*SPLIT, "f 4", "t net", "f 2", "a 5 6000", "f 5"]
    numbered = first(why(lines, POOL))
    keys = {1: 0x100, 2: 0x2000, 3: 0x4000, 4: 0x100, 5: 0x4000}
    tasks = {"net": 0, "x": 1, "tls": 2}
    events = np.zeros(sum(line[0] in "af" for line in lines), dtype=event_dtype())
    task, number = 0, 0
    for kind, *words in map(str.split, lines):
        if kind == "t":
            task = tasks[words[0]]
            continue
        row = events[number]
        row["kind"], row["key"], row["task"] = {"a": 1, "f": 5}[kind], keys[int(words[0])], task
        row["size"] = int(words[1]) if kind == "a" else 0
        number += 1
    with NativeWriter(features=1) as writer:
        for name, index in tasks.items():
            writer.name(NameTable.TASK, index, name.encode())
        writer.events(events)
        writer.finish()
        (tmp_path / "T.hst").write_bytes(b"".join(writer.take()))
    by_address = first(explain(tmp_path / "T.hst", POOL))
    assert by_address == numbered
    early = of_kind(numbered, "early") + no_help(numbered, "early")
    for change, line in zip(early, ("a 2 72", "a 4 5000"), strict=True):
        task = "t x" if line == "a 2 72" else "t tls"
        agrees(change, again([task, line, *(other for other in lines if other != line)], POOL))
    assert [change.outcome.failures for change in early] == [0, 2]


def test_the_growth_for_the_first_and_the_growth_for_all(
    why: Explain, again: Replay, agrees: Agrees
) -> None:
    lines = ["a 1 3000", "a 2 4000", "f 1", "f 2", "a 3 3000", "a 4 9000"]
    result = why(lines, POOL)
    one, everything = of_kind(first(result), "memory")
    assert one.outcome.failures == 1
    assert everything.text.endswith("then nothing fails.")
    for change in (one, everything):
        size = int(change.options.removeprefix("--pool "))
        agrees(change, again(lines, pool_layout(size, "idf-4.2")))
    assert everything.outcome.failures == 0
    smaller = pool_layout(6500 + everything.given_up - 4, "idf-4.2")
    assert again(lines, smaller).summary.failures == 1
    assert any("The first change without a failure" in sentence for sentence in result.answer)


def test_a_region_does_not_grow_beyond_the_address_space(tmp_path: Path) -> None:
    layout = Layout(
        name="low",
        regions=(region(0x1000, 4096, PLAIN), region(0x2000, 4096, DMA)),
        malloc=RULE,
    )
    trace = written(tmp_path / "a.hst", [(200000, 0)])
    (change,) = of_kind(first(explain(trace, layout)), "memory")
    assert "0x00002000 DRAM" in change.text


def test_rules_for_a_task_of_any_name_are_toml(why: Explain) -> None:
    name = '日本😀 "x"'
    lines = [line.replace("t x", f"t {name}") for line in SPLIT]
    (change,) = of_kind(first(why(lines, POOL)), "private")
    rules = tomllib.loads("\n".join(change.rules))
    assert (rules["rule"][0]["task"], rules["private"][0]["name"]) == (name, name)
