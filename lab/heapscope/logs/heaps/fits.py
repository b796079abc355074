"""Whether one more request would have been served, by the last state that a log tells."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from heapscope.base.capabilities import DEFAULT, DMA, EIGHT_BIT, INTERNAL, WORD
from heapscope.base.request import Request
from heapscope.logs.heaps.memory_fit import other_memory, own_memory
from heapscope.logs.heaps.request_fit import NO_BLOCK, RequestFit
from heapscope.logs.reader.artefacts import has_psram, may_be_power
from heapscope.logs.reader.failures import FailureLines, own_pool
from heapscope.logs.reader.primary import PrimaryFigures, primary_figures
from heapscope.logs.reader.reading import LogReading

#: A failure that stands so few lines before a state is of its moment.
_NEAR = 12
#: The memory of malloc has these in any case.
_MALLOC = DEFAULT | EIGHT_BIT | WORD
#: The memory of figures that bound every block that malloc can give.
_OF_MALLOC = ("any", "default", "8bit")


def ask(
    reading: LogReading, request: Request, form: str, *, tried: RequestFit | None = None
) -> RequestFit:
    """`form`: of the log, which says whose heap it speaks of. `tried`: the answer of the heaps of
    the last state, where the log tells one."""
    if reading.figures.invalid:
        return RequestFit.of(
            request,
            line=reading.figures.invalid[0].line,
            why="some figures cannot be the size of a heap, so the others are not believed either",
            settles="find out why the heap cannot read its own words: is PSRAM set up?",
        )
    mixture = reading.mixture
    if mixture is not None:
        return RequestFit.of(
            request,
            why=mixture.clause,
            settles="give the lines of one device alone",
        )
    row = _outranked(reading, request, _answered(reading, request, form, tried))
    if row.fits is False and row.line is not None and row.line == reading.unended:
        return replace(
            row,
            fits=None,
            short=None,
            why=f"line {row.line:,} has no end, so that its last number may be cut",
            settles="give the log with the whole of that line",
        )
    return row


def _answered(
    reading: LogReading, request: Request, form: str, tried: RequestFit | None
) -> RequestFit:
    if form == "markdown_table" and not request.caps:
        tried = None  # all its regions are listed, and malloc can take no larger block
    if form.startswith("mpy_mem") and not request.caps:
        return _python(reading, request)
    later = None if tried is None else _later(reading, request, tried)
    if later is not None:
        return later
    if tried is not None and tried.state:
        return tried if request.caps else _before_failures(reading, request, tried)
    if request.caps:
        of_kind = own_memory(reading, request)
        alike = _failed_alike(reading, request, None if of_kind is None else of_kind.line)
        if alike is not None and not (tried is not None and tried.state):
            return alike
        if tried is not None and (of_kind is None or of_kind.fits is None):
            return tried
        return of_kind or _untold(reading, request, "the log tells no heap by its capabilities")
    row = _blocks(reading, request, form) or _failed(reading, request, "", None) or tried
    figures = primary_figures(reading)
    if row is not None and figures is not None and row.line == figures.line:
        return other_memory(reading, request, row, figures.memory)
    return row or _untold(reading, request, "the log tells no largest free block")


def later_figures(reading: LogReading, line: int | None, free: int | None) -> PrimaryFigures | None:
    """Figures of what malloc uses, printed after the state of this line, that differ from it;
    None: none were. `free`: bytes of that state; None: it is the start's."""
    figures = primary_figures(reading)
    if figures is None or figures.memory not in _OF_MALLOC or figures.free is None or line is None:
        return None
    near = 0 if free is None else _NEAR
    return figures if figures.line > line + near and figures.free != free else None


def _later(reading: LogReading, request: Request, tried: RequestFit) -> RequestFit | None:
    """The answer of figures that are newer than the heaps; None: the heaps are as new."""
    summary, started = reading.summaries.last, reading.boots.listed
    last = summary.last_line if summary is not None else None
    if not tried.state and started is not None and started.regions:
        last = started.regions[-1].line
    free = summary.free if summary is not None and tried.state else None
    line = last if tried.line is None else max(last or 0, tried.line)
    figures = later_figures(reading, line, free)
    internal = request.caps & ~(_MALLOC | INTERNAL | DMA) == 0 and not has_psram(reading)
    if figures is None or (not internal and request.caps):
        return None
    bound = min(one for one in (figures.free, figures.largest) if one is not None)
    if figures.conflict or (tried.state is False and not request.caps):
        return None
    if request.size > bound and not may_be_power(reading, bound):
        what = "free bytes" if figures.largest is None else "largest free block"
        return RequestFit.of(
            request,
            fits=False,
            line=figures.line,
            short=request.size - bound,
            largest=figures.largest,
            why=f"the {what} of that line, {bound:,} B, bounds every block",
        )
    if figures.largest is not None and not request.caps:
        return None if tried.state is False else _blocks_of(reading, request, figures)
    return RequestFit.of(
        request,
        line=figures.line,
        why=f"line {figures.line:,} tells a later state than the heaps that are listed, and not "
        "which heap its blocks are in",
        settles="print heap_caps_print_heap_info(MALLOC_CAP_8BIT) before the request",
    )


