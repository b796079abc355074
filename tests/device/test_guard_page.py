"""docs/reference/guard.md is of the guard that is here; and the guard touches words alone."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from emulation.build import build_image
from emulation.run import FAILED, REFUSED, EmulatedHeap, Form
from emulation.targets import TARGETS

sys.path.append(str(Path(__file__).parents[2] / "benches"))
sys.path.append(str(Path(__file__).parents[2] / "benches" / "guard"))

import cost
from results import read_results

ROOT = Path(__file__).parents[2]
RAW = read_results(ROOT / "docs" / "reference" / "guard.csv")
EVENTS = 600


@pytest.mark.cells(1)
@pytest.mark.parametrize("name", ["off, owners", "1 canaries"])
def test_bytes_are_those_of_this_guard(name: str) -> None:
    own = [cost.overhead(cost.rows_of(t), name, Form.SMALL, 8) for t in cost.TRACES]
    reported = RAW["bytes"][name]["small 8"]
    assert sum(own) / len(own) == pytest.approx(reported, abs=0.01), "run benches/guard again"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["off, owners", "0 links", "2 fill", "1 canaries, sites"])
def test_the_word_only_form_is_guarded_by_words(name: str) -> None:
    """The memory faults at any other access; payloads lie where the canaries leave them."""
    target = TARGETS["rv32imc"]
    rows = cost.rows_of("script_json")[:EVENTS]
    heap = EmulatedHeap(
        target,
        build_image(target, cost.guard_sources()),
        100_000,
        form=Form.WORD,
        alignment=cost.chosen(name, 8),
        words_only=True,
        counted=False,
    )
    results = heap.replay(rows).results
    assert not np.isin(results, [FAILED, REFUSED]).any()
    assert (results < 100_000).sum() > EVENTS / 3


def test_canaries_find_what_they_are_for() -> None:
    """The headline: from level 1 on each overflow and underflow that writes a mark is found."""
    rows = [r for r in RAW["faults"] if r["level"] >= 1 and r["fault"] == "overflow-run"]
    built = sum(r["made"] - r["same"] for r in rows)
    assert built > 1000
    assert sum(r["call"] + r["walk"] for r in rows) == built
