"""A replay's and a fit's statements about a damaged trace are true of the whole one."""

from __future__ import annotations

import dataclasses
import random
import sys
import typing
from pathlib import Path
from typing import Any

import pytest

from heapscope.answers.fit.fit_trace import fit
from heapscope.base.errors import InputError
from heapscope.base.request import Request
from heapscope.memory.layout.chips import load_chip
from heapscope.memory.layout.layout import Layout
from heapscope.memory.layout.pool import pool_layout
from heapscope.simulation.replay.run import replay
from heapscope.simulation.result.result import REPLAY, ReplayResult

sys.path.append(str(Path(__file__).parent))

from damaged import damages, false_claims, sample_trace

NEEDS = (Request(16717), Request(4096))
LAYOUTS: dict[str, Layout] = {
    "chip": load_chip("esp32").layout(idf="5.5"),
    "small pool": pool_layout(60_000),
}
NOT_FIGURES = ("health", "trace", "verdict", "loss", "clock", "word_size")  # or of the metadata


def _replayed(data: bytes, tmp_path: Path, layout: str) -> dict[str, Any] | None:
    """None: not one event is left."""
    path = tmp_path / "T.hst"
    path.write_bytes(data)
    try:
        return replay(path, LAYOUTS[layout], needs=NEEDS, buckets=0).to_json()
    except InputError:
        return None


def test_every_number_of_a_result_has_a_mark() -> None:
    for place, marks in REPLAY.items():
        row: Any = ReplayResult
        for step in filter(None, place.split(".")):
            hint = typing.get_type_hints(row)[step.removesuffix("[]")]
            row = typing.get_args(hint)[0] if step.endswith("[]") else hint
        hints = typing.get_type_hints(row)
        numbers = {name for name, hint in hints.items() if hint in (int, int | None)}
        assert numbers == set(marks), place
    rows = {place.split(".")[0].removesuffix("[]") for place in REPLAY}
    parts = {"trace", "layout", "health", "clock", "loss", "static", "explanation", "timeline"}
    lists = {"failures", "marks", "anomalies"}  # what happened: exact, and more may have
    fields = {field.name for field in dataclasses.fields(ReplayResult)}
    assert rows - {""} == fields - parts - lists - {"marks_seen", "beside"}


@pytest.mark.cells(4)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_figure_of_a_replay_holds_for_the_whole_run(
    whole: bytes, layout: str, tmp_path: Path, seed: int
) -> None:
    truth = _replayed(whole, tmp_path, layout)
    assert truth is not None
    assert truth["loss"] is None
    for name, data in damages(whole, random.Random(seed)):
        stated = _replayed(data, tmp_path, layout)
        if stated is None:
            continue
        if stated["loss"] is None:  # no event was lost
            assert all(stated[key] == truth[key] for key in truth if key not in NOT_FIGURES), name
            continue
        assert not false_claims(stated, truth), name
        assert 2 * stated["loss"]["withheld"] <= stated["loss"]["figures"], name


def test_figures_of_the_events_before_the_loss_are_those_of_these_events(
    tmp_path: Path, seed: int
) -> None:
    seen = random.Random(seed).randrange(1000, 9000)
    dropped = sample_trace(seed, events=10_000, dropped=range(seen, seen + 500))
    alone = sample_trace(seed, events=seen)
    stated, truth = (_replayed(data, tmp_path, "small pool") for data in (dropped, alone))
    assert stated is not None
    assert truth is not None
    assert (stated["loss"]["event"], stated["loss"]["events_missing"]) == (seen, 500)
    assert stated["loss"]["events_after"] == 10_000 - seen - 500
    assert stated["loss"]["time"] == 10 * (seen - 1)
    reported = (*NOT_FIGURES, "census")  # of the events after the loss as well
    assert {key: stated[key] for key in truth if key not in reported} == {
        key: truth[key] for key in truth if key not in reported
    }


def test_what_a_recorder_dropped_makes_bounds(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    truth = _replayed(sample_trace(seed, events=10_000), tmp_path, "small pool")
    assert truth is not None
    for first in (0, rng.randrange(1, 9000), 9999):
        gone = range(first, min(first + rng.randrange(1, 2000), 10_000))
        stated = _replayed(sample_trace(seed, events=10_000, dropped=gone), tmp_path, "small pool")
        if stated is None:
            assert gone == range(10_000)
            continue
        assert not false_claims(stated, truth), gone


def test_no_sentence_goes_beyond_the_loss(tmp_path: Path) -> None:
    """The verdict speaks of the part before the loss, and of bounds; nothing in it is fine."""
    data = sample_trace(7, events=10_000, dropped=range(4000, 4500))
    stated = _replayed(data, tmp_path, "chip")
    assert stated is not None
    assert stated["verdict"]["kind"] == "damage"
    sentences = [finding["sentence"] for finding in stated["verdict"]["findings"]]
    assert sentences[0] == "500 events of the trace are lost, the first after 4,000 events."
    bounds = ("500 events", "Everything below", "It is known of the whole run", "Before the loss: ")
    assert all(sentence.startswith(bounds) for sentence in sentences)
    assert "use may be higher" not in str(stated)


@pytest.mark.cells(1)
def test_a_pool_is_a_lower_bound(whole: bytes, tmp_path: Path, seed: int) -> None:
    path = tmp_path / "T.hst"
    path.write_bytes(whole)
    names = ("idf-5.5", "heap_4")
    real = {row.allocator: row for row in fit(path, names, margin=10)}
    for name, data in damages(whole, random.Random(seed)):
        path.write_bytes(data)
        try:
            rows = fit(path, names, margin=10)
        except InputError:
            continue
        for row in rows:
            truth = real[row.allocator]
            if row.loss is None or row.loss.event is None:
                assert (row.pool, row.peak_live) == (truth.pool, truth.peak_live), name
                continue
            assert not false_claims(row.to_json(), truth.to_json()), name
            assert row.failing is None or row.failing.event < row.loss.event, name
            assert (row.advised, row.ratio) == (None, None), name
            assert 3 * row.loss.withheld <= 2 * row.loss.figures, name
