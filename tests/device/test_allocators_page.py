"""docs/reference/allocators.md says what was measured, and of the code that is here."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from emulation.build import build_image
from emulation.events import FREE, MALLOC, load
from emulation.run import EmulatedHeap
from emulation.targets import TARGETS

from heapscope.memory.layout.pool import POOL_BASE
from heapscope.native.single_heap import UNTIL_FULL, fill

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "docs" / "reference"
SMALL_TRACE = "adv_holes"  # whose instructions are counted again


@pytest.fixture(scope="module")
def data() -> dict[str, Any]:
    sys.path.append(str(ROOT / "benches"))
    from results import read_results

    return read_results(REFERENCE / "allocators.csv")


def ratios(data: dict[str, Any], kind: str, who: str) -> Iterator[float]:
    for name, trace in data["needed"]["traces"].items():
        fresh = "seed" in name
        if trace["kind"] == kind and (fresh or kind != "synthetic"):
            yield trace["pools"][who] / trace["pools"]["idf-4.2"]


@pytest.mark.parametrize("kind", ["real", "synthetic"])
@pytest.mark.parametrize("who", ["heapscope", "idf-5.5"])
def test_means_are_those_of_the_pools(data: dict[str, Any], kind: str, who: str) -> None:
    own = list(ratios(data, kind, who))
    mean = math.prod(own) ** (1 / len(own))
    assert data["needed"]["means"][kind][who]["to_reference"] == pytest.approx(mean, abs=1e-9)
    assert len(own) >= (15 if kind == "real" else 3)


def test_density_is_that_of_this_heap(data: dict[str, Any]) -> None:
    for name in ("heapscope", "idf-4.2"):
        for size, blocks in data["density"][name]["blocks"].items():
            row = fill(name, base=POOL_BASE, size=250_000, block=int(size), most=UNTIL_FULL)
            assert row is not None
            assert row.blocks == blocks, f"{name}, {size} bytes: run benches/allocators again"


@pytest.mark.slow
@pytest.mark.parametrize("target", ["x86-32", "rv32imc", "cortex-m4"])
def test_instructions_are_those_of_this_heap(data: dict[str, Any], target: str) -> None:
    pool = data["needed"]["traces"][SMALL_TRACE]["pools"]["heapscope"]
    rows = load(next((ROOT / "tests" / "oracle" / "traces").glob(f"{SMALL_TRACE}.hst*")))
    chosen = TARGETS[target]
    replay = EmulatedHeap(chosen, build_image(chosen), pool, events=len(rows)).replay(rows)
    assert replay.failures == 0
    run = data["instructions"]["runs"][f"{target}, 1x"]
    for call, kind in (("malloc", MALLOC), ("free", FREE)):
        mean = replay.counts[rows["kind"] == kind].mean()
        reported = run[call]["means"][SMALL_TRACE]
        assert mean == pytest.approx(reported, abs=0.01), "run benches/allocators again"
