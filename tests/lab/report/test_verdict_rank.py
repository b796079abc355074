"""The order of severity: failed requests, a need that did not fit, damage, near misses, fine."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace as changed
from typing import Any

import pytest

from heapscope.render.page.cards import status
from heapscope.simulation.result.result import ReplayResult
from heapscope.simulation.result.verdict import RANKS, kind_of

Changed = Callable[..., Any]

FAILED = {"failures": 12, "first_failure_event": 121_500}
RECORDED = {"recorded_failures": 3, "recorded_failures_fit": 3}


def near(result: Changed) -> dict[str, Any]:
    """malloc's row with 5 % less one byte free at the least."""
    row = result().malloc
    return {"sets": (changed(row, minimum_free=round(0.05 * row.size) - 1),)}


def test_a_request_that_failed_outranks_a_need_that_fits_and_one_that_does_not(
    result: Changed, need: Changed, failure: Changed
) -> None:
    """A trace with failures was once answered by "could have been served at any time"."""
    fits = need(short_events=0, first_event=None, minimum_margin=1_204)
    for needs in ((fits,), (need(),), (fits, need())):
        verdict = result(needs=needs, failures=(failure(),), summary=FAILED).verdict
        assert (verdict.rank, verdict.kind) == (1, "failed")
        assert verdict.sentence.startswith("12 of 200,000 requests failed")
        assert len(verdict.findings) == 2 + len(needs)


def test_a_request_that_failed_in_the_recorded_program_outranks_a_need(
    result: Changed, need: Changed
) -> None:
    for fit, end in ((3, "all of them would"), (1, "1 of them would"), (0, "none of them would")):
        summary = RECORDED | {"recorded_failures_fit": fit}
        verdict = result(needs=(need(),), summary=summary).verdict
        assert verdict.kind == "failed"
        assert verdict.sentence == (
            f"3 requests failed in the recorded program; {end} fit on this memory."
        )


def test_a_need_that_did_not_fit_outranks_damage_and_one_that_fits(
    result: Changed, need: Changed, loss: Changed
) -> None:
    fits = need(short_events=0, first_event=None, minimum_margin=1_204)
    verdict = result(needs=(fits, need()), loss=loss(), **near(result)).verdict
    assert (verdict.rank, verdict.kind) == (2, "short")
    kinds = [finding.kind for finding in verdict.findings]
    assert kinds == ["short", "damage", "damage", "damage", "near", "fine"]
    assert kind_of(changed(verdict.facts, whole=True, lost_events=3)) == "short"
    assert kind_of(changed(verdict.facts, needs_short=0, whole=True, lost_events=3)) == "damage"


@pytest.mark.parametrize("what", ["unknown_frees", "double_frees", "dead_reallocs", "reused_ids"])
def test_events_that_contradict_each_other_outrank_a_near_miss(
    result: Changed, odd: Changed, what: str
) -> None:
    summary = {what: 2}
    verdict = result(summary=summary, anomalies=(odd(),), **near(result)).verdict
    assert (verdict.rank, verdict.kind) == (3, "damage")
    assert verdict.sentence.startswith("2 events of the trace contradict those before")


def test_a_near_miss_outranks_a_need_that_fits(result: Changed, need: Changed) -> None:
    fits = need(short_events=0, first_event=None, minimum_margin=1_204)
    verdict = result(needs=(fits,), **near(result)).verdict
    assert (verdict.rank, verdict.kind) == (4, "near")
    assert verdict.sentence.startswith("malloc had 9,829 B free at the least")
    row = result().malloc
    plenty = (changed(row, minimum_free=round(0.05 * row.size)),)
    verdict = result(needs=(fits,), sets=plenty).verdict
    assert (verdict.rank, verdict.kind) == (5, "fine")
    assert "would have been served every time" in verdict.sentence


def test_the_headline_is_the_worst_of_any_mixture(
    result: Changed, need: Changed, failure: Changed, loss: Changed, seed: int
) -> None:
    """Every mixture of facts, beside a recount that knows nothing of the sentences."""
    draw = random.Random(seed)
    for _ in range(300):
        here, device, short, lost, odd, close = (draw.random() < 0.3 for _ in range(6))
        summary = (FAILED if here else {}) | (RECORDED if device else {})
        summary |= {"double_frees": 1} if odd else {}
        needs = [need(short_events=0, minimum_margin=9)] * draw.randrange(2)
        needs += [need()] * short
        draw.shuffle(needs)
        replay_result: ReplayResult = result(
            summary=summary,
            needs=tuple(needs),
            failures=(failure(),) if here else (),
            loss=loss() if lost else None,
            **(near(result) if close else {}),
        )
        wanted = [here or device, short, lost or odd, close, True].index(True)
        verdict = replay_result.verdict
        assert (verdict.rank, verdict.kind) == (wanted + 1, RANKS[wanted])
        ranks = [finding.rank for finding in verdict.findings]
        assert ranks == sorted(ranks)
        assert verdict.findings[0].kind == verdict.kind == kind_of(verdict.facts)
        assert verdict.sentence == verdict.sentences[0] == verdict.findings[0].sentence
        assert (status(replay_result)[0] == "good") == (wanted == 4)
        assert (status(replay_result)[0] == "bad") == (wanted < 2)
