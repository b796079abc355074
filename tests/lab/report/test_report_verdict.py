"""The answer in sentences."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace as changed
from typing import Any

Changed = Callable[..., Any]


def test_a_need_that_at_times_would_not_fit_says_how_often_when_and_by_how_much(
    result: Changed, need: Changed
) -> None:
    assert result(needs=(need(),)).verdict.sentences[0] == (
        "A request of 16,717 B by malloc, tried after each of the 358,819 events, would have "
        "failed 3,204 times (0.9 %), first at event 120,331 [mark 'reconnect 2']; at the worst "
        "moment, event 121,000 [mark 'reconnect 2'], the largest allocatable block was 12,284 B, "
        "4,433 B short."
    )


def test_a_need_that_always_fits_says_how_much_was_to_spare(result: Changed, need: Changed) -> None:
    row = need(short_events=0, first_event=None, minimum_margin=1_204)
    assert result(needs=(row,)).verdict.sentences[0] == (
        "A request of 16,717 B by malloc, tried after each of the 358,819 events, would have been "
        "served every time; at the worst moment, event 121,000 [mark 'reconnect 2'], the largest "
        "allocatable block was 17,921 B, 1,204 B to spare."
    )


def test_a_need_that_never_fits_says_so(result: Changed, need: Changed) -> None:
    row = need(short_events=358_819, first_event=0)
    sentence = result(needs=(row,)).verdict.sentences[0]
    assert "would have failed every time; at the worst moment the largest" in sentence


def test_a_need_above_the_largest_region_is_marked_hopeless(
    result: Changed, need: Changed, region: Changed
) -> None:
    row = need(short_events=358_819, first_event=0, size=400_000)
    sentence = result(needs=(row,), regions=(region(size=6_432),)).verdict.sentences[0]
    assert sentence.endswith("failed every time: the largest region has only 6,432 B.")


def test_a_need_with_capabilities_names_them(result: Changed, need: Changed) -> None:
    sentence = result(needs=(need(capabilities="DMA|8BIT"),)).verdict.sentences[0]
    assert sentence.startswith("A request of 16,717 B with DMA|8BIT, tried after each")


def test_failed_requests_show_the_first_one_with_what_was_free(
    result: Changed, failure: Changed
) -> None:
    verdict = result(failures=(failure(),), summary={"failures": 12}).verdict.sentences
    assert verdict[0] == (
        "12 of 200,000 requests failed, the first at event 121,500 [aws_iot, mark 'reconnect 2']: "
        "malloc of 16,717 B, with 40,004 B free, the largest allocatable block 12,284 B."
    )
    assert verdict[1].startswith("malloc had 40,004 B free at the least")


def test_a_request_that_no_region_may_serve_is_not_blamed_on_free_memory(
    result: Changed, failure: Changed
) -> None:
    row = failure(regions=(), capabilities="SPIRAM")
    sentence = result(failures=(row,), summary={"failures": 1}).verdict.sentences[0]
    assert sentence.endswith("with SPIRAM, and no region of this layout has these capabilities.")


def test_without_failures_the_closest_moment_is_the_answer(result: Changed) -> None:
    assert result().verdict.sentences == (
        "malloc had 40,004 B free at the least, at event 121,000 [mark 'reconnect 2']; the largest "
        "block it could give fell to 12,284 B at that moment.",
    )


def test_memory_that_nothing_was_taken_from_did_not_nearly_run_out(result: Changed) -> None:
    untouched = (changed(result().malloc, minimum_free_event=None),)
    assert result(sets=untouched).verdict.sentences == (
        "Nothing was taken from malloc's memory: 40,004 B stayed free, the largest block it could "
        "give was 12,284 B.",
    )


def test_events_before_the_first_mark_have_no_mark(result: Changed, need: Changed) -> None:
    row = need(first_event=119_999)
    assert "first at event 119,999;" in result(needs=(row,)).verdict.sentences[0]


def test_shares_never_round_to_nothing_or_to_all(result: Changed, need: Changed) -> None:
    few = result(needs=(need(short_events=1),)).verdict.sentences[0]
    most = result(needs=(need(short_events=358_818),)).verdict.sentences[0]
    assert "failed 1 time (under 0.1 %)" in few
    assert "failed 358,818 times (over 99.9 %)" in most


def test_losses_limit_the_verdict(result: Changed, loss: Changed) -> None:
    lost = result(loss=loss()).verdict.sentences
    assert lost[:3] == (
        "7 events of the trace are lost, the first after 120,500 events.",
        "Everything below describes the 120,500 events before the loss; the 238,312 events read "
        "after it are only counted; 3 of 100 kinds of figures are withheld (3.0 %).",
        "It is known of the whole run that malloc's least free memory was at most 40,004 B, while "
        "the program held at least 140,000 B at its peak.",
    )
    assert all(sentence.startswith("Before the loss: ") for sentence in lost[3:])
    cut = result(loss=loss(events_missing=0, events_after=0, end_known=False)).verdict.sentences
    assert cut[0] == "A part of the trace is lost, the first after 120,500 events."
    start = result(loss=loss(event=0)).verdict.sentences
    assert start[0] == "7 events of the trace are lost, from the first event on."
    assert len(start) == 3


def test_addresses_that_were_not_met_limit_the_verdict(result: Changed) -> None:
    verdict = result(summary={"address_compared": 1_000, "address_matched": 982}).verdict.sentences
    assert verdict[-1].startswith("Only 98.2 % of the recorded addresses were met")
    assert len(result(summary={"address_compared": 9, "address_matched": 9}).verdict.sentences) == 1


def test_a_trace_of_a_64_bit_program_is_marked_one(result: Changed) -> None:
    assert "64-bit" in result(metadata={"word_size": "8"}).verdict.sentences[-1]


def test_start_up_use_without_a_place_is_stated(result: Changed) -> None:
    verdict = result(summary={"startup_unplaced": 512}).verdict.sentences
    assert verdict[-1] == "512 B of start-up use found no place in this layout."
