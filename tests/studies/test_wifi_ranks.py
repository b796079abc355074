"""wifi-ranks: the headline figures again, from what the tables say, and the power-save rows."""

from __future__ import annotations

import copy
import json
import statistics
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from heapscope.cli.app import app
from heapscope.forecast.predict import power_save
from heapscope.forecast.predict.power_save import Times, connectionless, station
from heapscope.forecast.predict.wifi_table import METRICS, ranks
from heapscope_studies import wifi_ranks
from heapscope_studies.result import Experiment
from heapscope_studies.wifi_ranks.memory import errors_kb, predicted_kb

from .conftest import Computed


@pytest.fixture(scope="module")
def result(computed: Computed) -> Experiment:
    return computed(wifi_ranks.NAME)


def rows(result: Experiment, key: str) -> list[dict[str, Any]]:
    return list(result.table(key).to_json()["rows"])


@pytest.mark.slow
def test_the_figures_are_those_of_the_rows(result: Experiment) -> None:
    """Counted again from the published and predicted columns alone."""
    reported = rows(result, "ranks")
    assert len(reported) == 40
    errors = [
        abs(row[f"{metric}_predicted"] / row[metric] - 1) * 100
        for row in reported
        for metric in METRICS
    ]
    figures = result.figures
    assert statistics.median(errors) == pytest.approx(
        figures["throughput"]["loo_median_pct"], abs=0.05
    )
    right = pairs = 0
    for a, b in combinations(reported, 2):
        if (a["chip"], a["psram"]) != (b["chip"], b["psram"]):
            continue
        for metric in METRICS:
            if a[metric] != b[metric]:
                pairs += 1
                order = a[f"{metric}_predicted"] > b[f"{metric}_predicted"]
                right += order == (a[metric] > b[metric])
    assert (right, pairs) == (figures["throughput"]["pairs_right"], figures["throughput"]["pairs"])
    measured = [
        abs(row["memory_predicted"] - row["memory"])
        for row, rank in zip(reported, ranks(), strict=True)
        if not rank.memory_computed
    ]
    assert statistics.median(measured) == pytest.approx(
        figures["memory"]["parts_median_kb"], abs=0.06
    )


@pytest.mark.slow
def test_the_goals_are_met(result: Experiment) -> None:
    figures = result.figures
    assert figures["throughput"]["loo_median_pct"] <= 6.5
    assert figures["throughput"]["pairs_right"] >= 252
    assert figures["throughput"]["pairs"] == 268
    assert figures["new_chip"]["median_pct"] <= 11
    assert figures["memory"]["parts_median_kb"] <= 12
    assert figures["memory"]["rows"] == 32


@pytest.mark.slow
def test_json_has_the_figures_on_top() -> None:
    done = CliRunner().invoke(app, ["experiment", "wifi-ranks", "--json", "-"])
    assert done.exit_code == 0
    document = json.loads(done.stdout)
    assert document["throughput"] == document["experiments"][0]["throughput"]
    assert document["new_chip"]["median_pct"] > 0
    assert document["memory"]["parts_median_kb"] > 0


@pytest.mark.slow
def test_each_rank_has_its_gain_or_the_proof_that_there_is_none(result: Experiment) -> None:
    """Counted again from the rows; those outside Kconfig's ranges are listed."""
    table = result.table("gains")
    reported, full = rows(result, "gains"), rows(result, "gains_knobs")
    assert [row["rank"] for row in reported] == [rank.id for rank in ranks()]
    stated = result.figures["tune"]
    assert stated["bettered"] == sum(row["better"] == "yes" for row in reported)
    assert stated["proven_best"] == sum(row["better"] == "no: proven" for row in reported)
    assert stated["bettered"] + stated["proven_best"] == stated["ranks"] == 40
    assert stated["outside_kconfig"] == sum(bool(row["outside"]) for row in full) > 0
    for row, each in zip(reported, full, strict=True):
        assert each["free_best"] >= each["free_base"] - 0.01
        moved = [each[f"{metric}_best"] / each[f"{metric}_base"] for metric in METRICS]
        assert min(moved) >= 1 - 0.005  # of figures rounded to two digits
        assert (row["better"] == "yes") == bool(row["by"])
        if row["better"] == "no: proven":
            assert each["spare"] <= 0.01
        if each["outside"]:
            assert any(note.startswith(row["rank"]) for note in table.notes)


@pytest.mark.slow
def test_published_figures_are_shown_as_they_are(result: Experiment) -> None:
    for row, rank in zip(rows(result, "ranks"), ranks(), strict=True):
        assert row["memory"] == rank.memory_kb
        assert [row[metric] for metric in METRICS] == [rank.throughput[m] for m in METRICS]


@pytest.mark.slow
def test_the_window_and_interval_table_comes_out(result: Experiment) -> None:
    assert not result.failed
    for row in rows(result, "window_interval"):
        assert row["computed"] == row["published"]


def test_modes_follow_from_the_times() -> None:
    assert station("none", Times()).radio_on == 1
    minimum = station("min_modem", Times(beacon=100, dtim=3, awake_ms=4))
    assert minimum.worst_delay_ms == pytest.approx(307.2)
    assert minimum.radio_on == pytest.approx(4 / 307.2)
    assert minimum.broadcast_heard == 1
    longest = station("max_modem", Times(dtim=2, listen=3))
    assert longest.broadcast_heard == pytest.approx(1 / 3)  # both begin together every 6 beacons
    assert any("lost" in note for note in longest.notes)
    assert station("max_modem", Times(dtim=6, listen=3)).broadcast_heard == 1
    windowed = connectionless(Times(window_ms=25, interval_ms=100))
    assert (windowed.radio_on, windowed.worst_delay_ms) == (0.25, 75)
    assert connectionless(Times(window_ms=0)).worst_delay_ms is None
    assert connectionless(Times(window_ms=100, interval_ms=100)).radio_on == 1


def test_coexistence_overrides_every_mode() -> None:
    for mode in power_save.modes(Times(wifi_share=0.4, slice_ms=100)):
        assert mode.radio_on <= 0.4
        assert any("coexistence" in note for note in mode.notes)
    assert station("none", Times(wifi_share=0.4, slice_ms=100)).worst_delay_ms == 60


def test_a_row_does_not_tell_its_own_memory() -> None:
    """Nor a copy of it, as a kept result has."""
    row = ranks()[0]
    assert predicted_kb(copy.copy(row)) == predicted_kb(row)


@pytest.mark.slow
def test_the_page_of_the_model_has_the_errors_of_memory() -> None:
    page = Path(__file__).parents[2] / "docs" / "design" / "predict-model.md"
    measured, computed = (statistics.median(errors_kb(computed=each)) for each in (False, True))
    text = " ".join(page.read_text(encoding="utf-8").split())
    assert f"the median error is {measured:.1f} KB, and {computed:.1f} KB for the steps" in text
