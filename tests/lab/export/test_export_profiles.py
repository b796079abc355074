"""Collapsed stacks, speedscope and DHAT against a plain model of the same events."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from heapscope.native.events import NativeWriter

from .conftest import ADDRESSES, CLOCK, HOSTILE, SITE_NAMES, SITES, Event, Run, Story, Write, story

Exported = Callable[..., bytes]

#: The names as they are shown: nothing is left that a terminal or a page would act on.
SHOWN = tuple(name.replace("\n", "\\x0a").replace("\u202e", "\\u202e") for name in HOSTILE)


def frames(task: int, site: int) -> tuple[str, ...]:
    return (SHOWN[task], *(part for part in SITE_NAMES[site].split(";") if part))


def sums(recorded: Story, figure: str) -> dict[tuple[str, ...], int]:
    result: Counter[tuple[str, ...]] = Counter()
    for (task, site), row in recorded.sites.items():
        result[frames(task, site)] += getattr(row, figure)
    return {stack: value for stack, value in result.items() if value}


@pytest.fixture(params=[False, True], ids=["ids", "addresses"])
def recorded(request: pytest.FixtureRequest, write_trace: Write) -> tuple[Path, Story, list[Event]]:
    events = story(addresses=request.param)
    features = CLOCK | SITES | (ADDRESSES if request.param else 0)
    return write_trace(events, features=features), Story().tell(events), events


def collapsed(text: bytes) -> dict[tuple[str, ...], int]:
    lines = [line.rsplit(" ", 1) for line in text.decode().splitlines()]
    result = {tuple(stack.split(";")): int(weight) for stack, weight in lines}
    assert len(result) == len(lines)
    return result


@pytest.mark.parametrize(
    ("weight", "figure"), [("peak", "at_peak"), ("total", "total"), ("leaked", "live")]
)
def test_collapsed_stacks_have_the_bytes_of_each_site(
    recorded: tuple[Path, Story, list[Event]], exported: Exported, weight: str, figure: str
) -> None:
    trace, model, _ = recorded
    result = collapsed(exported(trace, "--to", "collapsed", "--weight", weight))
    wanted = {
        (stack[0].replace(";", ":"), *stack[1:]): value
        for stack, value in sums(model, figure).items()
    }
    assert result == wanted


def test_the_peak_is_the_weight_by_default(recorded: Any, exported: Exported) -> None:
    plain = exported(recorded[0], "--to", "collapsed")
    assert plain == exported(recorded[0], "--to", "collapsed", "--weight", "peak")
    assert sum(collapsed(plain).values()) == recorded[1].peak


def test_speedscope_has_the_three_figures_as_profiles(
    recorded: tuple[Path, Story, list[Event]], exported: Exported
) -> None:
    trace, model, _ = recorded
    text = exported(trace, "--to", "speedscope")
    assert b"</script" not in text
    document = json.loads(text)
    assert document["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    names = [frame["name"] for frame in document["shared"]["frames"]]
    assert len(set(names)) == len(names)
    figures = ("at_peak", "total", "live")
    for profile, figure in zip(document["profiles"], figures, strict=True):
        assert (profile["type"], profile["unit"], profile["startValue"]) == ("sampled", "bytes", 0)
        assert profile["endValue"] == sum(profile["weights"])
        stacks = [tuple(names[index] for index in stack) for stack in profile["samples"]]
        assert dict(zip(stacks, profile["weights"], strict=True)) == sums(model, figure)


def test_dhat_has_every_figure_of_a_program_point(
    recorded: tuple[Path, Story, list[Event]], exported: Exported
) -> None:
    trace, model, events = recorded
    text = exported(trace, "--to", "dhat")
    assert b"</script" not in text
    document = json.loads(text)
    assert (document["dhatFileVersion"], document["mode"]) == (2, "heap")
    assert (document["bklt"], document["bkacc"], document["tu"]) == (True, False, "µs")
    assert document["te"] == events[-1].time
    assert document["tg"] == model.peak_time
    assert document["ftbl"][0] == "[root]"
    points = {}
    for point in document["pps"]:
        stack = tuple(document["ftbl"][frame] for frame in reversed(point["fs"]))
        points[stack] = tuple(
            point[key] for key in ("tb", "tbk", "tl", "mb", "gb", "gbk", "eb", "ebk")
        )
        assert point["mbk"] <= point["tbk"]
    wanted = {
        frames(*where): (
            row.total,
            row.total_blocks,
            row.life_time,
            row.peak,
            row.at_peak,
            row.at_peak_blocks,
            row.live,
            row.live_blocks,
        )
        for where, row in model.sites.items()
    }
    assert points == wanted


def test_without_a_clock_dhat_counts_events(write_trace: Write, exported: Exported) -> None:
    events = [event._replace(time=0) for event in story(300)]
    trace = write_trace(events, features=SITES, clock_hz=None)
    model = Story().tell(events)
    document = json.loads(exported(trace, "--to", "dhat"))
    assert (document["tu"], document["te"]) == ("events", len(model.live))
    assert document["tg"] == model.peak_event
    lives = sum(row.life_events for row in model.sites.values())
    assert sum(point["tl"] for point in document["pps"]) == lives


def test_with_a_clock_of_an_unknown_rate_dhat_counts_ticks(
    write_trace: Write, exported: Exported
) -> None:
    trace = write_trace(story(50), clock_hz=None)
    document = json.loads(exported(trace, "--to", "dhat"))
    assert (document["tu"], document["te"]) == ("ticks", story(50)[-1].time)


def test_sites_and_tasks_of_one_name_are_one_stack(write_trace: Write, exported: Exported) -> None:
    events = [Event(1, key, 100, site=site) for key, site in enumerate((1, 7, 7, 1))]
    trace = write_trace(events)  # site 7 has no name
    result = collapsed(exported(trace, "--to", "collapsed"))
    assert result == {frames(0, 1): 200, (SHOWN[0], "site 7"): 200}


def test_a_layout_counts_what_it_served(
    recorded: tuple[Path, Story, list[Event]], run: Run, exported: Exported
) -> None:
    trace, model, _ = recorded
    replayed = run(trace, "--pool", "64KB", "--json", "-", verb="replay")
    summary = json.loads(replayed.out)["summary"]
    assert summary["failures"] > 0
    assert summary["live_peak"] < model.peak
    document = json.loads(exported(trace, "--to", "dhat", "--pool", "64KB"))
    assert sum(point["gb"] for point in document["pps"]) == summary["live_peak"]
    assert sum(point["eb"] for point in document["pps"]) == summary["live"]
    assert sum(point["ebk"] for point in document["pps"]) == summary["live_blocks"]
    peaks = collapsed(exported(trace, "--to", "collapsed", "--pool", "64KB"))
    assert sum(peaks.values()) == summary["live_peak"]


def test_an_empty_trace_is_an_empty_profile(tmp_path: Path, exported: Exported) -> None:
    with NativeWriter() as writer:
        writer.finish()
        (tmp_path / "E.hst").write_bytes(b"".join(writer.take()))
    assert exported(tmp_path / "E.hst", "--to", "collapsed") == b""
    document = json.loads(exported(tmp_path / "E.hst", "--to", "dhat"))
    assert (document["pps"], document["te"]) == ([], 1)
    assert json.loads(exported(tmp_path / "E.hst", "--to", "speedscope"))["shared"] == {
        "frames": []
    }
