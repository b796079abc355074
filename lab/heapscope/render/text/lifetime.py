"""How long a program lives that goes on as it was recorded, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from heapscope.answers.lifetime.result import (
    FRAGMENTATION,
    LEAK,
    Lifetime,
    LifetimeGrowth,
    LifetimeHolder,
    LifetimeRun,
)
from heapscope.base.request import request_text
from heapscope.base.wording import long_time, plural, size
from heapscope.render.text.table import Column, columns_of, table_of
from heapscope.trace.call_sites import SITE_ROOM, shortened


def lifetime_parts(result: Lifetime) -> Iterator[RenderableType]:
    for position, sentence in enumerate(sentences(result)):
        yield Text(sentence, style="bold" if position == 0 else "")
    ended = [run for run in result.runs if run.end != "lives"]
    if ended and ended[0].rounds:
        columns = (
            *columns_of(LifetimeRun, "number rounds"),
            Column(heading="lives", of=lambda run: _time(result, run.rounds, run.seconds)),
            *columns_of(LifetimeRun, "end size capabilities task site cause free largest"),
        )
        ended.sort(key=lambda run: (run.rounds, run.number))
        yield table_of("Runs that end, the shortest first", columns, ended, name="runs")
    if result.growth:
        columns = columns_of(LifetimeGrowth, "task site blocks bytes verdict until")
        yield table_of("Blocks that a round leaves over", columns, result.growth, name="growth")
    if result.holders:
        columns = columns_of(LifetimeHolder, "task site blocks live hole")
        title = "Who holds most when the first run ends"
        yield table_of(title, columns, result.holders, name="holders")


def sentences(result: Lifetime) -> Iterator[str]:
    """The answer first."""
    ended = sorted(
        (run for run in result.runs if run.end != "lives"), key=lambda run: (run.rounds, run.number)
    )
    limit = _time(result, result.limit, result.seconds)
    if ended and not ended[0].rounds:
        yield f"On {result.layout} the recording itself ends early: {_of(ended[0])}."
        return
    if not ended:
        yield f"{result.lives.text} live {limit}: no request fails on {result.layout}."
    else:
        first, last = ended[0], ended[-1]
        when = _time(result, first.rounds, first.seconds)
        until = _time(result, last.rounds, last.seconds)
        span = f"after {when}" if when == until else f"after {when} to {until}"
        yield (
            f"{len(ended):,} of {plural(len(result.runs), 'run')} end within {limit} on "
            f"{result.layout}, {span}: {_of(first)}."
        )
        yield _cause(result, first)
    yield (
        f"Each round repeats the events {result.first_event:,} to {result.last_event:,} "
        f"({_time(result, 1, result.period)}; {result.stretch})."
    )
    yield from result.varied[:1]


def _of(run: LifetimeRun) -> str:
    request = request_text(run.size or 0, run.capabilities)
    if run.end == "need":
        return f"{request} fits at no moment of a round any more"
    where = f" at {shortened([run.site], SITE_ROOM)[0]}" if run.site else ""
    return f"the request of {request} by '{run.task}'{where} fails"


def _cause(result: Lifetime, run: LifetimeRun) -> str:
    pieces = f"{size(run.free)} are free there, the largest request is {size(run.largest)}"
    if run.cause == LEAK:
        first = next((row for row in result.growth if row.until is None), None)
        if first is None:
            return f"It is memory that is not given back: {pieces}."
        where = f" at {shortened([first.site], SITE_ROOM)[0]}" if first.site else ""
        return (
            f"It is a leak: {pieces}; '{first.task}'{where} leaves "
            f"{plural(first.blocks, 'block')}, {size(first.bytes)}, in each round."
        )
    if run.cause == FRAGMENTATION:
        text = f"It is fragmentation: {pieces}"
        widest = max(result.holders, key=lambda holder: holder.hole, default=None)
        if widest is None or widest.hole <= run.largest:
            return f"{text}."
        where = f" at {shortened([widest.site], SITE_ROOM)[0]}" if widest.site else ""
        return (
            f"{text}; without the blocks of '{widest.task}'{where} {size(widest.hole)} would be "
            "in one piece."
        )
    return f"It is too small a memory for this run: {pieces}."


def _time(result: Lifetime, rounds: int, seconds: float | None) -> str:
    """ "12.4 days", or rounds where the trace has no clock."""
    if result.period is None or seconds is None:
        return plural(rounds, "round")
    return long_time(seconds)
