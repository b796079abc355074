"""The answer in sentences."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace as changed
from typing import Any

Changed = Callable[..., Any]


def test_a_need_that_at_times_would_not_fit_says_how_often_when_and_by_how_much(
    result: Changed, need: Changed
) -> None:
    assert result(needs=(need(),)).verdict()[0] == (
        "16,717 B could not have been served by malloc after 3,204 of 358,819 events (0.9 %), "
        "first at event 120,331 [mark 'reconnect 2']; at the worst moment the largest allocatable "
        "block was 12,284 B, 4,433 B short."
    )


def test_a_need_that_always_fits_says_how_much_was_to_spare(result: Changed, need: Changed) -> None:
    row = need(short_events=0, first_event=None, minimum_margin=1_204)
    assert result(needs=(row,)).verdict()[0] == (
        "16,717 B could have been served by malloc at any time; at the worst moment, event 121,000 "
        "[mark 'reconnect 2'], the largest allocatable block was 17,921 B, 1,204 B to spare."
    )


def test_a_need_that_never_fits_says_so(result: Changed, need: Changed) -> None:
    row = need(short_events=358_819, first_event=0)
    sentence = result(needs=(row,)).verdict()[0]
    assert sentence.startswith("16,717 B could not have been served by malloc at any time; at the")


def test_a_need_above_the_largest_region_is_said_to_be_hopeless(
    result: Changed, need: Changed, region: Changed
) -> None:
    row = need(short_events=358_819, first_event=0, size=400_000)
    sentence = result(needs=(row,), regions=(region(size=6_432),)).verdict()[0]
    assert sentence.endswith("at any time: the largest region has only 6,432 B.")


def test_a_need_with_capabilities_names_them(result: Changed, need: Changed) -> None:
    sentence = result(needs=(need(capabilities="DMA|8BIT"),)).verdict()[0]
    assert sentence.startswith("16,717 B could not have been served with DMA|8BIT after")


def test_failed_requests_show_the_first_one_with_what_was_free(
    result: Changed, failure: Changed
) -> None:
    verdict = result(failures=(failure(),), summary={"failures": 12}).verdict()
    assert verdict[0] == (
        "12 of 200,000 requests failed, the first at event 121,500 [aws_iot, mark 'reconnect 2']: "
        "malloc of 16,717 B, with 40,004 B free, the largest allocatable block 12,284 B."
    )
    assert verdict[1].startswith("malloc had 40,004 B left at the least")


def test_a_request_that_no_region_may_serve_is_not_blamed_on_free_memory(
    result: Changed, failure: Changed
) -> None:
    row = failure(regions=(), capabilities="SPIRAM")
    sentence = result(failures=(row,), summary={"failures": 1}).verdict()[0]
    assert sentence.endswith("with SPIRAM, and no region of this layout has these capabilities.")


def test_without_failures_the_closest_moment_is_the_answer(result: Changed) -> None:
    assert result().verdict() == (
        "malloc came within 40,004 B of running out, at event 121,000 [mark 'reconnect 2']; the "
        "largest block it could give fell to 12,284 B at that moment.",
    )


def test_memory_that_nothing_was_taken_from_did_not_nearly_run_out(result: Changed) -> None:
    untouched = (changed(result().malloc, minimum_free_event=None),)
    assert result(sets=untouched).verdict() == (
        "Nothing was taken from malloc's memory: 40,004 B stayed free, the largest block it could "
        "give was 12,284 B.",
    )


def test_events_before_the_first_mark_have_no_mark(result: Changed, need: Changed) -> None:
    row = need(first_event=119_999)
    assert "first at event 119,999;" in result(needs=(row,)).verdict()[0]


def test_shares_never_round_to_nothing_or_to_all(result: Changed, need: Changed) -> None:
    few = result(needs=(need(short_events=1),)).verdict()[0]
    most = result(needs=(need(short_events=358_818),)).verdict()[0]
    assert "after 1 of 358,819 events (under 0.1 %)" in few
    assert "after 358,818 of 358,819 events (over 99.9 %)" in most


def test_losses_limit_the_verdict(result: Changed) -> None:
    lost = result(health={"lost_events": 7, "messages": ("7 events are missing",)}).verdict()
    assert lost[-1] == "7 events of the trace are lost: use may be higher."
    cut = result(health={"truncated": True, "messages": ("cut",)}).verdict()
    assert cut[-1] == "Part of the trace could not be read: use may be higher."


def test_addresses_that_were_not_met_limit_the_verdict(result: Changed) -> None:
    verdict = result(summary={"address_compared": 1_000, "address_matched": 982}).verdict()
    assert verdict[-1].startswith("Only 98.2 % of the recorded addresses were met")
    assert len(result(summary={"address_compared": 9, "address_matched": 9}).verdict()) == 1


def test_a_trace_of_a_64_bit_program_is_said_to_be_one(result: Changed) -> None:
    assert "64-bit" in result(metadata={"word_size": "8"}).verdict()[-1]


def test_start_up_use_without_a_place_is_said(result: Changed) -> None:
    verdict = result(summary={"startup_unplaced": 512}).verdict()
    assert verdict[-1] == "512 B of start-up use found no place in this layout."
