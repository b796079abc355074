"""Each device of a log that several write into: what its series does, and which requests fit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from heapscope.answers.leaks.verdict import UNKNOWN
from heapscope.answers.series.judge import VERDICTS
from heapscope.base.printable import printable
from heapscope.base.request import Request
from heapscope.base.rows.figure import figure
from heapscope.base.rows.request import RequestRow
from heapscope.base.rows.row import Row
from heapscope.base.wording import size
from heapscope.logs.answer.heap_series import main_figure
from heapscope.logs.answer.series_sentences import NAMES, dying
from heapscope.logs.answer.trend import Trend, trend_of, trends
from heapscope.logs.heaps.memory_fit import memories_of
from heapscope.logs.heaps.request_fit import RequestFit, UntilRow
from heapscope.logs.reader.figures import LoggedFigures


class DeviceNeedRow(RequestRow):
    """A request on one device."""

    fits: bool | None = figure("Whether it would be served at its end; null: cannot be told.")
    until: UntilRow | None = figure("Seconds from its last line until it fits no more.")


class LoggedDeviceRow(Row):
    """One of several devices that write into a log."""

    device: str = figure("The name that tells its lines apart.", heading="device")
    points: int = figure("Lines that tell the figure of its series.", heading="lines")
    free: int | None = figure("The last free bytes; null: not told.", "B", heading="free")
    largest: int | None = figure("The last largest block; null.", "B", heading="largest block")
    verdict: str = figure("The verdict about its series.", choices=VERDICTS, heading="verdict")
    risk: float | None = figure("The probability that it is wrong; null: no verdict.", digits=2)
    per_second: UntilRow | None = figure("Bytes lost a second; null: no fall, or no time.")
    sentence: str = figure("The same in words.", heading="in words")
    needs: tuple[DeviceNeedRow, ...] = figure("The requests that were asked about.")


def device_rows(
    parts: Mapping[str, LoggedFigures], needs: Sequence[Request]
) -> Iterator[LoggedDeviceRow]:
    """`parts`: the figures of each device."""
    for name, figures in parts.items():
        memory = _memory(figures, needs)
        if not memory:
            continue
        judged = trends(figures)
        main = next((one for one in judged if one.memory == memory), None)
        rows = tuple(_need(figures, judged, need) for need in needs)
        points = figures.series[memory, main_figure(figures, memory)].count
        yield LoggedDeviceRow(
            device=printable(name),
            points=points,
            free=figures.last(memory, "free"),
            largest=figures.last(memory, "largest"),
            verdict=UNKNOWN if main is None else main.judged.verdict,
            risk=None if main is None else main.judged.risk,
            per_second=None if main is None else main.decisive.per_second,
            sentence=_sentence(main, rows, figures, memory),
            needs=rows,
        )


def _memory(figures: LoggedFigures, needs: Sequence[Request]) -> str:
    known = [name for name in figures.memories() if main_figure(figures, name)]
    wanted = memories_of(needs[0]) if needs else ()
    return next((name for name in wanted if name in known), known[0] if known else "")


def _need(figures: LoggedFigures, judged: Sequence[Trend], need: Request) -> DeviceNeedRow:
    memory = _memory(figures, [need])
    largest, free = figures.last(memory, "largest"), figures.last(memory, "free")
    fits = None
    if largest is not None:
        fits = largest >= need.size
    elif free is not None and free < need.size:
        fits = False
    trend = trend_of(judged, need)
    until = None if trend is None or fits is False else trend.until(need)[0]
    return DeviceNeedRow.of(need, fits=fits, until=until)


def _sentence(
    main: Trend | None, rows: Sequence[DeviceNeedRow], figures: LoggedFigures, memory: str
) -> str:
    short = [size(row.size) for row in rows if row.fits is False]
    no_more = f"{', '.join(short)} no longer fit. " if short else ""
    if main is None:
        name = main_figure(figures, memory)
        what = NAMES.get(name, name)
        last = size(figures.last(memory, name) or 0)
        return f"{no_more}{what[0].upper()}{what[1:]} is {last}; its lines are too few to judge."
    fits = [
        RequestFit.of(Request(row.size), fits=row.fits, until=row.until, why="") for row in rows
    ]
    told = dying(main, fits)
    row = main.decisive
    what = NAMES.get(row.name, row.name)
    still = f"{what[0].upper()}{what[1:]} shows {row.verdict}: {row.reason}."
    ends = "" if told else "".join(_fits(one) for one in rows if one.fits is not False)
    return f"{no_more}{told or still}{ends}"


def _fits(row: DeviceNeedRow) -> str:
    return f" {size(row.size)} {'may fit' if row.fits is None else 'would fit'}."
