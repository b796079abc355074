"""The answer of a log: what is known, by names that scripts look for."""

from __future__ import annotations

from typing import Any

from heapscope.base import capabilities
from heapscope.base.printable import printable
from heapscope.base.request import Request
from heapscope.base.rows.figure import figure
from heapscope.base.rows.row import Row
from heapscope.logs.heaps.request_fit import RequestFit
from heapscope.logs.heaps.state_fit import state_fit
from heapscope.logs.heaps.state_view import StateView
from heapscope.logs.reader.error_names import meaning_of
from heapscope.logs.reader.failures import FailureLines
from heapscope.logs.reader.form import form_of
from heapscope.logs.reader.primary import primary_figures
from heapscope.logs.reader.reading import LogReading
from heapscope.logs.reader.state import START


def _optional(text: str, unit: str = "", **more: Any) -> Any:
    """A figure that is absent where the log does not tell it."""
    return figure(text, unit, absent=True, default=None, **more)


class FailedRow(Row):
    """Requests that failed in the same way."""

    size: int | None = figure("Bytes of the request; null: not told.", "B", heading="size")
    capabilities: str | None = figure(
        "Its capabilities joined with |, for example DMA|8BIT; null: not told.",
        heading="capabilities",
    )
    count: int = figure("Lines that tell it.", heading="times")
    who: str = figure("Who asked, as the log tells it.", heading="who")
    how: str = figure("By which kind of line it is known.")
    line: int = figure("The first line that tells it.", heading="line")
    last: int = figure("The last one.", heading="last line")
    uptime_ms: int | None = figure(
        "Time of the first since the start of the program; null: not told.", "ms"
    )
    fits: bool | None = figure(
        "Whether it would be served in the last heap summary; null: it cannot be told.",
        heading="fits then",
    )
    memory: bool = figure("False: the log shows another cause than memory.")


class ErrorCode(Row):
    """The error of a library, by its number."""

    code: str | int = figure("The number: of mbedTLS as text (-0x7F00), of others as a number.")
    call: str = figure("The call that returned it, as the log tells it.")
    meaning: str | None = figure("Its name; null: not known.")
    no_memory: bool = figure("It means that memory was short.")


class CorruptPlace(Row):
    """Where a heap was found overwritten."""

    kind: str = figure("head, tail, invalid_data, metadata, tlsf_assert or other.")
    at: str | tuple[str, ...] | None = figure("The address or addresses; null: not told.")
    where: str | None = figure("The function or the file and line that found it; null: not told.")


class LogAnswer(Row):
    """The figures of the last state that the log tells. A key is left out where it tells none."""

    form: str | None = _optional("The form of the lines that tell most.")
    declines: str | None = _optional("Why the log answers nothing.")
    regions: int | None = _optional("Regions of the last summary.")
    free: int | None = _optional("Free bytes of the last state.", "B")
    largest: int | None = _optional("The largest free block, as reported.", "B")
    min: int | None = _optional("The minimum of free bytes, as reported.", "B")
    allocated: int | None = _optional("Bytes in use, of a summary.", "B")
    total: int | None = _optional("Bytes of the heap.", "B")
    used: int | None = _optional("Bytes in use.", "B")
    peak: int | None = _optional("The most bytes in use.", "B")
    series_free: tuple[int, ...] | None = _optional(
        "Free bytes, one for each time it was reported.", "B"
    )
    boot_regions: int | None = _optional("Regions that the heap got at the start.")
    boot_bytes: int | None = _optional("Their bytes.", "B")
    psram_bytes: int | None = _optional("Bytes of PSRAM that the heap got at the start.", "B")
    free_internal: int | None = _optional("Free bytes of internal memory.", "B")
    psram_free: int | None = _optional("Free bytes of PSRAM.", "B")
    free_kb: int | None = _optional("Free units of 1024 bytes, where the log rounds to them.")
    gc_free: int | None = _optional("Free bytes of the collector's heap, as mem_info has it.", "B")
    gc_mem_free: int | None = _optional("The same as gc.mem_free() has it.", "B")
    leaked_bytes: int | None = _optional("Bytes that a heap trace calls leaked.", "B")
    leaked_blocks: int | None = _optional("Blocks of that kind.")
    failed: tuple[FailedRow, ...] = figure("The requests that failed.", default=())
    error: ErrorCode | None = _optional("The first error that has a number.")
    corrupt: CorruptPlace | None = _optional("The heap was found overwritten.")
    fits: bool | None = _optional(
        "Whether the first of the needs fits; left out: it cannot be told."
    )
    short: int | None = _optional("Bytes that were missing for it.", "B")
    cut: bool | None = _optional("The text ends early: sums are not those of the whole heap.")


