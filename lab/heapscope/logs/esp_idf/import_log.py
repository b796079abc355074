"""`import`: a device's log to its answer, and to a trace where it holds one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path

from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.base.request import Request
from heapscope.logs.answer.answered import answered
from heapscope.logs.answer.log_result import LogResult
from heapscope.logs.esp_idf.frames import Frames
from heapscope.logs.esp_idf.heap_trace import HeapTrace, HeapTraceScanner
from heapscope.logs.esp_idf.imported_trace import (
    EspIdfImport,
    HeapTraceFacts,
    SiteUse,
    limits,
    trace_notes,
    trace_verdict,
)
from heapscope.logs.esp_idf.order import Ordered, in_order
from heapscope.logs.esp_idf.write_trace import write_trace
from heapscope.logs.reader.device import GIVEN, LOGGED
from heapscope.logs.reader.facts import read_log
from heapscope.logs.reader.logged_memory import LoggedMemory, known_chip
from heapscope.logs.reader.reading import LogReading
from heapscope.memory.layout.versions import knows_version
from heapscope.native.log import Fact
from heapscope.trace.call_sites import site_names
from heapscope.trace.metadata import CLOCK_HZ
from heapscope.trace.sniff import KeptHead, check_no_trace, looks_like
from heapscope.trace.source import STDIN, Blocks, Progress, open_blocks

_SITES_MAX = 100  # of what is not freed
_LOOKED_FOR = (
    "looked for: heap_init lines, 'Heap summary for capabilities', tables of heap use by task, "
    "heap_trace_dump(), lines of failed allocations; log them, or give another file"
)


class TraceReading(LogReading):
    """All that a log tells, with the records of its heap traces and the names of their callers."""

    def __init__(self) -> None:
        super().__init__()
        self.dumped = HeapTraceScanner()
        self.frames = Frames()

    def take(self, fact: Fact) -> None:
        super().take(fact)
        self.dumped.feed(fact, self.boots.current)
        self.frames.feed(fact)


def import_esp_idf(
    path: str | Path,
    out: str | Path | None = None,
    *,
    idf: str | None = None,
    chip: str | None = None,
    poisoning: str | None = None,
    needs: Sequence[Request] = (),
    progress: Progress | None = None,
) -> EspIdfImport:
    """Reads `path` (.zst too, "-": standard input); writes the trace `out` if the log has events.
    `needs`: as for the verb log. InputError when the log tells nothing of a heap."""
    reading = TraceReading()
    with open_blocks(path, progress=progress) as blocks:
        head = KeptHead(blocks)
        lines = read_log(head, reading)
    reading.dumped.close()
    log = answered(
        reading,
        file=blocks.name,
        lines=lines,
        needs=needs,
        chip=chip,
        idf=idf,
        poisoning=poisoning,
        notes=() if blocks.loss is None else (blocks.loss.sentence(),),
    )
    dump = reading.dumped.best
    if log.answer.form is None and dump is None:
        raise _nothing(blocks, head)
    return _imported(reading, log, dump, out, path, blocks)


def _imported(
    reading: TraceReading,
    log: LogResult,
    dump: HeapTrace | None,
    out: str | Path | None,
    path: str | Path,
    blocks: Blocks,
) -> EspIdfImport:
    ordered = None if dump is None else in_order(dump)
    trace = None if dump is None or ordered is None else _facts(reading, dump, ordered)
    wanted = "" if out is None else printable(str(out), limit=400)
    written = 0
    if out is not None and dump is not None and ordered is not None and len(ordered.events):
        written = _write(reading, log, out, path, dump, ordered)
    result = EspIdfImport(
        **{one.name: getattr(log, one.name) for one in fields(log)},
        trace=trace,
        nearest_idf=_nearest(log),
        source_loss=blocks.loss,
        out=wanted if written else "",
        bytes_written=written,
        limits=tuple(limits(log, trace)),
    )
    return replace(
        result,
        verdict=(*log.verdict, *trace_verdict(trace, wanted)),
        notes=(*log.notes, *(() if trace is None else trace_notes(trace))),
        next=_next(result),
    )


def _nothing(blocks: Blocks, head: KeptHead) -> InputError:
    check_no_trace(head.kept, name=blocks.name, wanted="a log", remedy="give a device's log")
    what, _ = looks_like(head.kept)
    what = "is a log" if "log" in what or "text" in what else what
    loss = "" if blocks.loss is None else f"; {blocks.loss.sentence()}"
    return InputError(
        f"{blocks.name}: nothing about a heap in it: it {what}{loss}", remedy=_LOOKED_FOR
    )


def _nearest(log: LogResult) -> str:
    """For --idf, where the log's own version does not do."""
    data = known_chip(log.chip) if log.chip else None
    version = LoggedMemory(data, log.idf).version
    if data is None or version is None:
        return ""
    reported = log.idf_source == LOGGED and knows_version(data, log.idf)
    return "" if reported else version.name


def _next(result: EspIdfImport) -> tuple[str, ...]:
    """The words of the next command after heapscope: a replay where there is a trace."""
    file = STDIN if result.file == "standard input" else result.file
    idf = ("--idf", result.nearest_idf) if result.nearest_idf else ()
    chip = ("--chip", result.chip) if result.chip_source == GIVEN else ()
    if result.out and result.boot:
        return "replay", result.out, "--boot-log", file, *chip, *idf
    if result.out:
        return "replay", result.out, "--chip", result.chip or "esp32", *idf
    if result.next[:1] == ("replay",):
        return *result.next, *chip, *idf
    return result.next


def _facts(reading: TraceReading, dump: HeapTrace, ordered: Ordered) -> HeapTraceFacts:
    callers = enumerate(dump.sites)
    sites = site_names({index: reading.frames.site(one) for index, one in callers})
    same = ("boot", "capacity", "complete", "cut_records", "dropped", "line", "lost", "mode")
    more = ("overflowed", "stated_bytes", "total_allocations", "total_frees")
    return HeapTraceFacts(
        **vars(ordered.counts),
        **{name: getattr(dump, name) for name in (*same, *more)},
        uptime_ms=dump.uptime,
        dumps=reading.dumped.dumps,
        records=len(dump),
        stated_records=dump.records,
        sites=len(dump.sites) - 1,
        alive_sites=tuple(
            SiteUse(name=sites[site], blocks=blocks, bytes=size)
            for site, blocks, size in ordered.alive_by_site[:_SITES_MAX]
        ),
        named_frames=len(reading.frames),
        clock_hz=_clock(reading),
    )


def _clock(reading: LogReading) -> int | None:
    return next((one.clock_hz for one in reading.boots.all_known() if one.clock_hz), None)


def _write(
    reading: TraceReading,
    log: LogResult,
    out: str | Path,
    path: str | Path,
    dump: HeapTrace,
    ordered: Ordered,
) -> int:
    failed = [one for one in reading.failures.whole if dump.boot_line <= one.line < dump.line]
    facts = {
        "sdk": f"esp-idf {log.idf}" if log.idf else "",
        "chip": log.chip,
        "poisoning": log.poisoning,
        "tracking": "1" if log.task_tables else "",
        CLOCK_HZ: str(_clock(reading) or ""),
    }
    return write_trace(
        out, dump, ordered, failed=failed, frames=reading.frames, facts=facts, file=path
    )
