"""The course of the memories of a device that is heard, and when a request stops fitting."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from heapscope.answers.series.dates import SeriesBand
from heapscope.answers.series.envelope import blocks
from heapscope.answers.series.judge import DYING, LEAST, SeriesVerdict, judge_series
from heapscope.answers.series.samples import HeapSeries
from heapscope.base import capabilities
from heapscope.base.request import Request
from heapscope.base.wording import size
from heapscope.logs.answer.series_sentences import HOUR, NAMES, after, loses
from heapscope.logs.heaps.request_fit import UntilRow
from heapscope.logs.live.moment import CourseDateRow, LiveCourse, MemoryLine

_MOST = 2048  # samples of a memory; beyond, every second one goes
_GROWN = 1.1  # times as many samples until it is judged again
_EARLIER = 4  # starts before this one that count


@dataclass(kw_only=True)
class _Samples:
    """One memory since the start. `step`: seconds between two that are kept, at least."""

    seconds: list[float] = field(default_factory=list)
    free: list[float] = field(default_factory=list)
    largest: list[float] = field(default_factory=list)
    step: float = 0.0
    judged: SeriesVerdict | None = None
    counted: int = 0  # samples when it was judged
    judged_at: float = 0.0  # the last one's moment then

    def add(self, seconds: float, free: float, largest: float) -> None:
        if self.seconds and seconds <= self.seconds[-1] + self.step:
            return
        self.seconds.append(seconds)
        self.free.append(free)
        self.largest.append(largest)
        if len(self.seconds) > _MOST:
            self.seconds, self.free, self.largest = (
                one[::2] for one in (self.seconds, self.free, self.largest)
            )
            self.step = 2 * self.step or (self.seconds[-1] - self.seconds[0]) / _MOST
            self.counted //= 2

    def series(self) -> HeapSeries:
        return HeapSeries(
            seconds=np.array(self.seconds) - self.seconds[0],
            free=np.array(self.free),
            largest=np.array(self.largest),
        )


class LiveCourses:
    """Takes the memories of each moment."""

    def __init__(self, needs: Sequence[Request]) -> None:
        self._needs = needs
        self._recording = 0
        self._memories: dict[str, _Samples] = {}
        self._earlier: dict[str, list[HeapSeries]] = {}

    def take(
        self, recording: int, seconds: float, memory: Iterable[MemoryLine]
    ) -> tuple[LiveCourse, ...]:
        """`recording`: its number; another one is another start. `seconds`: by its own clock."""
        if recording != self._recording:
            self._begin(recording)
        lines = [one for one in memory if one.free is not None and one.largest is not None]
        for one in lines:
            samples = self._memories.setdefault(one.name, _Samples())
            samples.add(seconds - (one.said or 0.0), float(one.free or 0), float(one.largest or 0))
        return tuple(self._courses(lines))

    def _begin(self, recording: int) -> None:
        self._recording = recording
        for name, samples in self._memories.items():
            if len(samples.seconds) >= LEAST:
                self._earlier.setdefault(name, []).append(samples.series())
                del self._earlier[name][:-_EARLIER]
        self._memories = {}

    def _courses(self, lines: Sequence[MemoryLine]) -> Iterator[LiveCourse]:
        for one in lines:
            samples = self._memories[one.name]
            if len(samples.seconds) < max(LEAST, _GROWN * samples.counted):
                if samples.judged is not None:
                    passed = samples.seconds[-1] - samples.judged_at
                    yield self._course(one, samples.judged, lines, passed=passed)
                continue
            samples.counted, samples.judged_at = len(samples.seconds), samples.seconds[-1]
            samples.judged = judge_series(samples.series(), self._earlier.get(one.name, ()))
            yield self._course(one, samples.judged, lines)

    def _course(
        self,
        one: MemoryLine,
        judged: SeriesVerdict,
        lines: Sequence[MemoryLine],
        *,
        passed: float = 0.0,
    ) -> LiveCourse:
        """`passed`: seconds since it was judged."""
        dates = tuple(
            CourseDateRow.of(need, until=_from_now(band, passed))
            for need in self._needs
            if _serves(one, need, lines) and (band := judged.until(need.size)) is not None
        )
        return LiveCourse(
            memory=one.name,
            verdict=judged.verdict,
            risk=judged.risk,
            levels=levels_of(judged.series),
            dates=dates,
            sentence=_sentence(one.name, judged, dates),
        )


def levels_of(series: HeapSeries) -> tuple[int, ...]:
    """Bytes of the upper envelope, of the largest block where it is known, else of free memory."""
    levels = series.free if series.largest is None else series.largest
    _, tops = blocks(series.seconds, levels)
    return tuple(int(top) for top in tops)


def _from_now(band: SeriesBand, passed: float) -> UntilRow:
    value, low, high = (max(0.0, end - passed) for end in (band.value, band.low, band.high))
    return UntilRow(value=value, low=low, high=high)


def _serves(one: MemoryLine, need: Request, lines: Sequence[MemoryLine]) -> bool:
    """It has the capabilities of the need, and the largest block of those that have."""
    able = [line for line in lines if _has(line, need)]
    return one in able and all((line.largest or 0) <= (one.largest or 0) for line in able)


def _has(line: MemoryLine, need: Request) -> bool:
    if not line.capabilities:
        return True
    needed = need.caps or capabilities.DEFAULT
    return capabilities.parse(line.capabilities) & needed == needed


def _sentence(name: str, judged: SeriesVerdict, dates: Sequence[CourseDateRow]) -> str:
    ends = ", ".join(f"{size(date.size)} stop fitting {after(date.until)}" for date in dates)
    if judged.speed is None or (judged.verdict not in DYING and not dates):
        return ""
    speed = judged.speed
    lost = UntilRow(value=speed.value, low=speed.low, high=speed.high).times(HOUR)
    what = f"{NAMES[judged.figure]} of {name}"
    if judged.verdict in DYING:
        begin = loses(f"{what[0].upper()}{what[1:]}", f"{lost.text()} B an hour", judged.verdict)
        return f"{begin}{'; ' if ends else ''}{ends}."
    return f"{what[0].upper()}{what[1:]} has fallen; if that goes on, {ends}."
