"""A smaller benches/bench_leaks.py: holders without a leak are not called leaks, and leaks are."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.append(str(Path(__file__).parents[3] / "benches" / "leaks"))
from populations import KINDS, Blocks, cache, called_leaks, leaking, without_leak, write

SEED = 20  # a failure names it and the trace's number


@pytest.mark.cells(1)
@pytest.mark.parametrize("kind", KINDS)
def test_holders_without_a_leak_are_seldom_called_leaks(tmp_path: Path, kind: str) -> None:
    """Each alone in its trace, where the limit is widest; at 5 %, 8 of 60 are rare."""
    wrong = []
    for number in range(60):
        chance = np.random.default_rng((SEED, KINDS.index(kind), number))
        write(tmp_path / "t.hst", {kind: without_leak(kind, chance)})
        wrong += [number] if called_leaks(tmp_path / "t.hst") else []
    assert len(wrong) < 8, (SEED, wrong)


@pytest.mark.parametrize("every", [10, 100])
def test_leaks_beside_caches_are_detected(tmp_path: Path, every: int) -> None:
    missed = []
    for number in range(10):
        chance = np.random.default_rng((SEED, every, number))
        holders: dict[str, Blocks] = {f"cache{n}": cache(chance) for n in range(10)}
        holders["app"] = leaking(chance, rounds=50 * every, leaked=50)
        write(tmp_path / "t.hst", holders)
        missed += [number] if called_leaks(tmp_path / "t.hst") != {"app"} else []
    assert len(missed) < 2, (SEED, missed)