def answer_of(
    reading: LogReading, view: StateView | None = None, *, fit: RequestFit | None = None
) -> LogAnswer:
    """`view`: of the last state; `fit`: of the request that was asked about."""
    form = form_of(reading)
    reported: dict[str, Any] = {"form": form or None}
    reported |= _state(reading, form)
    reported |= _boot(reading, form)
    reported |= _special(reading)
    reported["failed"] = tuple(
        FailedRow(
            size=one.size,
            capabilities=None if one.caps is None else capabilities.format(one.caps),
            count=one.count,
            who=printable(one.who),
            how=one.how,
            line=one.first,
            last=one.last,
            uptime_ms=one.uptime,
            fits=None if index >= _TRIED_MAX else _fits_now(view, one),
            memory=one.memory,
        )
        for index, one in enumerate(reading.failures.listed())
    )
    reported["error"] = _error(reading)
    reported["corrupt"] = _corrupt(reading)
    if fit is not None:
        reported |= {"fits": fit.fits, "short": fit.short}
    if not form or (form in _PRIVATE and reported.get("free") is None):
        reported["declines"] = _reason(reading, form)
    return LogAnswer(**reported)


def _fits_now(view: StateView | None, one: FailureLines) -> bool | None:
    if view is None or view.state.form == START or not one.size or one.caps is None:
        return None
    return state_fit(view, Request(one.size, one.caps)).fits


def _state(reading: LogReading, form: str) -> dict[str, Any]:
    """The last state, by the form that tells it."""
    if reading.mixture is not None:
        return {}
    reported = _figures(reading)
    summary = reading.summaries.last
    report = reading.reports.last
    if form in ("summary", "summary_cut", "markdown_table") and summary is not None:
        same = [one for one in reading.summaries.kept if one.regions and one.caps == summary.caps]
        frees = [one.free for one in same]
        reported |= {
            "regions": len(summary.regions),
            "free": summary.free,
            "largest": summary.largest,
            "min": summary.min,
            "allocated": summary.used,
            **dict.fromkeys(("total", "used", "peak")),  # those of other lines are of other memory
            "cut": True if summary.totals is None else None,
            "series_free": tuple(free for free in frees if free is not None),
        }
    elif form == "mpy_tuples":
        regions = reading.tuples.regions
        reported |= {
            "regions": len(regions),
            "free": sum(region.free for region in regions),
            "largest": max(region.largest for region in regions),
            "min": sum(region.min for region in regions),
        }
    elif report is not None and form == report.form:
        names = ("total", "free", "used", "min", "largest", "peak")
        reported |= {name: getattr(report, name) for name in names}
        if reading.reports.psram is not None:
            reported["psram_free"] = reading.reports.psram.free
    elif form == "heap_dump" and reading.dump is not None:
        reported |= {"free": reading.dump.free, "largest": reading.dump.largest}
    if (reported.get("total") or 0) < (reported.get("free") or 0):
        reported["total"] = None  # that of another memory
    return reported


