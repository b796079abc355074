"""Two results side by side."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace as changed
from typing import Any

from heapscope.cli.verbs.shown import show
from heapscope.memory.layout.region_rows import SetRow
from heapscope.render.text.console import console
from heapscope.simulation.result.comparison import Comparison, DifferenceRow, compare
from heapscope.simulation.result.summary import Tightest

Changed = Callable[..., Any]


def printed(comparison: Comparison, *, width: int = 80) -> str:
    out = io.StringIO()
    target = console(out)
    target.width = width
    show(comparison, target)
    return out.getvalue()


def row(comparison: Comparison, section: str, name: str) -> DifferenceRow:
    return next(r for r in comparison.rows if (r.section, r.name) == (section, name))


def test_equal_results_change_nothing(result: Changed) -> None:
    comparison = compare(result(), result())
    assert comparison.conclusion == ("Nothing changes under right: every figure is that of left.",)
    assert {r.outcome for r in comparison.rows} == {"same"}
    assert "Both sides gave every request the same place" in printed(comparison)


def test_a_need_that_no_longer_fits_is_the_conclusion(result: Changed, need: Changed) -> None:
    left = result(needs=(need(short_events=0, minimum_margin=30),), layout={"sdk": "4.2"})
    comparison = compare(left, result(needs=(need(),)))
    assert comparison.conclusion[0] == (
        "16,717 B for malloc always fits under ESP-IDF 4.2, does not fit 3,204 times, "
        "tried after every event (at worst 4,433 B short) under ESP-IDF 5.5."
    )
    short = row(comparison, "needs", "16,717 B for malloc: without room")
    assert (short.difference, short.percent, short.outcome) == (3_204, None, "worse")


def test_a_change_of_free_memory_names_its_main_cause(result: Changed) -> None:
    before = result()
    free = before.malloc.minimum_free - 4_780
    tightest = before.summary.tightest.to_json() | {"control": 4_212, "free": free}
    row_after = SetRow.from_json(before.malloc.to_json() | {"minimum_free": free})
    after = result(
        sets=(row_after, *before.sets[1:]), summary={"tightest": Tightest.from_json(tightest)}
    )
    assert compare(before, after).conclusion == (
        "right leaves malloc 4,780 B less at the tightest moment (35,224 B instead of 40,004 B), "
        "most through control structures (2,512 B more).",
    )


def test_failures_on_one_side_are_stated(result: Changed, failure: Changed) -> None:
    right = result(failures=(failure(),), summary={"failures": 7})
    assert "No failed requests under left, 7 under right." in compare(result(), right).conclusion


def test_more_free_memory_is_better_and_a_neutral_figure_is_neither(result: Changed) -> None:
    more = {"section": "s", "name": "n", "unit": "B", "left": 100, "right": 150}
    assert DifferenceRow(better="more", **more).outcome == "better"
    assert DifferenceRow(better="less", **more).outcome == "worse"
    assert DifferenceRow(better="", **more).outcome == ""
    assert DifferenceRow(better="more", **more).percent == 50.0


def test_a_figure_of_one_side_only_has_no_difference(result: Changed, need: Changed) -> None:
    comparison = compare(result(), result(needs=(need(),)))
    only = row(comparison, "needs", "16,717 B for malloc: smallest margin")
    assert (only.left, only.right, only.difference, only.outcome) == (None, -4_433, None, "")


def test_sides_are_named_by_the_first_fact_in_which_they_differ(result: Changed) -> None:
    base = result()
    for changes, labels in [
        ({"sdk": "4.2"}, ("ESP-IDF 4.2", "ESP-IDF 5.5")),
        ({"allocators": ("idf-4.2",)}, ("idf-4.2", "idf-5.5")),
        ({}, ("left", "right")),
    ]:
        comparison = compare(result(layout=changes), base)
        assert (comparison.left.label, comparison.right.label) == labels


def test_two_files_of_one_name_are_distinguished_by_their_folders(result: Changed) -> None:
    comparison = compare(result(path="runs/a/x/T.hst"), result(path="runs/b/x/T.hst"))
    assert (comparison.left.label, comparison.right.label) == ("a/x/T.hst", "b/x/T.hst")


def test_sides_that_differ_in_nothing_are_left_and_right_once(result: Changed) -> None:
    lines = printed(compare(result(), result())).splitlines()
    assert lines[0].startswith("left: demo.hst")
    assert lines[1].startswith("right: demo.hst")


def test_capability_sets_that_all_have_the_same_figures_are_all_memory(result: Changed) -> None:
    def sets(free: int) -> tuple[SetRow, ...]:
        return tuple(changed(row, minimum_free=free) for row in result().sets)

    text = printed(compare(result(sets=sets(9)), result(sets=sets(8))))
    assert "all memory: minimum free" in text
    assert "malloc, DMA" not in text


def test_two_tasks_of_one_name_stay_apart(result: Changed) -> None:
    tasks = result().tasks
    twins = (tasks[0], type(tasks[0])(**(vars(tasks[1]) | {"task": "aws_iot"})))
    comparison = compare(result(tasks=twins), result(tasks=twins))
    names = [r.name for r in comparison.rows if r.section == "tasks"]
    assert len(names) == len(set(names)) == 4


def test_only_what_differs_is_printed_and_the_rest_counted(result: Changed, need: Changed) -> None:
    left = result(needs=(need(short_events=0, minimum_margin=30),), layout={"sdk": "4.2"})
    text = printed(compare(left, result(needs=(need(),))))
    assert "smallest margin" in text
    assert "control" not in text
    assert "figures equal on both sides" in text
    assert text.count("static use assumed") == 1
    assert max(map(len, text.splitlines())) <= 80


def test_limits_of_either_side_end_the_conclusion(result: Changed, loss: Changed) -> None:
    damaged = result(loss=loss())
    assert "7 events of the trace are lost" in compare(result(), damaged).conclusion[-3]


def test_memory_of_another_size_is_the_main_cause_of_its_own_difference(result: Changed) -> None:
    """A pool of 64 KB beside one of 32 KB once differed "through rounding (4 B less)"."""
    before = result()
    more = {
        "free": before.malloc.minimum_free + 32_768 - 36,
        "control": before.summary.tightest.control + 40,
        "rounding": before.summary.tightest.rounding - 4,
    }
    tightest = Tightest.from_json(before.summary.tightest.to_json() | more)
    row_after = SetRow.from_json(before.malloc.to_json() | {"minimum_free": more["free"]})
    after = result(sets=(row_after, *before.sets[1:]), summary={"tightest": tightest})
    assert compare(before, after).conclusion == (
        "right leaves malloc 32,732 B more at the tightest moment (72,736 B instead of 40,004 B), "
        "most through the regions' sizes (32,768 B more).",
    )
    assert "the regions' sizes (32,768 B less)" in compare(after, before).conclusion[0]


def test_a_difference_that_no_sentence_tells_is_not_called_none(result: Changed) -> None:
    other = compare(result(), result(summary={"live_peak": 1}))
    assert other.conclusion == (
        "Failed requests and the least that malloc had are the same under left and right; other "
        "figures differ.",
    )
