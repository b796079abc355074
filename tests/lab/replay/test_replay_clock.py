"""Times of a replay: in seconds since the start where the trace has a clock."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from heapscope.base.errors import InputError
from heapscope.base.request import Request
from heapscope.cli.app import app
from heapscope.cli.verbs.shown import show
from heapscope.memory.layout.pool import pool_layout
from heapscope.native.events import NativeWriter, event_dtype
from heapscope.native.live import ask_times, times
from heapscope.native.reader import NameTable, NativeReader
from heapscope.render.page.charts import draw
from heapscope.render.page.data import page_looks, side_data
from heapscope.render.page.side import PageSide
from heapscope.render.text.console import console
from heapscope.render.text.table import CellText
from heapscope.render.text.tables import failure_spans
from heapscope.simulation.replay.run import replay
from heapscope.simulation.replay.survey import survey
from heapscope.simulation.result.result import ReplayResult
from heapscope.trace.clock import events_named
from heapscope.trace.info import read_info

CLOCK = 1 << 1
MALLOC, FREE, MARK = 1, 5, 7

Built = tuple[Path, list[int]]
Make = Callable[..., Built]


@pytest.fixture
def clocked(tmp_path: Path) -> Make:
    """A random trace whose requests at times fail on 16 KB, and the ticks of its heap events."""

    def make(
        seed: int,
        *,
        hz: int | None = 32_768,
        features: int = CLOCK,
        steps: tuple[int, ...] = (0, 1, 90, 4_000),
    ) -> Built:
        draw = random.Random(seed)
        rows = np.zeros(4_000, dtype=event_dtype())
        time, live, ticks, fresh = draw.randrange(1 << 20), [], [], 0
        for row in rows:
            time += draw.choice(steps)
            row["time"] = time
            if draw.random() < 0.01:
                row["kind"] = MARK
                continue
            ticks.append(time)
            if live and draw.random() < 0.5:
                row["kind"], row["key"] = FREE, live.pop(draw.randrange(len(live)))
                continue
            row["kind"], row["key"], row["size"] = MALLOC, fresh, draw.randrange(1, 1_500)
            live.append(fresh)
            fresh += 1
        with NativeWriter(features=features) as writer:
            if hz is not None:
                writer.metadata("clock_hz", str(hz))
            writer.name(NameTable.MARK, 0, b"round")
            writer.events(rows)
            writer.finish()
            path = tmp_path / f"{seed}-{hz}-{features}-{len(steps)}.hst"
            path.write_bytes(b"".join(writer.take()))
        return path, ticks

    return make


def run(path: Path) -> ReplayResult:
    return replay(path, pool_layout(16_384), needs=[Request(1_000), Request(100)])


def shown(result: ReplayResult) -> str:
    import io

    out = io.StringIO()
    target = console(out)
    target.width = 200
    show(result, target)
    return out.getvalue()


def test_every_event_that_a_row_names_has_its_time(clocked: Make, seed: int) -> None:
    path, ticks = clocked(seed)
    result = run(path)
    assert result.summary.failures
    assert result.clock is not None
    named = events_named(replace(result, marks=()))
    assert len(named) > 8
    for event in named:
        seconds = (ticks[event] - result.census.first_time) / 32_768
        assert result.clock.seconds(event) == pytest.approx(seconds)
    assert ReplayResult.from_json(result.to_json()).clock == result.clock


def test_sentences_and_tables_tell_seconds_and_no_bare_event(clocked: Make, seed: int) -> None:
    path, ticks = clocked(seed)
    result = run(path)
    first = result.failures[0].event
    seconds = f"{(ticks[first] - result.census.first_time) / 32_768:,.3f}"
    verdict = result.verdict
    assert f"the first at {seconds} s after the start [event {first:,}" in verdict.sentence
    assert verdict.findings[0].seconds == pytest.approx(float(seconds.replace(",", "")), abs=1e-3)
    text = shown(result)
    assert "at event" not in text
    assert " at s" in text
    for mark in result.marks[:40]:
        assert f"{(mark.time - result.census.first_time) / 32_768:,.3f}" in text


@pytest.mark.parametrize(("hz", "features"), [(None, CLOCK), (32_768, 0)])
def test_without_a_clock_or_its_rate_events_are_named_as_such(
    clocked: Make, hz: int | None, features: int
) -> None:
    path, _ = clocked(7, hz=hz, features=features)
    result = run(path)
    assert result.clock is None
    assert f"the first at event {result.failures[0].event:,}" in result.verdict.sentence
    assert "at event" in shown(result)


def test_a_trace_shorter_than_a_second_is_reported_in_microseconds(clocked: Make) -> None:
    path, ticks = clocked(11, hz=1_000_000_000)
    result = run(path)
    event = result.failures[0].event
    assert f"at {(ticks[event] - result.census.first_time) / 1e9:.6f} s after" in (
        result.verdict.sentence
    )


def test_times_of_events_that_are_not_there_are_not_reported(clocked: Make) -> None:
    path, ticks = clocked(3)
    with NativeReader() as reader:
        ask_times(reader, [5, len(ticks) + 5])
        reader.push(path.read_bytes())
        reader.finish()
        assert times(reader)[0] == ticks[5]
        assert times(reader)[1] == 0xFFFF_FFFF_FFFF_FFFF


def test_a_clock_in_json_that_cannot_be_is_refused(clocked: Make) -> None:
    data = run(clocked(5)[0]).to_json()
    for changes in ({"hz": 0}, {"times": []}, {"events": data["clock"]["events"][::-1]}):
        with pytest.raises(InputError, match="clock"):
            ReplayResult.from_json(data | {"clock": data["clock"] | changes})


@pytest.mark.slow
def test_a_page_tells_seconds_in_its_tables_and_under_its_axis(
    clocked: Make, tmp_path: Path, seed: int
) -> None:
    path, ticks = clocked(seed)
    page = tmp_path / "page.html"
    requested = ["report", str(path), "--pool", "16KB", "--no-remedies", "-o", str(page)]
    done = CliRunner().invoke(app, requested)
    assert done.exit_code == 0, done.output
    text = page.read_text(encoding="utf-8")
    result = run(path)
    second = f"{(ticks[result.failures[0].event] - result.census.first_time) / 32_768:,.3f}"
    assert f">{second}<" in text
    assert ">at s<" in text
    assert ">at event<" not in text
    assert "seconds since the start" in text


def test_a_clock_that_does_not_separate_the_events_tells_no_seconds(clocked: Make) -> None:
    """A recorder that looks now and then gives many events one time."""
    path, ticks = clocked(7, steps=(*[0] * 1_000, 300))
    assert 1 < len(set(ticks)) < 16
    result = run(path)
    assert result.clock is None
    assert " s after the start" not in shown(result)
    info = read_info(path, peak_time=True)
    assert info.live_peak_seconds is None
    assert {mark.seconds for mark in info.marks} == {None}
    assert info.seconds == pytest.approx((ticks[-1] - ticks[0]) / 32_768, rel=0.01)
    leaks = CliRunner().invoke(app, ["leaks", str(path)])
    assert leaks.exit_code == 0, leaks.output
    assert "after the start" not in leaks.stdout


def test_the_ticks_of_an_axis_are_distinct(clocked: Make) -> None:
    """Many columns of a short run begin in one microsecond."""
    path, _ = clocked(9, hz=1_000_000_000, steps=(0, 300))
    result, match = survey(path, pool_layout(16_384))
    side = PageSide(label="", result=result, survey=match, leaks=None)  # type: ignore[arg-type]
    (document,) = draw([side])[0].values()
    for chart in document["roots"]:
        labels = chart["attributes"]["below"][0]["attributes"]["major_label_overrides"]
        texts = [text for _, text in labels["entries"]]
        assert 1 < len(texts) == len(set(texts))


def test_the_page_counts_ticks_from_the_first_event(clocked: Make) -> None:
    """The clock of a device does not begin at 0 when the recording does."""
    path, _ = clocked(4)
    result, match = survey(path, pool_layout(16_384), needs=[])
    side = PageSide(label="", result=result, survey=match, leaks=None)  # type: ignore[arg-type]
    data = side_data(side, 0, page_looks([side]))
    assert result.clock is not None
    assert data["start"] == result.clock.first_time > 0
    ends = [time - data["start"] for time in data["moments"]["time"]]
    assert 0 <= min(ends) <= max(ends) <= result.clock.span * data["clock"]
    assert data["end"] == result.clock.last_time


def test_the_page_knows_when_its_pins_spans_and_columns_were(clocked: Make, seed: int) -> None:
    path, ticks = clocked(seed)
    result, match = survey(path, pool_layout(16_384), needs=[])
    side = PageSide(label="", result=result, survey=match, leaks=None)  # type: ignore[arg-type]
    data = side_data(side, 0, page_looks([side]))
    assert data["failed"]
    for pin in (*data["failed"], *data["close"]):
        assert pin["time"] == ticks[pin["event"]]
    for part, events in (("spans", "first"), ("columns", "first_event")):
        times = data[part]["time" if part == "spans" else "first_time"]
        assert times == [ticks[event] for event in data[part][events]]
    rows = failure_spans(result).rows
    starts = [row[0] for row in rows]
    assert all(isinstance(start, CellText) for start in starts)


def axes(sides: list[PageSide]) -> dict[str, str]:
    """By chart, what stands under it."""
    (document,) = draw(sides)[0].values()
    roots = document["roots"]
    named = {}
    for chart in roots:
        below = chart["attributes"]["below"][0]["attributes"]
        named[chart["attributes"]["name"]] = below["axis_label"]
    return named


@pytest.mark.slow
def test_sides_of_one_time_share_an_axis_of_seconds_and_others_one_of_events(
    clocked: Make,
) -> None:
    def side(seed: int, pool: int, **how: Any) -> PageSide:
        result, match = survey(clocked(seed, **how)[0], pool_layout(pool), needs=[])
        return PageSide(label="", result=result, survey=match, leaks=None)  # type: ignore[arg-type]

    same = axes([side(1, 16_384), side(1, 20_480)])
    assert all(label.startswith("seconds") for label in same.values())
    other = axes([side(1, 16_384), side(2, 16_384)])
    assert other.pop("all/free") == "heap events"
    assert all(label.startswith("seconds") for label in other.values())
    plain = axes([side(1, 16_384), side(1, 16_384, features=0)])
    assert list(plain.values()) == ["heap events", *[same["0/map"]], "heap events"]


@pytest.mark.parametrize("hz", [32_768, None])
def test_info_tells_when_the_peak_and_the_marks_were(
    clocked: Make, hz: int | None, seed: int
) -> None:
    path, ticks = clocked(seed, hz=hz)
    done = CliRunner().invoke(app, ["replay", str(path), "--json", "-"])
    assert done.exit_code == 0, done.output
    document = json.loads(done.stdout)
    result = run(path)
    marks, start = result.marks, result.census.first_time
    shown = CliRunner().invoke(app, ["replay", str(path)]).stdout
    peak = f"event {document['live_peak_event']:,}"
    if hz is None:
        assert document["live_peak_seconds"] is None
        assert {mark["seconds"] for mark in document["marks"]} == {None}
        assert f"at {peak}" in shown
        return
    seconds = (ticks[document["live_peak_event"]] - start) / hz
    assert document["live_peak_seconds"] == pytest.approx(seconds)
    assert f"at {seconds:,.3f} s after the start [{peak}]" in " ".join(shown.split())
    for mark, row in zip(document["marks"], marks, strict=False):
        assert mark["seconds"] == pytest.approx((row.time - start) / hz)


def test_leaks_tells_when_its_interval_began_and_ended(clocked: Make, seed: int) -> None:
    path, ticks = clocked(seed)
    result = run(path)
    begin, end = result.marks[2], result.marks[5]
    spans = ["--begin", "round#3", "--end", "round#6"]
    done = CliRunner().invoke(app, ["leaks", str(path), *spans])
    assert done.exit_code == 0, done.output
    text = " ".join(done.stdout.split())
    for mark in (begin, end):
        match = re.search(rf"([\d,.]+) s after the start \[event {mark.event:,}\]", text)
        assert match is not None, text
        after = (ticks[mark.event] - result.census.first_time) / 32_768
        assert float(match[1].replace(",", "")) == pytest.approx(after, abs=0.13)