def _figures(reading: LogReading) -> dict[str, Any]:
    figures = primary_figures(reading)
    reported: dict[str, Any] = {
        "free_internal": reading.figures.last("internal", "free"),
        "psram_free": reading.figures.last("spiram", "free"),
        "gc_free": reading.python.free,
        "gc_mem_free": reading.python.mem_free,
    }
    if figures is not None and figures.memory != "wifi":
        names = ("free", "largest", "min", "total", "used", "peak")
        reported |= {name: getattr(figures, name) for name in names}
    if figures is not None and figures.series:
        reported["series_free"] = figures.series
    systems = reading.systems
    if systems.nuttx is not None:
        reported |= {name: getattr(systems.nuttx, name) for name in _NUTTX}
    if systems.zephyr is not None and systems.zephyr_free:
        reported["largest"] = max(max(systems.zephyr_free) * _ZEPHYR_UNIT - _ZEPHYR_HEADER, 0)
    if systems.lvgl is not None and figures is None:
        reported |= {"used": systems.lvgl.used, "largest": systems.lvgl.largest}
    if systems.px4 is not None:
        total, used = systems.px4.total or 0, systems.px4.used or 0
        reported |= {"total": total, "used": used, "peak": systems.px4.peak, "free": total - used}
    if systems.ovms is not None:
        reported |= {"free": systems.ovms.free, "total": systems.ovms.total}
    if systems.tasmota is not None and systems.tasmota.free is not None:
        reported["free_kb"] = systems.tasmota.free // 1024
    if systems.tasmota_psram is not None and systems.tasmota_psram.total:
        reported["psram_free"] = systems.tasmota_psram.free
    return reported


def _boot(reading: LogReading, form: str) -> dict[str, Any]:
    boot = reading.boots.listed
    reported: dict[str, Any] = {}
    if boot is not None and boot.regions and boot is not reading.boots.mixed:
        reported = {"boot_regions": len(boot.regions), "boot_bytes": boot.bytes}
        if boot.cut_line is not None and form == "boot":
            reported["cut"] = True
    pools = [one.psram for one in reading.boots.all_known() if one.psram]
    if pools:
        reported["psram_bytes"] = pools[-1]
    return reported


def _special(reading: LogReading) -> dict[str, Any]:
    trace = reading.trace
    if trace.leaked:
        return {"leaked_bytes": trace.left_bytes, "leaked_blocks": trace.left_blocks}
    return {}


def _error(reading: LogReading) -> ErrorCode | None:
    error = reading.errors.first
    if error is None:
        return None
    return ErrorCode(
        code=error.code,
        call=printable(error.call),
        meaning=meaning_of(error.code),
        no_memory=error.no_memory,
    )


NO_LINE = "no line tells of a heap"
NO_PROGRAM = "its lines that speak of one are sentences or source code, and no program's output"
_SENTENCE = "a sentence or source code"
_TRIED_MAX = 64  # failures that are tried in the last summary
#: Bytes of a unit of Zephyr's heap, and of the header of a chunk (lib/heap/heap.h, small heaps).
_ZEPHYR_UNIT, _ZEPHYR_HEADER = 8, 4
_NUTTX = ("total", "used", "free", "largest", "peak")
_KINDS = {"data": "invalid_data"}


def _corrupt(reading: LogReading) -> CorruptPlace | None:
    if not reading.corrupt:
        return None
    first = reading.corrupt[0]
    assertion = first.address is None and first.text.endswith((".c", ".h"))
    places = tuple(f"{one.address:#010x}" for one in reading.corrupt if one.address is not None)
    kind = "tlsf_assert" if assertion else _KINDS.get(first.name, first.name)
    where = first.name if assertion else first.text or None
    at: str | tuple[str, ...] | None = places if kind == "invalid_data" else None
    if at is None and places:
        at = places[0]
    return CorruptPlace(kind=kind, at=at, where=where and printable(where))


#: Forms of systems whose heaps have no model here.
_PRIVATE = {
    "optee": "OP-TEE's own line: its heap is not known here",
    "mbed": "the line of Mbed OS: its heap is not known here",
    "task_private": "a table of a program's own: what tasks hold, and nothing of the whole heap",
}


def _reason(reading: LogReading, form: str) -> str:
    if form in _PRIVATE:
        return _PRIVATE[form]
    if reading.foreign is not None:
        return f"its figures are of another machine: {reading.foreign.text}"
    if reading.failures.others:
        return f"a line only looks like one about it: {reading.failures.others[0].text}"
    reasons = {fact.text for fact in reading.unread}
    return NO_PROGRAM if reasons == {_SENTENCE} else NO_LINE
