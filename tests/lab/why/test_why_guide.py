"""The figures of docs/guide/why.md are those of the command that it shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from heapscope.answers.why.change import EFFORTS
from heapscope.answers.why.explain import explain
from heapscope.answers.why.reasons import WhyResult
from heapscope.memory.layout.pool import pool_layout
from heapscope.simulation.replay.run import replay

ROOT = Path(__file__).parents[3]
TRACE = ROOT / "studies" / "workloads" / "captured" / "script_json.hst.zst"
LAYOUT = pool_layout(240 * 1024, "heap_4")


@pytest.fixture(scope="module")
def result() -> WhyResult:
    return explain(TRACE, LAYOUT, depth=1)


def reported() -> str:
    text = (ROOT / "docs" / "guide" / "why.md").read_text(encoding="utf-8")
    return " ".join(text.replace("\n> ", " ").split())


def test_the_guide_names_the_growth_and_the_number_of_allocators(result: WhyResult) -> None:
    first = result.groups[0].first
    assert first is not None
    (memory,) = [change for change in first.changes if change.kind == "memory"]
    assert f"would have to be {memory.given_up:,} B larger" in reported()
    assert memory.options in reported()
    allocators = [change for change in first.changes if change.kind == "allocator"]
    assert len(allocators) >= 11


def test_the_growth_is_seen_by_an_ordinary_replay(result: WhyResult) -> None:
    """From raw inputs: the pool that is named has no failure, and one word less has one."""
    first = result.groups[0].first
    assert first is not None
    (memory,) = [change for change in first.changes if change.kind == "memory"]
    size = 240 * 1024 + memory.given_up
    event = first.case.request.event
    assert event not in [row.event for row in replay(TRACE, pool_layout(size, "heap_4")).failures]
    sizes = (size - 4 + more for more in (0, 4, 16, 64))
    failing = [replay(TRACE, pool_layout(one, "heap_4")).failures for one in sizes]
    assert any(event in [row.event for row in rows] for rows in failing)


def test_the_design_tells_what_each_effort_is_taken_to_be_worth() -> None:
    text = (ROOT / "docs" / "design" / "why.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| (.*?)(?: \(.*\))? \| ([\d,]+) B \|$", text, re.MULTILINE))
    assert rows == {effort.title: f"{effort.worth:,}" for effort in EFFORTS.values()}
