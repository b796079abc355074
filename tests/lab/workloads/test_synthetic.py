"""The synthetic traces follow their laws, whatever the seed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from .conftest import FREE, MALLOC, Recording, Script, read_recording

COUNT = 60_000


def make(script: Script, folder: Path, name: str, seed: int) -> Recording:
    out = folder / f"{name}_{seed}.hst"
    script("synthetic/make.py", name, "--seed", str(seed), "-o", out)
    return read_recording(out)


def sizes(trace: Recording) -> np.ndarray:
    return trace.events["size"][trace.events["kind"] == MALLOC].astype(float)


def lives(trace: Recording) -> np.ndarray:
    """The life of each block, in allocations between its own and its free; -1: never freed."""
    allocated = trace.events["kind"] == MALLOC
    time = np.cumsum(allocated) - 1
    freed = trace.events["kind"] == FREE
    spans = np.full(int(allocated.sum()), -1)
    blocks = trace.events["key"][freed].astype(int)
    spans[blocks] = time[freed] - blocks
    return spans


@pytest.mark.parametrize(
    ("name", "low", "high", "mean_life"), [("syn_logu", 8, 4096, 200), ("syn_small", 4, 128, 3000)]
)
@pytest.mark.parametrize("seed", [1, 2])
def test_sizes_are_log_uniform_and_lives_exponential(
    name: str, low: int, high: int, mean_life: float, seed: int, script: Script, tmp_path: Path
) -> None:
    trace = make(script, tmp_path, name, seed)
    drawn = sizes(trace)
    assert len(drawn) == COUNT
    assert drawn.min() == low
    assert drawn.max() < high
    middle = np.sqrt(low * high)
    assert abs((drawn < middle).mean() - 0.5) < 0.02 + 1 / middle
    spans = lives(trace)
    assert spans.min() >= 0  # all freed
    early = spans[: COUNT - 20 * int(mean_life)] if mean_life < 1000 else spans[: COUNT // 2]
    assert abs(early.mean() / mean_life - 1) < 0.05
    assert abs(early.std() / mean_life - 1) < 0.07


def test_mixed_keeps_its_first_blocks_for_ever(script: Script, tmp_path: Path) -> None:
    trace = make(script, tmp_path, "syn_mixed", 5)
    drawn, spans = sizes(trace), lives(trace)
    assert (spans[:600] == -1).all()
    assert (spans[600:] >= 0).all()
    assert set(drawn[:600]) == {8, 12, 16, 24, 40}
    later, spans = drawn[600:], spans[600:]
    large = later > 64
    assert set(later[~large]) == {12, 16, 20, 24, 32, 40, 48, 64}
    assert later[large].min() >= 512
    assert later.max() < 16384
    assert abs(large.mean() - 0.1) < 0.01
    assert abs(spans[large].mean() - 30) < 3
    assert abs(spans[:40_000][~large[:40_000]].mean() - 2500) < 125


def test_a_seed_gives_one_trace_and_another_seed_another(script: Script, tmp_path: Path) -> None:
    once = make(script, tmp_path / "once", "syn_logu", 7).events
    again = make(script, tmp_path / "again", "syn_logu", 7).events
    other = make(script, tmp_path, "syn_logu", 8).events
    assert (once == again).all()
    assert not np.array_equal(once, other)
