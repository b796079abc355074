"""The sum of parts on what was left out: headline figures anew, and what was written is what the
figures give."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest

from heapscope.forecast.predict.memory_fit import FILE, memory_fit
from heapscope.forecast.predict.part_table import BOOT
from heapscope_studies.memory_parts import fit
from heapscope_studies.memory_parts.cases import DIFFERENCE, Case, cases
from heapscope_studies.memory_parts.fit import Judged, folds, judged, left_out, summary, with_reach
from heapscope_studies.wifi_model.fit import same


class Limits(NamedTuple):
    """The median error of whole programs and of provisioning, KB; the least share of differences in
    their band, percent."""

    whole: float
    provisioning: float
    in_band: int


#: A chip that is left out is known by the libraries of the others alone.
LIMITS = {"publisher": Limits(4, 12, 70), "chip": Limits(5.5, 14, 60)}


@pytest.fixture(scope="module", params=sorted(LIMITS))
def fitted(request: pytest.FixtureRequest) -> tuple[Limits, tuple[Judged, ...]]:
    return LIMITS[request.param], left_out(request.param)


@pytest.mark.slow
def test_whole_programs_are_predicted(fitted: tuple[Limits, tuple[Judged, ...]]) -> None:
    limits, judgements = fitted
    figures = summary(judgements)["all"]
    assert figures["figures"] >= 70
    assert figures["median_bytes"] <= limits.whole * 1024
    assert 70 <= figures["in_80_pct"] <= 90


@pytest.mark.slow  # it fits anew; whole programs are quick
def test_differences_are_predicted(fitted: tuple[Limits, tuple[Judged, ...]]) -> None:
    limits, judgements = fitted
    figures = summary(judgements)[DIFFERENCE]
    assert figures["figures"] >= 15
    assert figures["median_pct"] <= 15
    assert limits.in_band <= figures["in_80_pct"] <= 90


@pytest.mark.slow
def test_provisioning_is_not_off_by_what_two_radios_share(
    fitted: tuple[Limits, tuple[Judged, ...]],
) -> None:
    limits, judgements = fitted
    assert summary(judgements)["provisioning"]["median_bytes"] <= limits.provisioning * 1024


@pytest.mark.slow
@pytest.mark.parametrize("by", ["publisher", "chip"])
def test_no_fold_learns_what_it_is_queried(by: str) -> None:
    for gone, learn, ask in folds(cases(), by):
        keys = {getattr(case, by) for case in ask}
        assert len(keys) == 1 or all(case.group == BOOT for case in ask)
        assert not keys & {getattr(case, by) for case in learn}
        assert gone == {key if by == "publisher" else f"chip {key}" for key in keys}


def test_what_is_left_out_is_not_learned_from() -> None:
    """Other figures in its place change nothing of the prediction."""
    gone, learn, ask = next(each for each in folds(cases(), "publisher") if len(each[2]) > 20)
    start = fit._blank(1000.0, 5000.0)
    learned = with_reach(learn, gone, start)
    results = [judged(case, gone, learned) for case in ask]
    other = [judged(_moved(case), gone, learned) for case in ask]
    for one, two in zip(results, other, strict=True):
        assert one.predicted == two.predicted
        assert one.half_80 == two.half_80
        assert one.error != two.error


def _moved(case: Case) -> Case:
    return replace(case, low=case.low + 50_000, high=case.high + 50_000)


@pytest.mark.slow
def test_a_fit_follows_its_data() -> None:
    """Programs that have less free have more in them, and figures further apart wider bands."""
    start = fit._blank(1000.0, 5000.0)
    some = [case for case in cases() if case.group != "iram"]
    before = with_reach(some, frozenset(), start)
    less = [
        replace(case, low=case.low - 9000, high=case.high - 9000)
        if case.group == "wifi_started"
        else case
        for case in some
    ]
    after = with_reach(less, frozenset(), start)
    at = before.names.index("more of wifi")
    assert after.mean[at] > before.mean[at] + 3000
    apart = [
        replace(case, low=case.low + 40_000 * (-1) ** n, high=case.high + 40_000 * (-1) ** n)
        if case.group == "boot"
        else case
        for n, case in enumerate(some)
    ]
    assert with_reach(apart, frozenset(), start).spread["boot"] > 3 * before.spread["boot"]


@pytest.mark.slow
def test_the_written_constants_are_what_the_figures_give() -> None:
    written = json.loads(FILE.read_text(encoding="utf-8"))
    remedy = "python -m heapscope_studies.memory_parts.fit"
    assert same(fit.to_json(fit.fit_all()), written), remedy
    assert fit.to_json(memory_fit()) == written
    covariance = memory_fit().covariance
    assert np.array_equal(covariance, covariance.T)
    assert np.linalg.eigvalsh(covariance).min() > 0
