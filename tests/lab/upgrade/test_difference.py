"""One decomposition of a difference: it adds up, and two moments share no cause."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import heapscope
from heapscope.answers.upgrade.cost import UpgradeResult
from heapscope.memory.options import MemoryOptions
from heapscope.simulation.result.comparison import Comparison
from heapscope.simulation.result.result import ReplayResult

POOL = "12KB"
NAMES = ("idf-4.2", "idf-5.5", "heap_4", "heapscope", "idf-5.1+light")


def _trace(path: Path, rng: random.Random, *, most: int, events: int = 400) -> Path:
    lines: list[str] = []
    live: dict[int, int] = {}
    for number in range(events):
        if live and rng.random() < (0.8 if sum(live.values()) > most else 0.35):
            gone = rng.choice(list(live))
            del live[gone]
            lines.append(f"f {gone}")
        else:
            live[number] = rng.choice((4, 17, 60, 61, 200, 900))
            lines.append(f"a {number} {live[number]}")
    text = path.with_suffix(".txt")
    text.write_text("\n".join(lines) + "\n")
    heapscope.import_(text, path)
    return path


def _compared(trace: Path, left: str, right: str) -> tuple[Comparison, int]:
    sides = [MemoryOptions(allocator=name) for name in (left, right)]
    result = heapscope.compare(trace, pool=POOL, sides=sides)
    assert isinstance(result, Comparison)
    free = {row.name: row for row in result.rows if row.section == "tightest moment"}["free"]
    assert free.difference is not None
    return result, free.difference


def test_the_parts_add_up_at_one_moment_and_between_two(tmp_path: Path, seed: int) -> None:
    rng, shifted, failed = random.Random(seed), 0, 0
    for number in range(12):
        trace = _trace(tmp_path / f"{number}.hst", rng, most=rng.choice((4000, 7000, 12000)))
        left, right = rng.sample(NAMES, 2)
        result, difference = _compared(trace, left, right)
        assert sum(part.bytes for part in result.parts) == difference
        assert all(part.cause == (part.key != "moment") for part in result.parts)
        assert "payload" not in {part.key for part in result.parts}
        shifted += any(part.key == "moment" for part in result.parts)
        failed += any(part.key == "not_placed" for part in result.parts)
    assert shifted
    assert failed


def test_moments_of_two_traces_have_no_cause(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    one, other = (_trace(tmp_path / f"{n}.hst", rng, most=3000 + 2000 * n) for n in range(2))
    result = heapscope.compare(one, other, pool=POOL)
    assert isinstance(result, Comparison)
    assert result.parts
    assert not any(part.cause for part in result.parts)
    assert "no part of that is a cause" in result.conclusion[0]
    assert "most through" not in " ".join(result.conclusion)


def test_results_that_nobody_looked_into_name_no_cause(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    for number in range(20):
        trace = _trace(tmp_path / f"{number}.hst", rng, most=6000)
        results = [
            heapscope.replay(trace, pool=POOL, allocator=name) for name in ("heap_4", "idf-5.5")
        ]
        left, right = (one for one in results if isinstance(one, ReplayResult))
        if left.summary.tightest.event != right.summary.tightest.event:
            result = heapscope.compare(left, right)
            assert isinstance(result, Comparison)
            assert not any(part.cause for part in result.parts)
            return
    pytest.fail("no two moments")


def test_both_verbs_divide_alike(tmp_path: Path, seed: int) -> None:
    rng, shifted = random.Random(seed), 0
    for number in range(20):
        trace = _trace(tmp_path / f"{number}.hst", rng, most=rng.choice((4000, 7000, 12000)))
        result, _ = _compared(trace, "idf-4.2", "idf-5.5")
        sides = [MemoryOptions(allocator=name) for name in ("idf-4.2", "idf-5.5")]
        divided = heapscope.compare(trace, pool=POOL, sides=sides, parts=True)
        assert isinstance(divided, UpgradeResult)
        fall = next(one for one in divided.waterfalls if one.key == "minimum_free")
        lost = {row.key: row.lost or 0 for row in fall.rows}
        known = {part.key: part.bytes for part in result.parts}
        rounding = lost.get("rounding", 0) + lost.get("minimum_block", 0) + lost.get("whole", 0)
        assert -rounding == known.get("rounding", 0)
        assert -lost.get("moment", 0) == known.get("moment", 0)
        assert -lost.get("control", 0) == known.get("tables", 0)
        shifted += "moment" in known
        if shifted and number >= 3:
            return
    pytest.fail("no two moments")
