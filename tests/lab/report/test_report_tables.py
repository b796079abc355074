"""Terminal tables: readable at any width, no digit lost, nothing in a name acted upon."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from heapscope.base.wording import percent, plural, signed
from heapscope.cli.verbs.shown import show
from heapscope.render.text.console import console
from heapscope.render.text.table import Table, headed
from heapscope.render.text.timeline import sparkline
from heapscope.simulation.result.result import ReplayResult

Changed = Callable[..., Any]


def printed(result: ReplayResult, *, width: int = 80, terminal: bool = False) -> str:
    out = io.StringIO()
    target = console(out)
    target.width = width
    if terminal:
        target = Console(file=out, force_terminal=True, width=width, markup=False, emoji=False)
    show(result, target)
    return out.getvalue()


@pytest.fixture
def full(result: Changed, need: Changed, failure: Changed, odd: Changed) -> ReplayResult:
    """A result with content in every section."""
    replay_result: ReplayResult = result(
        needs=(need(), need(size=4_429, capabilities="DMA|8BIT")),
        failures=(failure(), failure(event=121_600)),
        summary={"failures": 7, "double_frees": 1},
        anomalies=(odd(),),
        health={"messages": ("the trace breaks off: its end is missing",)},
    )
    return replay_result


@pytest.mark.parametrize("width", [80, 100, 116, 160])
def test_no_line_is_wider_than_the_terminal(full: ReplayResult, width: int) -> None:
    assert max(map(len, printed(full, width=width).splitlines())) <= width


@pytest.mark.parametrize("width", [80, 160])
def test_every_figure_stands_whole_in_the_tables(full: ReplayResult, width: int) -> None:
    text = printed(full, width=width)
    assert "…" not in text
    for figure in ("196,608", "120,308", "40,004", "12,284", "-4,433", "358,819", "120,331"):
        assert re.search(rf"(?<![\d,]){re.escape(figure)}(?![\d,])", text), figure


@pytest.mark.parametrize(("width", "parts"), [(20, 4), (30, 4), (40, 2), (60, 1)])
def test_a_narrow_terminal_continues_a_table_below_and_loses_no_column(
    width: int, parts: int
) -> None:
    columns = headed("Name", *["#free bytes"] * 4)
    table = Table(title="T", columns=columns, rows=(("n" * 9, *[123_456_789] * 4),))
    out = io.StringIO()
    target = console(out)
    target.width = width
    target.print(table)
    text = out.getvalue()
    assert text.count("123,456,789") == text.count("bytes") == 4
    assert text.count("Name") == text.count("nnnnnnnn") == parts
    assert max(map(len, text.splitlines())) <= width


def test_a_single_column_too_wide_wraps_and_loses_no_digit() -> None:
    out = io.StringIO()
    target = console(out)
    target.width = 6
    target.print(Table(title="T", columns=headed("#bytes"), rows=((123_456_789,),)))
    assert len(re.findall(r"\d", out.getvalue())) == 9


def test_failures_with_the_same_regions_show_them_once(result: Changed, failure: Changed) -> None:
    (region,) = failure().regions
    fuller = type(region)(**(vars(region) | {"free": 30_000}))
    rows = (failure(), failure(event=1), failure(event=2, regions=(fuller,)), failure(event=3))
    text = printed(result(failures=rows, summary={"failures": 4}), width=160)
    table = text[text.index("Regions that could have served") :].split("\n\n")[0]
    lines = table.splitlines()[-4:]
    assert ["as above" in line for line in lines] == [False, True, False, False]
    assert ["40,004" in line for line in lines] == [True, False, False, True]
    assert "30,000" in lines[2]


def test_the_verdict_comes_before_every_table(full: ReplayResult) -> None:
    text = printed(full)
    assert text.index("would have failed 3,204 times") < text.index("Headroom for a contiguous")


def test_sections_without_content_are_left_out(result: Changed) -> None:
    text = printed(result(marks=(), marks_seen=0, tasks=()))
    for title in ("Headroom", "Failed requests", "Marks", "Tasks", "Faults"):
        assert title not in text


def test_capability_sets_with_the_same_figures_share_a_row(result: Changed) -> None:
    assert "malloc, DMA, DRAM" in printed(result())


def test_more_failures_and_marks_than_fit_are_counted(
    result: Changed, failure: Changed, full: ReplayResult
) -> None:
    many = result(failures=(failure(),) * 9, summary={"failures": 3_156}, marks_seen=5_000)
    text = printed(many)
    assert "Failed requests (bytes) [3,156 in all" in text
    assert re.search(r"^ *3,151 others", text, re.MULTILINE)
    assert re.search(r"^ *4,999 others", text, re.MULTILINE)
    assert "others" not in printed(result(failures=(failure(),), summary={"failures": 1}))


def test_the_match_rate_is_not_applicable_without_addresses(result: Changed) -> None:
    assert "Recorded addresses met: not applicable" in printed(result())
    met = result(summary={"address_compared": 4_000, "address_matched": 4_000})
    assert "Recorded addresses met: 4,000 of 4,000 (100.0 %)" in printed(met)


def test_a_trace_of_an_allocator_without_a_model_cannot_meet_its_addresses(result: Changed) -> None:
    counts = {"address_compared": 4_000, "address_matched": 12}
    built = result(summary=counts, unmodelled="glibc")
    text = printed(built, width=160)
    assert "not applicable (recorded on glibc, which names no model)" in text
    assert "estimates" not in text
    assert "estimates" in printed(result(summary=counts), width=160)


def test_what_was_wrong_with_the_trace_is_shown_with_event_numbers(full: ReplayResult) -> None:
    text = printed(full)
    assert "the trace breaks off: its end is missing" in text
    assert "double free: 1" in text
    assert "at event 17 [script]: double free, block 0x1092" in text


def test_names_are_neither_markup_nor_emoji(result: Changed, odd: Changed) -> None:
    text = printed(result(anomalies=(odd(task="[bold red]:warning:[/]"),)), terminal=True)
    assert "[bold red]:warning:[/]" in text


def test_names_out_of_a_file_reach_no_terminal_as_controls(result: Changed) -> None:
    data = result().to_json()
    data["marks"][0]["name"] = "\x1b]0;owned\x07\u202e"
    read = ReplayResult.from_json(data)
    assert read.marks[0].name == "\\x1b]0;owned\\x07\\u202e"
    assert "\x1b" not in printed(read)


def test_there_are_no_colours_off_a_terminal(full: ReplayResult) -> None:
    assert "\x1b" not in printed(full)
    assert "\x1b[" in printed(full, terminal=True)


def test_a_sparkline_keeps_extremes_and_has_a_plain_form() -> None:
    values = np.zeros(1000, dtype=np.uint32)
    values[501] = 8
    line = sparkline(values, cells=10, blocks=True, most=True)
    assert line == "▁▁▁▁▁█▁▁▁▁"
    assert sparkline(values, cells=10, blocks=False, most=False) == "_" * 10
    assert len(sparkline(values[:3], cells=10, blocks=True, most=True)) == 3


def test_wording() -> None:
    assert (plural(1, "event"), plural(1_000, "event")) == ("1 event", "1,000 events")
    assert (signed(5), signed(0), signed(-1_000)) == ("+5", "0", "-1,000")
    assert (percent(0, 0), percent(1, 2), percent(5, 5)) == ("-", "50.0 %", "100.0 %")


def test_a_name_of_both_a_capability_and_a_kind_stands_once(result: Changed) -> None:
    """External memory: the capability SPIRAM and the kind SPIRAM are the same bytes."""
    built = result()
    largest = replace(built.sets[2], capabilities="SPIRAM")
    same = {f.name: getattr(largest, f.name) for f in fields(built.kinds[0]) if f.name != "kind"}
    both = replace(
        built,
        sets=(*built.sets[:2], largest),
        kinds=(*built.kinds, replace(built.kinds[0], kind="SPIRAM", **same)),
    )
    text = printed(both, width=160)
    assert re.search(r"^SPIRAM +300,000", text, re.MULTILINE)
    assert "SPIRAM, SPIRAM" not in text