def _blocks_of(reading: LogReading, request: Request, figures: PrimaryFigures) -> RequestFit | None:
    """The largest block of these figures serves it, unless such a request failed."""
    failed = _failed(reading, request, "", figures.line)
    if failed is not None:
        return failed
    return RequestFit.of(
        request,
        fits=True,
        line=figures.line,
        largest=figures.largest,
        why="the largest free block that is reported is as large",
    )


def _largest_call(reading: LogReading) -> str:
    call = "heap_caps_get_largest_free_block(MALLOC_CAP_8BIT)"
    return call if reading.of_esp_idf else "the largest free block"


def _untold(reading: LogReading, request: Request, why: str) -> RequestFit:
    return RequestFit.of(
        request,
        why=why,
        settles=f"print {_largest_call(reading)} before the request",
    )


def _before_failures(reading: LogReading, request: Request, tried: RequestFit) -> RequestFit:
    """A request that failed at the moment of the state says more than the state."""
    failed = _failed(reading, request, "", tried.line)
    if failed is None:
        return tried
    why = failed.why if tried.fits is not True else f"{failed.why}, though by the state {tried.why}"
    return replace(tried, fits=False, line=failed.line, why=why, settles="")


def _short(size: int, largest: int | None) -> int | None:
    return size - largest if largest is not None and size > largest else None


def _python(reading: LogReading, request: Request) -> RequestFit:
    python, size = reading.python, request.size
    largest = python.largest
    row = _failed(reading, request, "python", None)
    if row is not None:
        return replace(row, short=_short(size, largest), largest=largest)
    if largest is None:
        return RequestFit.of(
            request,
            fits=False if python.free is not None and size > python.free else None,
            line=python.line or None,
            why="micropython.mem_info() was not printed, which tells the largest free block",
            settles="print micropython.mem_info() before the request",
        )
    return RequestFit.of(
        request,
        fits=size <= largest,
        short=_short(size, largest),
        largest=largest,
        line=python.line,
        why="the largest free run of the collector's heap decides",
        assumed=("the collector does not grow its heap",),
    )


def _blocks(reading: LogReading, request: Request, form: str) -> RequestFit | None:
    """The largest block that the last state reports decides."""
    row = _largest(reading, form)
    if row is None:
        return _bounded(reading, request)
    size = request.size
    block = RequestFit.of(request, largest=row.largest, line=row.line, why="")
    failed = _failed(reading, request, "", row.line)
    if failed is not None:
        short = _short(size, row.largest)
        return replace(block, fits=False, short=short, line=failed.line, why=failed.why)
    if row.conflict:
        return replace(
            block,
            largest=None,
            why=f"{row.conflict} (line {row.line:,}), which cannot both be true",
            settles="print both figures at one moment, of the same memory",
        )
    if row.wrapped is not None and row.wrapped < size <= row.largest:
        return replace(
            block,
            why=f"the largest block is printed as {row.wrapped:,} B, which may stand for "
            f"{row.largest:,} B in 16 bits",
            settles="print the largest block as a number of 32 bits",
        )
    if abs(size - row.largest) < row.unit and row.unit > 1:
        return replace(
            block,
            why=f"the largest block is printed in units of {row.unit:,} B, and the request is as "
            "near to it",
            settles="print the largest block in bytes",
        )
    if size <= row.largest:
        why = "the largest free block that is reported is as large"
        return replace(block, fits=True, why=why)
    powers = may_be_power(reading, row.largest)
    if powers and size < 2 * row.largest and (row.free is None or size <= row.free):
        return replace(
            block,
            why="ESP-IDF 4.2.2 to 4.3.1 report the power of two below the largest block, and this "
            "figure is one",
            settles="the version of ESP-IDF, from the log's start",
        )
    if powers:
        why = "no free block is as large, even where the figure is the power of two below it"
        return replace(block, fits=False, why=why)
    short = _short(size, row.largest)
    return replace(block, fits=False, short=short, why=NO_BLOCK)


