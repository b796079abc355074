"""A device, heard while it runs."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Unpack

from heapscope.answers.why.reasons import WhyResult
from heapscope.base.choices import known
from heapscope.base.request import Request, parse_requests
from heapscope.cli.verbs.why import why
from heapscope.forecast.predict.memory_choice import choose_memory
from heapscope.logs.live.arrivals import Arrivals
from heapscope.logs.live.connection import Port
from heapscope.logs.live.hearing import FILES, Hearing
from heapscope.logs.live.live_result import EVENTS, EventCount, LiveResult, RecordingLine
from heapscope.logs.live.model import LiveModel
from heapscope.logs.live.moment import LiveMoment
from heapscope.logs.live.network import LOOPBACK
from heapscope.logs.live.port import find_port
from heapscope.logs.live.reasons import Ask, Reasons
from heapscope.logs.live.watched import WatchedRequest
from heapscope.logs.reader.addresses import Addresses
from heapscope.memory.options import MemoryOptions, given

TICK = 0.08  #: seconds after which something that came is in a moment, at most

OnMoment = Callable[[LiveMoment], object]


def live(
    port: str | Path,
    *,
    out: str | Path | None = "live",
    files: int = FILES,
    need: Sequence[int | str] = (),
    listen_on: str = LOOPBACK,
    seconds: float | None = None,
    until: Sequence[str] = (),
    on_moment: OnMoment | None = None,
    on_open: Callable[[str], object] | None = None,
    stop: Callable[[], bool] | None = None,
    **memory: Unpack[MemoryOptions],
) -> LiveResult:
    """Listens to a device whose recorder sends, to the end of the input.

    `port`: "serial:/dev/ttyUSB0@921600", "tcp:HOST:PORT", "tcp:PORT" or "udp:PORT" (which listen on
    the address `listen_on`), a file, a pipe, "-". `out`: how the names of the traces begin, one for
    each recording with events ("live-boot-7.hst"), at most `files`; None: none is written. `need`:
    requests to ask about all the time, as for replay(). `memory`: as for replay(); the recording is
    then replayed on it as it comes, so that what is free is known after every event. `elf` alone
    chooses no memory: it names the functions behind addresses. It ends after `seconds`, after the
    first of the events `until` ("need", "failed", "lost", "restart", "gone", "stray", "mark"), or
    when `stop` says True. Where a need stopped fitting and `memory` is given, why() is asked beside
    it; but for `stop` the end waits for its answer, at most 20 s. `on_moment` gets a LiveMoment
    when something came, and four times a second while nothing does; `on_open` the address and port
    where it listens.
    InputError: it cannot be heard, or a file cannot be written.
    """
    for event in until:
        known(event, EVENTS, noun="event")
    requests = parse_requests(need)
    options = given(memory)
    addresses = Addresses(options.get("elf"))
    result = find_port(str(port), listen_on=listen_on)
    if on_open is not None and result.detail:
        on_open(result.detail)
    prefix = None if out is None else Path(out)
    model = None
    if options.keys() - {"elf"}:
        model = LiveModel(choose_memory(options, None).layout)
    with ExitStack() as stack:
        reasons = None if model is None else stack.enter_context(Reasons(_why(options)))
        hearing = Hearing(
            result.name,
            needs=[WatchedRequest(request=request) for request in requests],
            prefix=prefix,
            files=files,
            addresses=addresses,
            model=model,
            reasons=reasons,
        )
        stack.enter_context(hearing)
        run = _Listening(
            result, hearing, seconds=seconds, until=until, on_moment=on_moment, stop=stop
        )
        run.whole(reasons)
        last = hearing.moment()
    return LiveResult(
        port=result.name,
        seconds=time.monotonic() - run.begun,
        ended_by=run.ended_by,
        recordings=tuple(
            RecordingLine(
                file="" if one.path is None else str(one.path),
                boot=one.boot,
                reset=one.reset,
                events=one.events,
                missing=one.lost,
                ended=one.ended,
            )
            for one in hearing.recordings
        ),
        unlisted=hearing.unlisted,
        happened=tuple(
            EventCount(event=event, count=run.count[event]) for event in EVENTS if run.count[event]
        ),
        needs=last.needs,
    )


def _why(options: MemoryOptions) -> Ask:
    """The verb `why`, on the memory of these options."""

    def ask(trace: Path, request: Request, tried: Callable[[], None]) -> WhyResult:
        return why(trace, need=(request.text,), progress=lambda _: tried(), **options)

    return ask


class _Listening:
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
