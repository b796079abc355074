"""Show a device's heap while it runs."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Unpack

from heapscope.base.choices import known
from heapscope.base.option import Option
from heapscope.base.request import parse_requests
from heapscope.cli.verbs.options import (
    Needs,
    Seconds,
    output,
)
from heapscope.memory.options import MemoryOptions, given

if TYPE_CHECKING:
    from heapscope.cli.verbs.listening import OnMoment
    from heapscope.logs.live.live_result import LiveResult


def live(
    port: Annotated[
        str | Path,
        Option(
            "PORT",
            "serial:/dev/ttyUSB0@921600, tcp:HOST:PORT, tcp:PORT or udp:PORT (these two listen), "
            "a file, a pipe, or -: standard input.",
            kind=str,
        ),
    ],
    *,
    need: Needs = (),
    out: Annotated[str | Path | None, output("PREFIX", writes=False)] = "live",
    files: Annotated[
        int,
        Option(
            "N",
            "Write at most so many traces, the first ones: a board in a reset loop goes on "
            "making them.",
            least=0,
        ),
    ] = 1000,  # as heapscope.logs.live.hearing has it
    seconds: Seconds = None,
    until: Annotated[
        Sequence[str],
        Option(
            "EVENT",
            "End at the first need, failed, lost, restart, gone, stray or mark. May be repeated.",
        ),
    ] = (),
    listen_on: Annotated[
        str,
        Option(
            "ADDRESS",
            "Where tcp:PORT and udp:PORT listen. Other machines reach 0.0.0.0, and whoever "
            "reaches it is heard.",
        ),
    ] = "127.0.0.1",
    on_moment: OnMoment | None = None,
    on_open: Callable[[str], object] | None = None,
    stop: Callable[[], bool] | None = None,
    **memory: Unpack[MemoryOptions],
) -> LiveResult:
    """Show a device's heap while it runs: free and largest by memory, who holds it, what grows.

    The device sends the chunks of its recorder (heapscope/recorder.h), which may stand between
    lines of its log. Each boot becomes a trace that every verb reads. A port that goes away is
    opened again when it is back. Losses are counted, and nothing is guessed: after a loss
    the live blocks are not known until a whole snapshot has arrived.

    The free memory is what the device's heap says at each snapshot. With the options of replay that
    name its memory, the recording is replayed as it comes, and it is known after every event. Then
    `why` is asked, too, when a --need stops fitting; the listening does not wait for its answer.
    --elf alone names the functions behind addresses.

    Each boot's trace is called PREFIX-boot-7.hst by the PREFIX of -o (live). A --need rings when it
    stops fitting, and names who stands in the way. --json has moments, one a line, and the
    answer as the last line; with "-" there is no view.

    Exit codes: 0 it ended well (end of the input, --seconds, --until, Ctrl-C or q); 1 an event of
    --alarm happened; 2 it could not be heard.

    Examples:
      heapscope live serial:/dev/ttyUSB0@921600
      heapscope live serial:/dev/ttyUSB0 --chip esp32c3 --idf 5.5 --elf app.elf --need 16717
      heapscope live udp:3333 --listen-on 0.0.0.0 --need 16717:DMA
      heapscope live tcp:3333 --headless --seconds 60 --alarm failed --alarm lost
      heapscope live T.hst --headless --no-files
      heapscope live T.hst --no-files --json -
    """
    from heapscope.cli.verbs.listening import Listening, why_on
    from heapscope.forecast.predict.memory_choice import choose_memory
    from heapscope.logs.live.hearing import Hearing
    from heapscope.logs.live.live_result import EVENTS, EventCount, LiveResult, RecordingLine
    from heapscope.logs.live.model import LiveModel
    from heapscope.logs.live.port import find_port
    from heapscope.logs.live.reasons import Reasons
    from heapscope.logs.live.watched import WatchedRequest
    from heapscope.logs.reader.addresses import Addresses

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
        reasons = None if model is None else stack.enter_context(Reasons(why_on(options)))
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
        run = Listening(
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
        courses=last.courses,
    )
