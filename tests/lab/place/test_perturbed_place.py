"""A placement on perturbed runs: the share in which it holds, and what it gives in the worst."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import heapscope as hs
from heapscope.answers.place.memories import INNER
from heapscope.answers.place.place_result import PlaceResult
from heapscope.answers.place.trial import placement_of
from heapscope.base.errors import InputError
from heapscope.base.request import Request
from heapscope.forecast.predict.memory_choice import choose_memory
from heapscope.native.reader import NativeReader
from heapscope.simulation.jitter.runs import Jitter, PerturbedRuns, kept_in_memory
from heapscope.simulation.jitter.share import share
from heapscope.simulation.replay.config import native_config
from heapscope.trace.all_names import read_all_names

ROOT = Path(__file__).resolve().parents[3]
LOSSY = ROOT / "studies" / "workloads" / "captured" / "ice_lossy.hst.zst"
CHIP: dict[str, Any] = {"chip": "esp32", "idf": "5.5"}
PSRAM: dict[str, Any] = {**CHIP, "psram": "4MB", "psram_threshold": "off"}
RUNS = 12


def shown(options: dict[str, Any], lines: tuple[str, ...], need: int | None) -> list[int]:
    """The figure of each run by a plain replay: least free memory, or the need's largest block."""
    layout = choose_memory(options, LOSSY).layout  # type: ignore[arg-type]
    placement = placement_of("\n".join(lines) + "\n" if lines else "", layout)
    placed = layout if placement is None else placement.apply(layout)
    config = native_config(
        placed,
        needs=() if need is None else [Request(need)],
        capsets=(INNER,),
        buckets=0,
        placement=placement,
        names=read_all_names(LOSSY),
    )
    figures = []
    with PerturbedRuns(kept_in_memory(LOSSY), Jitter(runs=RUNS, seed=3)) as runs:
        for number in range(RUNS):
            with NativeReader(config) as reader:
                runs.play(reader, number)
                assert reader.summary().failures == 0
                if need is None:
                    figures.append(int(reader.capsets()[1].minimum_free))
                else:
                    row = reader.needs()[0]
                    figures.append(max(0, int(row.size + row.minimum_margin)))
    return figures


def test_the_gain_of_each_run_is_that_of_plain_replays() -> None:
    result = hs.place(LOSSY, jitter=RUNS, jitter_seed=3, **PSRAM)
    perturbed = result.perturbed
    assert perturbed is not None
    best, none = (shown(PSRAM, way.lines, None) for way in (result.best, result.ways[0]))
    gains = sorted(a - b for a, b in zip(best, none, strict=True))
    assert (perturbed.least, perturbed.middle) == (gains[0], gains[RUNS // 2])
    assert perturbed.held == share(sum(gain > 0 for gain in gains), RUNS)
    assert any(perturbed.held.text in sentence for sentence in result.verdict)


def test_a_need_holds_in_the_runs_in_which_it_fits() -> None:
    need = 140_000
    result = hs.place(LOSSY, need=need, jitter=RUNS, jitter_seed=3, **CHIP)
    perturbed = result.perturbed
    assert perturbed is not None
    blocks = sorted(shown(CHIP, result.best.lines, need))
    assert (perturbed.least, perturbed.middle) == (blocks[0], blocks[RUNS // 2])
    assert perturbed.held == share(sum(block >= need for block in blocks), RUNS)
    assert PlaceResult.from_json(json.loads(json.dumps(result.to_json()))) is not None


def test_a_need_that_no_run_meets_holds_in_none() -> None:
    result = hs.place(LOSSY, need=180_000, jitter=2, **CHIP)
    assert result.perturbed is not None
    assert result.perturbed.held.good == 0


def test_without_rules_and_need_there_is_nothing_to_perturb() -> None:
    result = hs.place(LOSSY, pool="200KB", jitter=2)
    assert result.perturbed is None
    assert any("no rules whose gain" in note for note in result.notes)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"jitter": 0}, "--jitter 0: outside its range"),
        ({"jitter": 5, "jitter_strength": 2.0}, "--jitter-strength 2.0: outside its range"),
    ],
)
def test_runs_that_cannot_be_built_are_named(options: dict[str, Any], text: str) -> None:
    with pytest.raises(InputError, match=text):
        hs.place(LOSSY, pool="200KB", **options)
