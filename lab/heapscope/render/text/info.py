"""The contents of a trace."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from heapscope.base.printable import printable
from heapscope.base.wording import plural, size
from heapscope.config.chip_data import chip_files, read_chip
from heapscope.memory.layout.allocator import host_model, unmodelled
from heapscope.memory.layout.versions import knows_version
from heapscope.render.text.next_command import loss_lines, next_command
from heapscope.trace.clock import moment_of, since_start
from heapscope.trace.info import EventCounts, MarkAt, TraceInfo
from heapscope.trace.loss import is_cut
from heapscope.trace.metadata import ALLOCATOR
from heapscope.trace.provenance import of_a_late_start, of_a_part
from heapscope.trace.recording import ChipRecording, LevelAt

#: Names listed at most; --json has all of them.
SHOWN = 12
#: Characters shown of what a trace says of itself; --json has more.
TEXT_SHOWN = 200


def info_parts(info: TraceInfo) -> Iterator[RenderableType]:
    grid = Table.grid(padding=(0, 2))
    for name, value in _facts(info):
        grid.add_row(Text(name, style="dim"), Text(value, overflow="fold"))
    yield Text(info.file, style="bold")
    if info.loss is not None:
        yield from loss_lines(info.loss, counted=True)
    yield grid
    if info.loss is None:
        for message in info.health.messages:
            yield Text(f"damage: {message}", style="yellow")
    chip = info.metadata.get("chip", "")
    if chip in chip_files():
        yield next_command("replay", info.file, *_memory(info, chip))
    elif chip or info.recording is not None:
        yield Text(_unknown_memory(chip))
    else:  # a program's events, which no memory belongs to
        yield next_command(*_next(info))


def _next(info: TraceInfo) -> tuple[str, ...]:
    """The question that suits the heap of a program."""
    model = host_model(info.metadata.get(ALLOCATOR, ""))
    if model:
        return "fit", info.file, "--allocator", model
    return "replay", info.file, "--chip", "esp32"


def _unknown_memory(chip: str) -> str:
    """The lab does not guess which memory a device has."""
    named = printable(chip, limit=TEXT_SHOWN)
    whose = f"its chip, '{named}', is not known here" if chip else "it names no chip"
    return (
        f"To replay it, say which memory the device has: {whose}. "
        "--layout F.toml describes it (docs/reference/layout.md), --chip names a chip that is "
        "known, --boot-log takes what an ESP-IDF program printed at its start."
    )


def _memory(info: TraceInfo, chip: str) -> tuple[str, ...]:
    """The options by which a replay is on the memory of the device that the trace names."""
    sdk = info.metadata.get("sdk", "")
    known = sdk and knows_version(read_chip(chip), sdk)
    return ("--chip", chip, *(("--idf", sdk) if known else ()))


def _facts(info: TraceInfo) -> Iterator[tuple[str, str]]:
    least, end = ("at least ", "loss") if is_cut(info.loss) else ("", "end")
    yield "events", least + _events(info.events)
    if info.seconds is not None:
        yield "span", f"{least}{info.seconds:,.3f} s"
    yield "live peak", least + _peak(info)
    if info.loss is None or info.loss.event != 0:
        live = f"{size(info.live_end)} in {plural(info.live_blocks_end, 'block')}"
        yield f"live at the {end}", live
    yield "largest request", least + size(info.largest_request)
    if info.requests_above_32_bits:
        yield "beyond 32 bits", least + plural(info.requests_above_32_bits, "request")
    tasks = [task.name for task in info.tasks]
    yield "tasks", _list(tasks, info.task_count, least, named=" with events")
    if info.site_count:
        yield "sites", f"{least}{info.site_count:,}"
    if info.events.marks:
        marks = [_mark(mark, info.seconds) for mark in info.marks]
        yield "marks", _list(marks, info.events.marks, least)
    if info.recording is not None:
        yield from _recording(info.recording)
    yield from _origin(info)


def _recording(chip: ChipRecording) -> Iterator[tuple[str, str]]:
    if chip.begins_with_snapshot:
        began = "the first whole snapshot, which did not come"
        if chip.start_blocks or chip.snapshots:
            live = f"{size(chip.start_bytes)} in {plural(chip.start_blocks, 'block')}"
            began = f"a snapshot: {live} live"
        yield "begins with", f"{began}; {plural(chip.events_before, 'event')} before it"
    if chip.ending == "stopped":
        yield (
            "ends",
            "where its listener stopped, between two chunks: nothing is known to be missing",
        )
    if chip.other_boots:
        yield "other boots", "another one follows in this file and is not read"
    if chip.snapshots or chip.void_snapshots:
        void = f", {chip.void_snapshots:,} more not whole" if chip.void_snapshots else ""
        wrong = f", {plural(chip.corrections, 'block')} corrected" if chip.corrections else ""
        known = "known" if chip.known else "not known"
        yield "snapshots", f"{chip.snapshots:,}{void}{wrong}; live blocks at the end: {known}"
    if chip.losses:
        rows = [f"{row.events:,} {row.kind} ({size(row.bytes)})" for row in chip.missing]
        left = f"; {chip.left_out:,} of them left out on purpose" if chip.left_out else ""
        yield "told missing", f"{', '.join(rows)}, in {plural(chip.losses, 'gap')}{left}"
    if chip.pairs:
        pairs = plural(chip.pairs, "allocation")
        yield "pairs", f"{pairs} ({size(chip.pair_bytes)}) counted with their frees, not recorded"
    if len(chip.levels) > 1 or any(row.level != "all" for row in chip.levels):
        yield "levels", _list([_level(row) for row in chip.levels], len(chip.levels))
    if chip.cores:
        handlers = " and in interrupts" if chip.handlers else ""
        yield "ran on", f"{plural(chip.cores, 'core')}{handlers}"


def _level(row: LevelAt) -> str:
    what = f"{row.level} (1 of {row.sampled})" if row.level == "sampled" else row.level
    least = f" from {size(row.least)}" if row.least else ""
    most = f" up to {size(row.most)}" if row.most else ""
    more = " of some requests" if row.task is not None or row.capabilities else ""
    return f"{what}{least}{most}{more} at event {row.event:,} ({row.reason})"


def _origin(info: TraceInfo) -> Iterator[tuple[str, str]]:
    if info.word_size is not None:
        yield "word size", _word_size(info.word_size)
    without_model = unmodelled(info.metadata)
    if without_model:
        yield "match rate", f"not applicable: {without_model} names no model"
    for limit in filter(None, (of_a_part(info.metadata), of_a_late_start(info.metadata))):
        yield "limit", limit
    features = ", ".join(info.features) or "none"
    yield "trace", f"{size(info.size)}, format {info.version}, features: {features}"
    for key, value in info.metadata.items():
        if key != "word_size":
            yield key, printable(value, limit=TEXT_SHOWN)


def _word_size(result: int) -> str:
    note = "" if result <= 4 else ": its sizes are not a chip's, pointers take twice the room"
    return plural(result, "byte") + note


def _events(counts: EventCounts) -> str:
    kinds = {
        "malloc": counts.mallocs,
        "calloc": counts.callocs,
        "aligned": counts.aligneds,
        "realloc": counts.reallocs,
        "free": counts.frees,
        "failed": counts.failed,
    }
    parts = ", ".join(f"{number:,} {kind}" for kind, number in kinds.items() if number)
    return f"{counts.total:,} ({parts})" if parts else "0"


def _peak(info: TraceInfo) -> str:
    at = ""
    if info.live_peak_event is not None:
        at = f" at {_when(info.live_peak_event, info.live_peak_seconds, info.seconds)}"
    blocks = plural(info.live_blocks_peak, "block")
    if is_cut(info.loss):
        return f"{size(info.live_peak)}; at least {blocks}"
    return f"{size(info.live_peak)}{at}; at most {blocks}"


def _mark(mark: MarkAt, span: float | None) -> str:
    """`span`: seconds of the trace."""
    if mark.event is None:
        return mark.name
    return f"{mark.name} ({_when(mark.event, mark.seconds, span)})"


def _when(event: int, seconds: float | None, span: float | None) -> str:
    return moment_of(event, None if seconds is None else since_start(seconds, span or 0))


def _list(names: list[str], number: int, least: str = "", *, named: str = "") -> str:
    """`number`: of all of them. `least`: before a number that is a bound. `named`: what the number
    is of, where more have a name."""
    if not names:
        return f"{least}{number:,}"
    if len(names) > number:
        return f"{least}{number:,}{named}; names: {', '.join(names[:SHOWN])}"
    rest = number - min(len(names), SHOWN)
    more = [f"and {rest:,} more"] if rest > 0 else []
    return f"{least}{number:,}: " + ", ".join([*names[:SHOWN], *more])