@dataclass(frozen=True, kw_only=True)
class _ReportedBlock:
    """The largest block as the last state reports it. `unit`: bytes that it is rounded to;
    `wrapped`: as it is printed, where 16 bits were too few."""

    largest: int
    line: int
    free: int | None
    unit: int = 1
    wrapped: int | None = None
    conflict: str = ""


def _bounded(reading: LogReading, request: Request) -> RequestFit | None:
    """The free bytes bound every block of the same moment."""
    figures = primary_figures(reading)
    if figures is None or figures.free is None or figures.memory == "wifi":
        return None
    failed = _failed(reading, request, "", figures.line)
    if failed is not None:
        return failed
    if request.size > figures.free:
        why = f"no more than {figures.free:,} B are free"
        short = request.size - figures.free
        return RequestFit.of(request, fits=False, line=figures.line, short=short, why=why)
    if figures.stale is None:
        return None
    return RequestFit.of(
        request,
        line=figures.line,
        why=f"line {figures.line:,} tells what is free, {figures.free:,} B, and the largest block "
        f"was printed before, on line {figures.stale.line:,}",
        settles=f"print {_largest_call(reading)} beside what is free",
    )


def _largest(reading: LogReading, form: str) -> _ReportedBlock | None:
    summary = reading.summaries.last
    if summary is not None and summary.largest is not None:
        return _ReportedBlock(largest=summary.largest, line=summary.last_line, free=summary.free)
    if reading.tuples.regions:
        regions = reading.tuples.regions
        return _ReportedBlock(
            largest=max(region.largest for region in regions),
            line=regions[-1].line,
            free=sum(region.free for region in regions),
        )
    report = reading.reports.last
    if report is not None and report.largest is not None:
        return _ReportedBlock(largest=report.largest, line=report.last_line, free=report.free)
    nuttx = reading.systems.nuttx
    if nuttx is not None and nuttx.largest is not None:
        return _ReportedBlock(largest=nuttx.largest, line=nuttx.line, free=nuttx.free)
    figures = primary_figures(reading)
    if figures is not None and figures.largest is not None:
        return _ReportedBlock(
            largest=figures.largest,
            line=figures.line,
            free=figures.free,
            unit=reading.figures.rounded,
            wrapped=figures.wrapped if form == "figures" else None,
            conflict=figures.conflict,
        )
    return None


def _failed(reading: LogReading, request: Request, who: str, line: int | None) -> RequestFit | None:
    """A request of at most this size failed, at the moment of the state or after it."""
    for one in _failures(reading, who):
        late = line is None or one.last + _NEAR >= line
        if one.size is not None and 0 < one.size <= request.size and late and one.memory:
            why = f"a request of {one.size:,} B failed (line {one.last:,})"
            return RequestFit.of(request, fits=False, line=one.last, why=why)
    return None


def _failed_alike(reading: LogReading, request: Request, line: int | None) -> RequestFit | None:
    """A request of at most this size, which asked for no more capabilities, failed then."""
    for one in reading.failures.listed():
        fewer = one.caps is not None and not one.caps & ~request.caps & ~_MALLOC
        late = line is None or one.last + _NEAR >= line
        if one.memory and fewer and one.caps and one.size and one.size <= request.size and late:
            why = f"a request of {one.size:,} B failed (line {one.last:,})"
            return RequestFit.of(request, fits=False, line=one.last, why=why)
    return None


def _outranked(reading: LogReading, request: Request, row: RequestFit) -> RequestFit:
    """A failure in the log outranks a figure: what failed is never said to fit."""
    if row.fits is not True:
        return row
    more = request.caps | (_MALLOC if has_psram(reading) else _MALLOC | INTERNAL)
    for one in reading.failures.listed():
        fewer = one.caps is None or not one.caps & ~more
        if one.memory and one.size and one.size <= request.size and fewer and one.how != "python":
            pool = own_pool(one.who)
            of = f" to {pool}" if pool else ""
            but = ": it is not the system's heap" if pool else f", though later {row.why}"
            return replace(
                row,
                fits=None,
                largest=None,
                why=f"a request of {one.size:,} B{of} failed (line {one.last:,}){but}",
                settles="print the free blocks of that memory just before the request",
            )
    return row


def _failures(reading: LogReading, who: str) -> Iterator[FailureLines]:
    """The failures that say something of malloc: a request for special memory may fail where malloc
    is served. Internal memory is all that malloc has without PSRAM."""
    more = _MALLOC if has_psram(reading) else _MALLOC | INTERNAL
    for one in reading.failures.listed():
        alike = one.caps is None or not one.caps & ~more
        alike = alike and not own_pool(one.who)
        if alike and (one.how == "python") == (who == "python") and not one.how.startswith("wifi"):
            yield one
