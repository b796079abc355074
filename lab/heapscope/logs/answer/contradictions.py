"""Lines of a log that cannot all be true: both are reported, and neither is believed silently."""

from __future__ import annotations

from collections.abc import Iterator

from heapscope.base.wording import size
from heapscope.logs.reader.device import LogDevice
from heapscope.logs.reader.figures import LoggedFigure, LoggedFigures
from heapscope.logs.reader.primary import primary_figures
from heapscope.logs.reader.reading import LogReading
from heapscope.memory.layout.chip_guess import guess_chip

#: Figures of one moment stand so many lines apart at most.
_MOMENT = 6
#: A failed request and the state that it is compared with.
_NEAR = 30


def contradictions(reading: LogReading, device: LogDevice) -> Iterator[str]:
    """A sentence each."""
    yield from _summary(reading)
    yield from _chip(reading, device)
    for memory in reading.figures.memories():
        yield from _figures(reading.figures, memory)
    yield from _failed(reading)
    yield from _mixed(reading)


def _summary(reading: LogReading) -> Iterator[str]:
    summary = reading.summaries.last
    if summary is None or summary.totals is None or summary.tracked:
        return
    for name, word in (("free", "free"), ("used", "in use")):
        reported = getattr(summary.totals, name)
        parts = [getattr(region, name) for region in summary.regions]
        if reported is None or not parts or None in parts or reported == sum(parts):
            continue
        yield (
            f"the totals of the heap summary (line {summary.totals.line:,}) say {size(reported)} "
            f"{word}, its {len(parts)} regions (from line {summary.line:,}) add up to "
            f"{size(sum(parts))}: a region is missing, or a line is wrong"
        )


def _chip(reading: LogReading, device: LogDevice) -> Iterator[str]:
    boot = reading.boots.listed
    if boot is None or not boot.regions or not device.chip:
        return
    result = guess_chip([(region.start, region.size) for region in boot.regions])
    if result is not None and result.name != device.chip and device.chip_source != "addresses":
        yield (
            f"the chip is reported as {device.chip}, and the regions from line "
            f"{boot.regions[0].line:,} on lie in the memory of an {result.title}"
        )


def _figures(figures: LoggedFigures, memory: str) -> Iterator[str]:
    last = {
        name: figures.series[memory, name].last
        for name in ("free", "largest", "min", "total")
        if (memory, name) in figures.series
    }
    for small, large in (("largest", "free"), ("min", "free"), ("free", "total")):
        if small not in last or large not in last:
            continue
        one, other = last[small], last[large]
        if one.value > other.value and _same_moment(one, other):
            yield (
                f"{small} is {size(one.value)} (line {one.line:,}) and {large} only "
                f"{size(other.value)} (line {other.line:,})"
            )


def _same_moment(one: LoggedFigure, other: LoggedFigure) -> bool:
    return one.boot == other.boot and abs(one.line - other.line) <= _MOMENT


def _failed(reading: LogReading) -> Iterator[str]:
    """A request failed beside a block that is large enough for it."""
    figures = primary_figures(reading)
    if figures is None or figures.largest is None or figures.memory == "wifi":
        return
    for one in reading.failures.listed():
        near = abs(one.last - figures.line) <= _NEAR
        memory = one.memory and one.how in ("callback", "abort", "denied")
        if near and memory and one.size and one.size <= figures.largest:
            yield (
                f"a request of {size(one.size)} failed (line {one.last:,}), and a free block of "
                f"{size(figures.largest)} is reported beside it (line {figures.line:,}): it was of "
                "another memory, or of another moment"
            )
            return


def _mixed(reading: LogReading) -> Iterator[str]:
    mixed = [one for one in reading.summaries.kept if one.mixed]
    if mixed:
        yield (
            f"two heap summaries stand in each other (from line {mixed[-1].line:,} on), as of two "
            "devices: none of their figures is used"
        )
    if reading.boots.uptimes.two_devices:
        yield (
            "the times of the lines go to and fro, as of two devices in one log: figures of both "
            "may stand in one series, and no trend is reported"
        )
    boot = reading.boots.mixed
    if boot is not None:
        yield (
            f"the regions at the start (from line {boot.regions[0].line:,} on) are reported with "
            "different sizes, as of two devices: their sum is unknown"
        )
