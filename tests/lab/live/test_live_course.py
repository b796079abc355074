"""The course of a memory while its device is heard, and when a request stops fitting."""

from __future__ import annotations

import random

from heapscope.base.request import parse_requests
from heapscope.logs.live.course import LiveCourses, _Samples
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
