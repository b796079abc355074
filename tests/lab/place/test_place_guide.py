"""The figures of the guide are those of its commands."""

from __future__ import annotations

from pathlib import Path

from heapscope.answers.fit.fit_trace import fit
from heapscope.base.request import Request
from heapscope.memory.layout.chips import load_chip
from heapscope.simulation.replay.run import replay
from heapscope.simulation.result.result import ReplayResult

from .conftest import ReadRules

ROOT = Path(__file__).parents[3]
TRACE = ROOT / "studies" / "workloads" / "captured" / "mix_gateway.hst.zst"


def test_the_guide_says_what_its_commands_say(rules: ReadRules) -> None:
    guide = " ".join((ROOT / "docs" / "guide" / "own-heap.md").read_text("utf-8").split())
    layout = load_chip("esp32").layout(idf="4.3")

    def of_size(size: str) -> ReplayResult:
        text = f'[[private]]\nname = "tls"\nsize = "{size}"\n[[rule]]\n'
        placement = rules(text + 'task = "tls"\nprivate = "tls"', layout)
        return replay(TRACE, layout, needs=[Request(16717)], placement=placement)

    plain, placed, small = (
        replay(TRACE, layout, needs=[Request(16717)]),
        of_size("54KB"),
        of_size("52KB"),
    )
    largest = (plain.malloc.minimum_largest_allocatable, placed.malloc.minimum_largest_allocatable)
    spare = (plain.needs[0].minimum_margin, placed.needs[0].minimum_margin)
    free = (placed.malloc.minimum_free, plain.malloc.minimum_free)
    assert f"falls to {largest[0]:,} bytes" in guide
    assert f"fits with {spare[0]:,} to spare" in guide
    assert f"does not fall below {largest[1]:,} bytes: {spare[1]:,} to spare" in guide
    assert f"holds at most {placed.placement[0].payload_peak:,} bytes" in guide
    assert f"{placed.placement[0].requests:,} requests, none refused" in guide
    assert placed.summary.failures == placed.placement[0].refused == 0
    assert f"With 52 KB {small.summary.failures} requests fail" in guide
    assert f"is {free[0]:,} bytes instead of {free[1]:,}" in guide
    (result,) = fit(TRACE, ["idf-4.3.2"], task="tls", margin=5)
    assert f"It says {result.pool:,} bytes, or {result.advised:,} with 5 % to spare" in guide
    assert f"{result.pool_min:,} is the smallest size that survives at all" in guide
