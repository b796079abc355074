"""A log in sentences: the answer first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from heapscope.layout import capabilities
from heapscope.leaks.verdict import LEAK
from heapscope.log.answer import FailedRow, LogAnswer
from heapscope.log.fits import NeedFit
from heapscope.log.reading import LogReading
from heapscope.log.trend import TrendRow
from heapscope.measure.wording import long_time, plural, size


def verdict(
    reading: LogReading, answer: LogAnswer, fits: Sequence[NeedFit], trends: Sequence[TrendRow]
) -> Iterator[str]:
    """The requests that were asked about, then what went wrong, then the last state."""
    yield from (_fit(fit) for fit in fits)
    yield from _corrupt(reading, answer)
    yield from _failed(answer)
    yield from (_leak(row) for row in trends if row.verdict == LEAK)
    yield from _state(reading, answer)
    yield from _boot(reading, answer)
    if answer.declines is not None:
        yield f"The log tells nothing of a device's heap: {answer.declines}."


def _fit(fit: NeedFit) -> str:
    what = size(fit.size)
    where = "" if fit.line is None else f" at line {fit.line:,}"
    if fit.fits is None:
        return f"Whether {what} would fit cannot be told: {fit.why}."
    if fit.fits:
        return f"{what} would fit{where}: {fit.why}{_largest(fit)}."
    short = "" if fit.short is None else f", {size(fit.short)} short"
    return f"{what} would not fit{where}{short}: {fit.why}{_largest(fit)}."


def _largest(fit: NeedFit) -> str:
    return "" if fit.largest is None else f" ({size(fit.largest)})"


def _corrupt(reading: LogReading, answer: LogAnswer) -> Iterator[str]:
    corrupt = answer.corrupt
    if corrupt is None:
        return
    first = reading.corrupt[0]
    where = f" at {first.address:#010x}" if first.address is not None else ""
    by = f" ({corrupt.where})" if corrupt.where else ""
    yield f"The heap is overwritten{where}: {_KINDS.get(corrupt.kind, corrupt.kind)}{by}."


_KINDS = {
    "tail": "something wrote behind the end of a block",
    "head": "something wrote before the start of a block",
    "invalid_data": "something wrote to a block after it was freed",
    "metadata": "the allocator's own words are damaged",
    "tlsf_assert": "an assertion of the allocator failed",
    "other": "the allocator found damage",
}


def _failed(answer: LogAnswer) -> Iterator[str]:
    if not answer.failed:
        return
    lines = sum(one.count for one in answer.failed)
    yield f"{plural(lines, 'request')} failed: {'; '.join(_request(o) for o in answer.failed[:3])}."


def _request(one: FailedRow) -> str:
    what = "of unknown size" if one.size is None else f"of {size(one.size)}"
    caps = "" if one.caps is None else f" with {capabilities.format(one.caps)}"
    who = f" ({one.who})" if one.who else ""
    times = f" {one.count:,} times" if one.count > 1 else ""
    cause = "" if one.memory else ", for another reason than memory"
    return f"{what}{caps}{who}{times} from line {one.line:,}{cause}"


def _leak(row: TrendRow) -> str:
    """The speed, and when nothing is left."""
    what = f"{row.name}{'' if row.memory == 'any' else f' ({row.memory})'}"
    speed = "" if row.per_line is None else f" by {row.per_line.said()} B a line"
    if row.per_second is not None:
        speed = f" by {row.per_second.times(3600).said()} B an hour"
    end = ""
    if row.death is not None:
        least, most = long_time(row.death.low), long_time(row.death.high)
        end = f", and nothing is left after {long_time(row.death.value)} ({least} to {most})"
    way = "goes down" if row.name == "free" else "goes up"
    return f"This is a leak: {what} {way}{speed} and does not come back{end}."


def _state(reading: LogReading, answer: LogAnswer) -> Iterator[str]:
    parts = []
    if answer.free is not None:
        parts.append(f"{size(answer.free)} are free")
    elif answer.free_kb is not None:
        parts.append(f"{answer.free_kb:,} KB are free")
    if answer.largest is not None:
        parts.append(f"the largest free block is {size(answer.largest)}")
    if answer.min is not None:
        parts.append(f"the minimum was {size(answer.min)}")
    if answer.gc_mem_free is not None or answer.gc_free is not None:
        free = answer.gc_free if answer.gc_free is not None else answer.gc_mem_free
        parts.append(f"the collector's heap has {size(free or 0)} free")
    if parts:
        cut = ", as far as the log shows it" if answer.cut else ""
        yield f"In the last state of the log{cut}: {', '.join(parts)}."
    if answer.leaked_bytes is not None:
        blocks = plural(answer.leaked_blocks or 0, "block")
        yield f"The heap trace calls {size(answer.leaked_bytes)} in {blocks} leaked."


def _boot(reading: LogReading, answer: LogAnswer) -> Iterator[str]:
    if answer.boot_regions is None or answer.boot_bytes is None:
        return
    psram = "" if answer.psram_bytes is None else f", and {size(answer.psram_bytes)} of PSRAM"
    yield (
        f"At the start the heap got {size(answer.boot_bytes)} in "
        f"{plural(answer.boot_regions, 'region')}{psram}."
    )


def assumed(reading: LogReading, fits: Sequence[NeedFit]) -> Iterator[str]:
    yield from dict.fromkeys(text for fit in fits for text in fit.assumed)
    if reading.figures.invalid:
        first = reading.figures.invalid[0]
        yield f"{first.value:,} on line {first.line:,} cannot be the size of a heap and is left out"


def settles(fits: Sequence[NeedFit]) -> Iterator[str]:
    yield from dict.fromkeys(fit.settles for fit in fits if fit.settles)
