"""`heapscope fit --jitter`: the share of perturbed runs that a pool serves."""

from __future__ import annotations

from pathlib import Path

import pytest

from heapscope.answers.fit.perturbed_fit import PerturbedFit
from heapscope.base.errors import InputError
from heapscope.cli.verbs.fit import fit

TRACE = Path(__file__).parents[3] / "studies" / "workloads" / "captured" / "ice_many.hst.zst"


def perturbed(**options: float) -> tuple[int, PerturbedFit]:
    row = fit(TRACE, allocator="idf-5.5", jitter=40, **options)[0]  # type: ignore[arg-type]
    assert row.pool is not None
    assert row.perturbed is not None
    return row.pool, row.perturbed


def test_without_strength_every_run_fits_the_pool_of_the_recorded_one() -> None:
    pool, runs = perturbed(jitter_strength=0)
    assert (runs.at_pool.runs, runs.at_pool.good) == (40, 40)
    assert runs.safe is not None
    assert runs.safe <= pool


def test_a_pool_that_just_holds_one_run_does_not_hold_all_and_a_larger_one_does() -> None:
    pool, runs = perturbed()
    assert runs.at_pool.good < 40
    assert runs.safe is not None
    assert runs.safe > pool
    assert runs.at_safe is not None
    assert runs.at_safe.good > runs.at_pool.good
    assert perturbed()[1] == runs
    assert f"serve {runs.at_pool.good} of 40 perturbed runs" in next(
        runs.sentences("idf-5.5", pool)
    )


def test_a_wrong_number_of_runs_is_refused() -> None:
    with pytest.raises(InputError, match="--jitter 0"):
        fit(TRACE, jitter=0)
