"""The course of the memories whose figures a device prints into its log, while it is heard: what
`heapscope log` says of the lines so far."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from heapscope.base.request import Request
from heapscope.logs.answer.answered import dated
from heapscope.logs.answer.series_sentences import dying
from heapscope.logs.answer.trend import Trend, trend_of, trends
from heapscope.logs.heaps.fits import ask
from heapscope.logs.heaps.request_fit import RequestFit
from heapscope.logs.live.course import levels_of
from heapscope.logs.live.moment import CourseDateRow, LiveCourse
from heapscope.logs.reader.form import form_of
from heapscope.logs.reader.reading import LogReading
from heapscope.native.log import NativeLog

_SHARE = 20  # of the time, one in so many is for judging


class LoggedCourses:
    """Takes the device's log in pieces. Close it at the end."""

    def __init__(self, needs: Sequence[Request]) -> None:
        self._needs = needs
        self._log = NativeLog()
        self._reading = LogReading()
        self._courses: tuple[LiveCourse, ...] = ()
        self._judged = 0  # the last line that counts in them
        self._next = 0.0  # when they are judged again

    def close(self) -> None:
        self._log.close()

    def take(self, text: bytes) -> None:
        for fact in self._log.push(text):
            self._reading.take(fact)

    def finish(self) -> None:
        """The log is over: all its lines count."""
        for fact in self._log.flush():
            self._reading.take(fact)
        self._next = 0.0

    def courses(self) -> tuple[LiveCourse, ...]:
        series = self._reading.figures.series.values()
        line = max((one.last.line for one in series), default=0)
        begun = time.monotonic()
        if line > self._judged and begun >= self._next:
            self._judged = line
            self._courses = tuple(self._all())
            now = time.monotonic()
            self._next = now + _SHARE * (now - begun)
        return self._courses

    def _all(self) -> Iterator[LiveCourse]:
        reading = self._reading
        if reading.mixture is not None:
            return
        results = trends(reading.figures, reading.failures.by_start)
        form = form_of(reading)
        fits = [dated(ask(reading, need, form), results, need) for need in self._needs]
        for one in results:
            own = [
                fit
                for need, fit in zip(self._needs, fits, strict=True)
                if trend_of(results, need) is one
            ]
            yield _course(one, own)


def _course(trend: Trend, fits: Sequence[RequestFit]) -> LiveCourse:
    judged = trend.judged
    return LiveCourse(
        memory=trend.memory,
        verdict=judged.verdict,
        risk=judged.risk,
        levels=levels_of(judged.series),
        dates=tuple(
            CourseDateRow(size=fit.size, capabilities=fit.capabilities, until=fit.until)
            for fit in fits
            if fit.until is not None
        ),
        sentence=dying(trend, fits),
    )
