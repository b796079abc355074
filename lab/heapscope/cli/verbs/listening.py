"""The loop over what a device sends."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from heapscope.answers.why.reasons import WhyResult
from heapscope.base.request import Request
from heapscope.cli.verbs.why import why
from heapscope.logs.live.arrivals import Arrivals
from heapscope.logs.live.connection import Port
from heapscope.logs.live.hearing import Hearing
from heapscope.logs.live.live_result import EVENTS
from heapscope.logs.live.moment import LiveMoment
from heapscope.logs.live.reasons import Ask, Reasons
from heapscope.memory.options import MemoryOptions

TICK = 0.08  #: seconds after which something that came is in a moment, at most


OnMoment = Callable[[LiveMoment], object]


def why_on(options: MemoryOptions) -> Ask:
    """The verb `why`, on the memory of these options."""

    def ask(trace: Path, request: Request, tried: Callable[[], None]) -> WhyResult:
        return why(trace, need=(request.text,), progress=lambda _: tried(), **options)

    return ask


class Listening:
    """The loop over what comes."""

    def __init__(
        self,
        port: Port,
        hearing: Hearing,
        *,
        seconds: float | None,
        until: Sequence[str],
        on_moment: OnMoment | None,
        stop: Callable[[], bool] | None,
    ) -> None:
        self._port = port
        self._hearing = hearing
        self._seconds = seconds
        self._until = until
        self._on_moment = on_moment or (lambda _: None)
        self._stop = stop or (lambda: False)
        self.begun = time.monotonic()
        self.ended_by = "input"
        self.count: Counter[str] = Counter()

    def whole(self, reasons: Reasons | None) -> None:
        with Arrivals(self._port, stop=self._over, tick=TICK) as arrivals:
            for arrival in arrivals:
                if arrival.note is not None:
                    self._hearing.noted(arrival.note)
                elif arrival.data:
                    self._hearing.take(arrival.data)
                elif arrival.quiet:
                    self._hearing.quiet()
                if arrivals.due:
                    self._show()
                    arrivals.shown()
        self._hearing.finish()
        if reasons is not None and self.ended_by != "stop":
            self._show()
            reasons.wait(self._stop)
        self._show()

    def _show(self) -> None:
        self._hearing.take_reasons()
        moment = self._hearing.moment()
        for happening in moment.happenings:
            if happening.kind in EVENTS:
                self.count[happening.kind] += happening.count
        self.count["restart"] = max(0, moment.recording - 1)
        self.count["stray"] = self._port.strays()
        self._on_moment(moment)

    def _over(self) -> bool:
        if self._stop():
            self.ended_by = "stop"
        elif self._seconds is not None and time.monotonic() - self.begun >= self._seconds:
            self.ended_by = "seconds"
        elif any(self.count[event] for event in self._until):
            self.ended_by = "until"
        else:
            return False
        return True
