"""The headline figures, anew from the published rows; nothing left out was learned from."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from heapscope.forecast.predict.constants import FILE, read_constants
from heapscope.forecast.predict.guess import predicted_throughput
from heapscope.forecast.predict.software import release_of
from heapscope.forecast.predict.throughput import (
    LIMITS,
    PENALTIES,
    Cases,
    Widths,
    beyond_features,
    ceiling_terms,
    limit_features,
    penalty_features,
    penalty_terms,
)
from heapscope.forecast.predict.wifi_table import METRICS, lab, ranks
from heapscope_studies.wifi_model import folds
from heapscope_studies.wifi_model.fit import error_table, same, to_json
from heapscope_studies.wifi_model.folds import SPLITS
from heapscope_studies.wifi_model.left_out import (
    LeftOut,
    covered,
    leave_out,
    ordered,
    percent,
)
from heapscope_studies.wifi_model.throughput_fit import fit_throughput

from .conftest import wifi_left_out as left_out

REPOSITORY = Path(__file__).parents[2]


#: Ranks of five tables, for a quick look; every rank is left out once in the slow tests.
FEW = ranks()[::8]


@pytest.fixture(scope="module")
def rows() -> tuple[LeftOut, ...]:
    return left_out("row")


@pytest.fixture(scope="module")
def few() -> tuple[LeftOut, ...]:
    return tuple(leave_out(folds.fitted(), [folds._without([row]) for row in FEW]))


def test_the_data_are_the_published_ones() -> None:
    assert len(ranks()) == 40
    assert sum(len(row.throughput) for row in ranks()) == 160
    assert sum(not row.memory_computed for row in ranks()) == 32
    assert all(row.source for row in (*ranks(), *lab()))
    first = ranks()[0]
    assert (first.memory_kb, first.throughput["tcp_tx"]) == (37.1, 74.6)


@pytest.mark.slow
def test_rows_of_five_tables_left_out_are_predicted(few: tuple[LeftOut, ...]) -> None:
    assert len({each.row.knobs.group for each in few}) == len(FEW) == 5
    assert np.median(percent(few)) <= 8
    inside, total = covered(few, share=0.95)
    assert inside / total >= 0.8
    assert covered(few, share=0.3)[0] / total <= 0.8


@pytest.mark.slow
def test_a_row_left_out_is_predicted(rows: tuple[LeftOut, ...]) -> None:
    errors = percent(rows)
    assert len(errors) == 160
    assert np.median(errors) <= 6.5
    assert np.percentile(errors, 90) <= 25
    right, pairs = ordered(rows)
    assert pairs == 268
    assert right >= 252


@pytest.mark.slow
def test_a_whole_table_left_out_is_predicted() -> None:
    assert len(percent(left_out("table"))) == 184
    assert np.median(percent(left_out("table"))) <= 12


@pytest.mark.slow
def test_a_release_and_a_chip_left_out_are_predicted() -> None:
    """Half of the rows are of one release. To leave it out is to leave out two chips and all but
    one row of a third: 12 % is not reached."""
    for split in ("release", "chip"):
        assert np.median(percent(left_out(split))) <= 19


@pytest.mark.slow
def test_a_chip_known_by_its_best_row_only_is_predicted() -> None:
    assert len(percent(left_out("new_chip"))) == 120
    assert np.median(percent(left_out("new_chip"))) <= 11
    assert np.median(percent(left_out("new_table"))) <= 8.0


@pytest.mark.slow
@pytest.mark.parametrize("split", [split.key for split in SPLITS])
def test_bands_hold_what_they_say_of_unseen_cases(split: str) -> None:
    result = left_out(split)
    inside, total = covered(result, share=0.8)
    assert 0.7 <= inside / total <= 0.9
    assert covered(result, share=0.95)[0] / total >= 0.8


@pytest.mark.slow
def test_what_is_left_out_is_not_learned_from(few: tuple[LeftOut, ...]) -> None:
    """Another measurement in its place changes nothing of its prediction."""
    target = FEW[1]
    other = replace(target, throughput=dict.fromkeys(METRICS, 1.0))
    learn = [row for row in folds.fitted() if row is not target]
    fold = leave_out(folds.fitted(), [(learn, [other])])[0]
    for metric in METRICS:
        mean = few[1].throughput[metric].mean
        assert fold.throughput[metric].mean == pytest.approx(mean, abs=1e-9)


@pytest.mark.parametrize("split", [split.key for split in SPLITS])
def test_no_fold_learns_what_it_is_queried(split: str) -> None:
    for learn, ask in folds._folds(split):
        assert ask
        assert not {row.id for row in learn} & {row.id for row in ask}
        if split in ("chip", "new_chip"):
            known = [row for row in learn if row.knobs.chip == ask[0].knobs.chip]
            assert len(known) == (split == "new_chip")
        if split == "release":
            assert not {release_of(row.knobs.year) for row in learn} & {
                release_of(row.knobs.year) for row in ask
            }
        if split == "table":
            same = [row for row in learn if row.knobs.group == ask[0].knobs.group]
            assert ask[0].date not in {row.date for row in same}


def test_rows_of_2017_that_nothing_learned_from_are_as_old_software_is() -> None:
    """Their place and tool are not known; the band of software before the first knot is wide."""
    constants = read_constants()
    old = [row for row in lab() if row.date < "2018"]
    assert len(old) == 2
    inside = 0
    for row in old:
        guesses = predicted_throughput(
            [(row.knobs, metric) for metric in METRICS],
            constants.names,
            constants.throughput,
            constants.widths,
        )
        for metric, guess in zip(METRICS, guesses, strict=True):
            inside += guess.holds(row.throughput[metric], share=0.95)
    assert inside >= 5


def test_the_time_of_a_bit_is_a_sum_of_what_single_knobs_give() -> None:
    """`tune` relies on it: 1/T comes from features of one knob each, and from nothing else."""
    constants = read_constants()
    value = dict(zip(constants.names, constants.throughput.theta, strict=True))
    for row in ranks():
        for metric in METRICS:
            ceiling = sum(value[name] * by for name, by in ceiling_terms(row.knobs, metric).items())
            paid = penalty_features(row.knobs)
            share = sum(
                math.exp(sum(value[n] for n in penalty_terms(row.knobs, metric, penalty)))
                for penalty in PENALTIES
                if paid[penalty]
            )
            features = limit_features(row.knobs)
            time = (1 + share) * math.exp(-ceiling) + sum(
                math.exp(value[f"limit.{limit}"]) * features[limit] for limit in LIMITS[metric]
            )
            assert not any(beyond_features(row.knobs).values())
            case = Cases([(row.knobs, metric)], constants.names)
            assert float(case.expected(constants.throughput.theta)[0]) == pytest.approx(
                -math.log(time)
            )


def test_the_slopes_are_those_of_the_expected_values() -> None:
    constants = read_constants()
    results = [(row.knobs, metric) for row in ranks()[:12] for metric in METRICS]
    cases = Cases(results, constants.names)
    theta = constants.throughput.theta
    _, slope = cases.expected_and_slope(theta)
    for number in range(0, len(theta), 7):
        step = np.zeros(len(theta))
        step[number] = 1e-6
        result = (cases.expected(theta + step) - cases.expected(theta - step)) / 2e-6
        assert np.allclose(result, slope[:, number], atol=1e-6)


def test_the_written_constants_are_read_as_they_are() -> None:
    written = json.loads(FILE.read_text(encoding="utf-8"))
    assert to_json(read_constants()) == written
    covariance = read_constants().throughput.covariance
    assert np.array_equal(covariance, covariance.T)
    assert np.linalg.eigvalsh(covariance).min() > -1e-5


@pytest.mark.slow
def test_the_written_constants_are_what_the_rows_give() -> None:
    from heapscope_studies.wifi_model.fit import fit_all

    for split in SPLITS:
        left_out(split.key)
    written = json.loads(FILE.read_text(encoding="utf-8"))
    remedy = "python -m heapscope_studies.wifi_model.fit"
    assert same(to_json(fit_all()), written), remedy


def test_the_documentation_has_the_measured_errors() -> None:
    table = error_table(read_constants().measured)
    for page in ("reference/predict.md", "design/predict-model.md"):
        assert table in (REPOSITORY / "docs" / page).read_text(encoding="utf-8")


def test_a_fit_follows_its_data() -> None:
    """Two thirds of the throughput everywhere move the ceilings."""
    less = [
        replace(row, throughput={metric: value / 1.5 for metric, value in row.throughput.items()})
        for row in ranks()
    ]
    widths = Widths()
    names, before = fit_throughput(ranks(), widths)
    _, after = fit_throughput(less, widths)
    index = names.index("chip.esp32")
    assert 0.25 < before.theta[index] - after.theta[index] < 0.9
