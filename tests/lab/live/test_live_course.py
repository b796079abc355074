"""The course of a memory while its device is heard, and when a request stops fitting."""

from __future__ import annotations

import random
from itertools import pairwise
from pathlib import Path

import pytest

import heapscope as hs
from heapscope.base.request import parse_requests
from heapscope.logs.answer.log_result import LogResult
from heapscope.logs.live.course import LiveCourses, _Samples
from heapscope.logs.live.logged_course import LoggedCourses
from heapscope.logs.live.moment import LiveCourse, MemoryLine

NEEDS = parse_requests([16_717, "4KB:SPIRAM"])


def memory(name: str, capabilities: str, free: int, largest: int) -> MemoryLine:
    return MemoryLine(
        name=name,
        capabilities=capabilities,
        size=200_000,
        by="replay",
        free=free,
        largest=largest,
        minimum=None,
        said=None,
        live=None,
        blocks=None,
        room=None,
    )


def heard(
    courses: LiveCourses, *, lost: int, moments: int, recording: int = 1
) -> tuple[LiveCourse, ...]:
    """A moment each second; internal memory loses so many bytes in each."""
    draw = random.Random(1)
    result: tuple[LiveCourse, ...] = ()
    for second in range(moments):
        free = 120_000 - lost * second - draw.randrange(500)
        lines = [
            memory("DRAM", "8BIT|DEFAULT|INTERNAL", free, free - 40_000),
            memory("PSRAM", "8BIT|SPIRAM", 2_000_000 - draw.randrange(500), 1_900_000),
        ]
        result = courses.take(recording, float(second), lines)
    return result


def test_the_date_of_a_leak_is_known_while_the_device_runs() -> None:
    courses = LiveCourses(NEEDS)
    assert heard(courses, lost=50, moments=5) == ()
    dram, psram = heard(courses, lost=50, moments=150, recording=2)
    assert (dram.memory, dram.verdict, psram.verdict) == ("DRAM", "leak", "nothing")
    (date,) = dram.dates
    left = (120_000 - 50 * 150 - 40_000 - 16_717) / 50
    assert date.size == 16_717
    assert date.until.low < left < date.until.high
    assert dram.sentence.startswith("Free memory of DRAM loses 18")
    assert "16,717 B stop fitting in " in dram.sentence
    assert (psram.dates, psram.sentence) == ((), "")


def test_a_date_is_from_now_also_between_two_verdicts() -> None:
    courses = LiveCourses(NEEDS[:1])
    heard(courses, lost=50, moments=150)
    values = []
    for second in range(150, 156):
        line = memory("DRAM", "", 120_000 - 50 * second, 80_000 - 50 * second)
        (course,) = courses.take(1, float(second), [line])
        values.append(course.dates[0].until.value)
    steps = sorted(before - after for before, after in pairwise(values))
    assert steps[1] == pytest.approx(1.0)
    assert steps[-2] == pytest.approx(1.0)


def test_samples_are_thinned() -> None:
    samples = _Samples()
    for second in range(10_000):
        samples.add(float(second), 120_000.0 - second, 80_000.0 - second)
    assert 1000 < len(samples.seconds) <= 2048
    assert samples.seconds == sorted(samples.seconds)
    series = samples.series()
    assert series.seconds[-1] > 9900
    assert (series.free == 120_000 - series.seconds).all()


def test_a_start_that_leaked_counts_for_the_next_one() -> None:
    courses = LiveCourses(NEEDS)
    heard(courses, lost=200, moments=200)
    dram, _ = heard(courses, lost=200, moments=30, recording=2)
    assert dram.verdict == "leak"
    assert len(courses._earlier["DRAM"]) == 1


def printed(lost: int, lines: int) -> bytes:
    """A line a minute, of a device without a recorder."""
    draw = random.Random(2)
    frees = ((at, 150_000 - lost * at - draw.randrange(500)) for at in range(lines))
    return b"".join(
        b"I (%d) app: Free heap: %d bytes, largest %d\n" % (60_000 * at, free, free - 40_000)
        for at, free in frees
    )


def test_lines_that_a_device_prints_have_the_date_of_log(tmp_path: Path) -> None:
    text = printed(180, 400)
    path = tmp_path / "device.log"
    path.write_bytes(text)
    logged = hs.log(path, need=[16_717])
    assert isinstance(logged, LogResult)
    live = hs.live(path, out=None, need=[16_717])
    (course,) = live.courses
    (date,) = course.dates
    assert (date.size, date.until) == (16_717, logged.needs[0].until)
    assert course.sentence == logged.verdict[0]
    assert "16,717 B stop fitting in " in course.sentence


def test_printed_lines_are_judged_while_they_come() -> None:
    courses = LoggedCourses(NEEDS[:1])
    dated = []
    lines = printed(180, 400).splitlines(keepends=True)
    for at in range(0, 400, 25):
        courses.take(b"".join(lines[at : at + 25]))
        courses._next = 0.0
        dated += [one.dates[0].until.value for one in courses.courses() if one.dates]
    assert len(dated) > 8
    assert dated[-1] < dated[len(dated) // 2]


def test_printed_lines_that_stay_have_no_date() -> None:
    courses = LoggedCourses(NEEDS[:1])
    courses.take(printed(0, 400))
    courses.finish()
    (course,) = courses.courses()
    assert (course.verdict, course.dates, course.sentence) == ("nothing", (), "")
