"""A log in sentences: the answer first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from heapscope.base.capabilities import MALLOC
from heapscope.base.printable import printable
from heapscope.base.wording import long_time, plural, size
from heapscope.logs.answer.answer import NO_LINE, FailedRow, LogAnswer
from heapscope.logs.answer.device_rows import LoggedDeviceRow
from heapscope.logs.answer.happened import damage, others, stacks
from heapscope.logs.answer.own_lines import suggestion
from heapscope.logs.answer.pool_rows import pool_sentences
from heapscope.logs.answer.series_sentences import dying
from heapscope.logs.answer.trend import Trend, falls
from heapscope.logs.answer.two_builds import two_builds
from heapscope.logs.heaps.request_fit import NO_BLOCK, RequestFit
from heapscope.logs.heaps.state_view import StateView
from heapscope.logs.reader.addresses import Addresses
from heapscope.logs.reader.blocks import PrintedTask
from heapscope.logs.reader.failures import own_pool
from heapscope.logs.reader.figures import is_moment
from heapscope.logs.reader.form import POOLS
from heapscope.logs.reader.primary import primary_figures
from heapscope.logs.reader.reading import LogReading
from heapscope.logs.reader.state import START

_SHOWN = 3  # failures that have a sentence
_ERRNO = 255  # a larger code is one of ESP-IDF, which is written in hexadecimal
_QUOTED = 72  # characters of a line in a sentence
_BEFORE = 12  # lines between figures and the request that failed then


def verdict(
    reading: LogReading,
    answer: LogAnswer,
    fits: Sequence[RequestFit],
    trends: Sequence[Trend],
    followed: Sequence[str] = (),
    *,
    names: Addresses,
    devices: Sequence[LoggedDeviceRow] = (),
) -> Iterator[str]:
    """The events, by their rank; then the requests of --need, the last state, and how
    its figures went. `followed`: sentences on requests that follow each other. `devices`: each of
    several devices that write into the log."""
    happened = [*damage(reading, answer, names), *stacks(reading, names), *_failed(reading, answer)]
    happened += [*_before(reading, answer), *others(reading, answer, names), *_error(answer)]
    series = [text for one in trends if (text := dying(one, fits))]
    now = reading.boots.count in reading.failures.by_start
    yield from () if now else series
    yield from happened
    yield from _starts_before(reading)
    if devices and reading.mixture is not None:
        clause = reading.mixture.clause
        yield f"{clause[0].upper()}{clause[1:]}: each is answered by itself."
        yield from (f"{row.device}: {row.sentence}" for row in devices)
    yield from () if devices else map(fit_sentence, fits)
    yield from followed
    yield from pool_sentences(reading, alone=answer.form == POOLS)
    if reading.figures.invalid:
        yield "Its figures cannot be believed: the heap could not read its own words."
    yield from () if devices else _state(reading, answer)
    yield from series if now else ()
    if reading.mixture is None:
        yield from two_builds(reading.figures)
        yield from falls(reading.figures, trends)
    yield from _python(answer)
    yield from _blocks(reading, answer)
    yield from _boot(reading, answer)
    yield from _ranges(reading, answer)
    if answer.form == "summary_torn":
        yield "One line of a heap summary is in the log, torn by other output: it tells no state."
    collected = answer.gc_free is not None or answer.gc_mem_free is not None
    if answer.declines is not None and not ((happened or collected) and answer.declines == NO_LINE):
        what = "a device's heap" if answer.form is None else "the whole heap"
        yield f"The log tells nothing of {what}: {answer.declines}."


def fit_sentence(fit: RequestFit) -> str:
    """Whether a request would fit, and why."""
    with_ = "" if fit.capabilities == MALLOC else f" with {fit.capabilities}"
    what = f"{size(fit.size)}{with_}"
    where = "" if fit.line is None else f", by line {fit.line:,}"
    if fit.fits is None:
        return f"Whether a request of {what} fits cannot be told: {fit.why}.{_history(fit)}"
    if fit.fits:
        return f"{what} would fit{where}: {fit.why}{_largest(fit)}.{_history(fit)}"
    if fit.short is None or fit.short != fit.size - (fit.largest or 0):
        short = "" if fit.short is None else f", {size(fit.short)} short"
        return f"{what} would not fit{short}{where}: {fit.why}{_largest(fit)}.{_history(fit)}"
    same = fit.why.replace(f"a request of {size(fit.size)} ", "a request of that size ")
    line = "" if "line" in same or fit.line is None else f", line {fit.line:,}"
    besides = "" if fit.why == NO_BLOCK else f", and {same}"
    return (
        f"{what} would not fit: the largest free block is {size(fit.largest or 0)} "
        f"({size(fit.short)} short{line}){besides}.{_history(fit)}"
    )


def _history(fit: RequestFit) -> str:
    past = fit.history
    total = 0 if past is None else past.fits + past.fits_not + past.open
    if past is None or total < 2:
        return ""
    parts = [f"fits in {past.fits:,}" if past.fits else "fits in none"]
    if past.fits_not:
        parts.append(f"not in {past.fits_not:,}, first on line {past.first_not:,}")
    if past.open:
        parts.append(f"cannot be told in {past.open:,}")
    return f" In {total:,} heap summaries it {'; '.join(parts)}."


def _largest(fit: RequestFit) -> str:
    return "" if fit.largest is None else f" (the largest block is {size(fit.largest)})"


def _failed(reading: LogReading, answer: LogAnswer) -> Iterator[str]:
    lines = {one.first: one.quote for one in reading.failures.listed() if one.size is None}
    yield from (_request(one, lines.get(one.line, "")) for one in answer.failed[:_SHOWN])
    more = len(answer.failed) - _SHOWN
    if more > 0:
        yield f"{plural(more, 'other kind')} of request failed too."


def _before(reading: LogReading, answer: LogAnswer) -> Iterator[str]:
    """The figures just before the first request that failed, where the last ones are others."""
    line = min((one.line for one in answer.failed if one.memory), default=0)
    primary = None if reading.mixture is not None else primary_figures(reading)
    series = {} if primary is None else reading.figures.series
    name = "" if primary is None else primary.memory
    free = series.get((name, "free"))
    last = None if free is None else free.last_before(line)
    if free is None or last is None or line - last.line > _BEFORE:
        return
    if last.value == free.last.value:
        return  # the last state says it
    block = series.get((name, "largest"))
    then = None if block is None else block.last_before(line)
    largest = ""
    if then is not None and is_moment(then, last):
        largest = f", and the largest free block had {size(then.value)}"
    yield (
        f"Before the request that failed on line {line:,}, {size(last.value)} were free{largest} "
        f"(line {last.line:,})."
    )


def _starts_before(reading: LogReading) -> Iterator[str]:
    """Earlier starts of the program had a failure, and the last one has none yet."""
    now, known = reading.boots.count, reading.failures.by_start
    if now == 1 or now in known or not known:
        return
    times = [time for time in known.values() if time]
    after = ""
    if len(times) == len(known):
        low, high = long_time(min(times) / 1000), long_time(max(times) / 1000)
        after = f", {low if low == high else f'{low} to {high}'} after they began"
    if now == 2:
        yield (
            "The start before this one had a request that failed"
            f"{after.replace('they', 'it')}; this one has none so far."
        )
        return
    yield (
        f"{len(known):,} of the {now - 1:,} starts before this one had a request that "
        f"failed{after}; this one has none so far."
    )


def _request(one: FailedRow, quote: str) -> str:
    """`quote`: its first line, where that alone says what was requested."""
    if one.how == "task":
        return _task(one)
    who = f" of {_named(one)}" if one.who else ""
    what = f"A request{who}" if one.size is None else f"A request of {size(one.size)}{_by(one)}"
    caps = "" if one.capabilities is None else f" with {one.capabilities}"
    times = "" if one.count == 1 else f" {one.count:,} times"
    first = f"line {one.line:,}" if one.count == 1 else f"first on line {one.line:,}"
    cause = "" if one.memory else ", for another reason than memory"
    unknown = ", its size is unknown" if one.size is None and one.memory else ""
    words = f': "{printable(quote, limit=_QUOTED)}"' if quote and not one.who else ""
    pool = own_pool(one.who)
    of = f"; it is of {pool}" if pool else ""
    return f"{what}{caps} failed{times}{cause}{unknown} ({first}{words}){of}."


def _by(one: FailedRow) -> str:
    return f" by {_named(one)}" if one.who else ""


def _named(one: FailedRow) -> str:
    """Who asked, for people."""
    name = printable(one.who)
    if one.how == "xs":
        return "the script's heap" if name == "heap" else f"the script's {name} heap"
    return "the operator new" if name == "new" else name


def _task(one: FailedRow) -> str:
    """A task that was not created."""
    name = printable(one.who.removeprefix("task").strip())
    what = f"Task {name}" if name else "A task"
    times = "" if one.count == 1 else f" {one.count:,} times"
    where = f"line {one.line:,}" if one.count == 1 else f"first on line {one.line:,}"
    cause = (
        "no memory for its stack and control block, as a rule"
        if one.memory
        else "for another reason than memory"
    )
    return f"{what} was not created{times}: {cause} ({where})."


def _error(answer: LogAnswer) -> Iterator[str]:
    error = answer.error
    if error is None or (error.no_memory and error.meaning is None):
        return
    call = f"{printable(error.call)} returned" if error.call else "The error is"
    meaning = f", {error.meaning}" if error.meaning else ""
    short = ": memory was short" if error.no_memory else ": not a lack of memory by itself"
    code = f"{error.code:#x}" if isinstance(error.code, int) and error.code > _ERRNO else error.code
    yield f"{call} {code}{meaning}{short}."


def _state(reading: LogReading, answer: LogAnswer) -> Iterator[str]:
    mixture = reading.mixture
    if mixture is not None:
        text = mixture.clause
        yield f"{text[0].upper()}{text[1:]}: none of the states is known; give the lines of one."
        return
    parts = []
    about = "about " if _is_rounded(reading) else ""
    if answer.free is not None:
        parts.append(f"{about}{size(answer.free)} are free")
    elif answer.free_kb is not None:
        parts.append(f"{answer.free_kb:,} KB are free")
    elif answer.free_internal is not None:
        parts.append(f"{about}{size(answer.free_internal)} of internal memory are free")
    if answer.total is not None:
        total = f"{about}{size(answer.total)}"
        parts.append(f"of {total}" if parts else f"the heap has {total}")
    if answer.used is not None and answer.free is None and answer.free_internal is None:
        parts.append(f"{about}{size(answer.used)} of it are in use")
    if answer.largest is not None:
        parts.append(f"the largest free block is {about}{size(answer.largest)}")
    if answer.min is not None:
        parts.append(f"the minimum was {about}{size(answer.min)}")
    if not parts:
        return
    where = "In the last state"
    if answer.cut and answer.regions:
        where = f"In the {plural(answer.regions, 'region')} that a cut summary shows"
    yield f"{where}: {', '.join(parts)}."


def _is_rounded(reading: LogReading) -> bool:
    """Whether the last state is reported by figures in larger units than bytes."""
    whole = reading.summaries.last is not None or reading.reports.last is not None
    return reading.figures.rounded > 1 and not whole


def _python(answer: LogAnswer) -> Iterator[str]:
    free = answer.gc_free if answer.gc_free is not None else answer.gc_mem_free
    if free is not None:
        yield f"The heap of Python's collector has {size(free)} free."


def _blocks(reading: LogReading, answer: LogAnswer) -> Iterator[str]:
    if answer.leaked_bytes is not None:
        blocks = plural(answer.leaked_blocks or 0, "block")
        yield f"The heap trace calls {size(answer.leaked_bytes)} in {blocks} leaked."
    elif reading.trace.records:
        yield f"The heap trace lists {plural(reading.trace.records, 'record')}."
    yield from _tasks(reading.tasks.largest())
    if reading.allocations.count:
        count = plural(reading.allocations.count, "allocation")
        yield f"The log lists {count}, {size(reading.allocations.bytes)} together."


def _tasks(tasks: Sequence[PrintedTask]) -> Iterator[str]:
    holding = [task for task in tasks if task.used and task.used > 0]
    if holding:
        first = holding[0]
        others = (f", {printable(task.name)} {size(task.used or 0)}" for task in holding[1:3])
        most = f"{printable(first.name)} has most memory, {size(first.used or 0)}"
        yield f"Task {most}{''.join(others)}."
    grown = max(tasks, key=_growth, default=None)
    if grown is not None and _growth(grown) > 0:
        name = printable(grown.name)
        more = size(_growth(grown))
        yield f"Task {name} grew most from its first table to its last, by {more}."


def _growth(task: PrintedTask) -> int:
    return (task.used or 0) - (task.first or 0)


def _boot(reading: LogReading, answer: LogAnswer) -> Iterator[str]:
    if answer.boot_regions is None or answer.boot_bytes is None:
        return
    psram = "" if answer.psram_bytes is None else f", and {size(answer.psram_bytes)} of PSRAM"
    listed = reading.boots.listed
    cut = " at least" if listed is not None and listed.cut_line is not None else ""
    yield (
        f"At the start the heap got{cut} {size(answer.boot_bytes)} in "
        f"{plural(answer.boot_regions, 'region')}{psram}."
    )


def _ranges(reading: LogReading, answer: LogAnswer) -> Iterator[str]:
    boot = reading.boots.current
    if answer.form != "memory_layout":
        return
    free, kept = boot.free_ranges, boot.reserved_ranges
    parts = []
    if free:
        parts.append(
            f"{plural(len(free), 'range')} for the heap, {size(sum(r.size for r in free))}"
        )
    if kept:
        what = plural(len(kept), "reserved range")
        parts.append(f"{what}, {size(sum(r.size for r in kept))}")
    yield f"The memory layout lists {' and '.join(parts)}; it does not tell what is in use."


def assumed(
    reading: LogReading,
    fits: Sequence[RequestFit],
    view: StateView | None,
    more: Sequence[str] = (),
) -> Iterator[str]:
    """`view`: the last state; the regions of a summary are listed without a request,
    too."""
    state = () if view is None or view.state.form == START else view.assumed
    results = (text for fit in fits for text in fit.assumed)
    yield from dict.fromkeys([*results, *more, *state])
    if reading.figures.in_kb is not None:
        yield f"from line {reading.figures.in_kb:,} on, sizes without a unit count KB"
    if reading.figures.series and not reading.figures.sure:
        yield "the lines speak of a heap, though their words could mean something else"


def settles(
    reading: LogReading, fits: Sequence[RequestFit], answer: LogAnswer, head: bytes
) -> Iterator[str]:
    """`head`: the first bytes of the log."""
    yield from dict.fromkeys(fit.settles for fit in fits if fit.settles)
    if answer.declines == NO_LINE and not reading.stops.any:
        yield suggestion(head)
