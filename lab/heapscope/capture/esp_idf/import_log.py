"""`import esp-idf`: a device's log to an answer, and to a trace where it holds one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from heapscope.capture.esp_idf.boot import Boot
from heapscope.capture.esp_idf.contents import LogContents, read_contents
from heapscope.capture.esp_idf.device import LOGGED, Device, identify
from heapscope.capture.esp_idf.failed import FailedGroup
from heapscope.capture.esp_idf.fits import Answer, ask, figures_of, largest, rooms_of
from heapscope.capture.esp_idf.heap_trace import HeapTrace
from heapscope.capture.esp_idf.log_facts import (
    EspIdfImport,
    HeapTraceFacts,
    LoggedNeed,
    SiteUse,
    SummaryView,
)
from heapscope.capture.esp_idf.logged_memory import LoggedMemory
from heapscope.capture.esp_idf.order import Ordered, in_order
from heapscope.capture.esp_idf.rounding import RoundingRule, candidates, rules_of
from heapscope.capture.esp_idf.sentences import limits, messages, verdict
from heapscope.capture.esp_idf.summary import LoggedRegion
from heapscope.capture.esp_idf.write_trace import write_trace
from heapscope.errors import InputError
from heapscope.layout.boot_lines import pool_bytes
from heapscope.layout.capabilities import DEFAULT, INTERNAL
from heapscope.layout.versions import knows_version
from heapscope.trace.call_sites import site_names
from heapscope.trace.metadata import CLOCK_HZ
from heapscope.trace.names import printable
from heapscope.trace.sniff import KeptHead, check_no_trace, looks_like
from heapscope.trace.source import Blocks, Progress, open_blocks

_SITES_MAX = 100  # of what is not freed
_LOOKED_FOR = (
    "looked for: heap_init lines, 'Heap summary for capabilities', tables of heap use by task, "
    "heap_trace_dump(), lines of failed allocations; log them, or give another file"
)


def import_esp_idf(
    path: str | Path,
    out: str | Path | None = None,
    *,
    idf: str | None = None,
    chip: str | None = None,
    poisoning: str | None = None,
    needs: Sequence[tuple[int, int]] = (),
    progress: Progress | None = None,
) -> EspIdfImport:
    """Reads `path` (.zst too, "-": standard input); writes the trace `out` if the log has events.
    `needs`: (bytes, capabilities), 0: malloc's. InputError when the log tells nothing of a heap."""
    with open_blocks(path, progress=progress) as blocks:
        head = KeptHead(blocks)
        contents = read_contents(head)
    boot = contents.boot
    device = identify(boot, chip=chip, idf=idf)
    if boot.empty:
        raise _nothing(blocks, head)
    views, rules, odd = _views(boot, device, poisoning)
    result = _result(contents, blocks, device, views, rules, poisoning)
    memory = LoggedMemory(device.data, device.version, psram=pool_bytes(boot.psram) or 0)
    asked = tuple(_need(*need, views, memory, boot) for need in dict.fromkeys(needs))
    result = replace(result, needs=asked)
    dump = boot.traces.best
    if dump is not None:
        ordered = in_order(dump)
        result = replace(result, trace=_facts(boot, dump, ordered))
        if out is not None:
            result = _write(result, out, path, boot, device, dump, ordered)
    result = replace(result, wanted_out="" if out is None else printable(str(out), limit=400))
    result = replace(result, limits=tuple(limits(result)))
    notes = (*messages(result, contents, odd), *device.notes)
    return replace(result, verdict=tuple(verdict(result)), messages=notes)


def _nothing(blocks: Blocks, head: KeptHead) -> InputError:
    check_no_trace(head.kept, name=blocks.name, wanted="a log", remedy="give a device's log")
    what, _ = looks_like(head.kept)
    what = "is a log" if "log" in what or "text" in what else what
    loss = "" if blocks.loss is None else f"; {blocks.loss.sentence()}"
    return InputError(
        f"{blocks.name}: nothing about a heap in it: it {what}{loss}", remedy=_LOOKED_FOR
    )


def _views(
    boot: Boot, device: Device, poisoning: str | None
) -> tuple[tuple[SummaryView, ...], tuple[RoundingRule, ...], int]:
    """Every summary read by the rules that explain all of them; and how many regions they do not
    explain."""
    states = [state for summary in boot.summaries for state in summary.regions]
    rules, odd = _rules(boot.tasks.tables > 0, device, poisoning, states)
    memory = LoggedMemory(device.data, device.version, boot.regions)
    views = []
    for summary in boot.summaries:
        rooms = rooms_of(summary, memory, rules)
        views.append(SummaryView.of(summary, rooms, largest(rooms, 0)))
    return tuple(views), rules, odd


def _rules(
    tracking: bool, device: Device, poisoning: str | None, states: Sequence[LoggedRegion]
) -> tuple[tuple[RoundingRule, ...], int]:
    """Task tables say that tasks are tracked, unless the figures say that they are not. An
    allocator in ROM is thought of only where the version's own does not explain the figures."""
    seen = [figures_of(state) for state in states]
    found = []
    for rom in (False, True):
        for tracked in (True, False) if tracking else (False,):
            rules = rules_of(device.version, poisoning=poisoning, tracking=tracked, rom=rom)
            if rules:
                found.append(candidates(rules, seen))
    return min(found, key=lambda pair: pair[1])


def _result(
    contents: LogContents,
    blocks: Blocks,
    device: Device,
    views: tuple[SummaryView, ...],
    rules: tuple[RoundingRule, ...],
    poisoning: str | None,
) -> EspIdfImport:
    boot, failed = contents.boot, contents.boot.failed
    memory = LoggedMemory(device.data, device.version)
    main = _main(views, memory)
    read_by = rules if views else ()
    poisoned = {rule.poisoned for rule in read_by}
    seen = ("light" if True in poisoned else "none") if len(poisoned) == 1 else ""
    return EspIdfImport(
        file=blocks.name,
        lines=contents.lines,
        boots=contents.boots,
        boot=boot.number,
        left_out=contents.left_out,
        chip=device.chip,
        chip_source=device.chip_source,
        idf="" if device.version is None else device.version.text,
        idf_source=device.version_source,
        nearest_idf=_nearest(device),
        rules=tuple(dict.fromkeys(rule.name for rule in read_by)),
        poisoning=poisoning or seen,
        source_loss=blocks.loss,
        regions=tuple(boot.regions),
        summary_count=boot.summary_count,
        views=views,
        summary=main,
        tightest=_tightest(views, main),
        needs=(),
        task_tables=boot.tasks.tables,
        tasks=boot.tasks.tasks(),
        failed=failed.count,
        failed_groups=tuple(_asked(failed.groups(), main, memory)),
        failed_zero_sized=failed.zero_sized,
        failed_without_size=failed.without_size,
        failed_texts=tuple(failed.texts),
    )


def _asked(
    groups: Sequence[FailedGroup], view: SummaryView | None, memory: LoggedMemory
) -> Iterator[FailedGroup]:
    for one in groups:
        fits = None
        if view is not None and view.regions:
            fits = ask(one.size, one.caps, view.summary, view.regions, memory).answer
        yield replace(one, fits_in_last_summary=fits)


def _nearest(device: Device) -> str:
    """For --idf, where the log's own version does not do."""
    version = LoggedMemory(device.data, device.version).version
    if device.data is None or version is None:
        return ""
    told = device.version is not None and device.version_source == LOGGED
    known = device.version is not None and knows_version(device.data, device.version.text)
    return "" if told and known else version.name


def _main(views: Sequence[SummaryView], memory: LoggedMemory) -> SummaryView | None:
    """The last summary that has all regions of malloc, or else the last that has any."""
    with_regions = [view for view in views if view.regions] or list(views)
    covering = [view for view in with_regions if _covers(view, 0, memory)]
    chosen = covering or with_regions
    return chosen[-1] if chosen else None


def _covers(view: SummaryView, caps: int, memory: LoggedMemory) -> bool:
    printed = view.summary.caps
    bits = caps or DEFAULT | INTERNAL
    return printed is not None and not memory.others_may_serve(bits, printed)


def _tightest(views: Sequence[SummaryView], main: SummaryView | None) -> SummaryView | None:
    """The one with the smallest largest block, among those of the same capabilities."""
    if main is None:
        return None
    same = [view for view in views if view.summary.caps == main.summary.caps and view.regions]
    return min(same, key=_tightness, default=main)


def _tightness(view: SummaryView) -> tuple[int, int]:
    block = view.largest_reported
    if view.largest_allocatable is not None:
        block = view.largest_allocatable.least
    return block or 0, view.free


def _need(
    size: int, caps: int, views: Sequence[SummaryView], memory: LoggedMemory, boot: Boot
) -> LoggedNeed:
    covering = [view for view in views if view.regions and _covers(view, caps, memory)]
    asked = covering or [view for view in views if view.regions]
    answers = [ask(size, caps, view.summary, view.regions, memory) for view in asked]
    counts = {kind: sum(one.answer == kind for one in answers) for kind in Answer}
    failing = (v for v, a in zip(asked, answers, strict=True) if a.answer == Answer.NO)
    if not answers:
        why = "the log has no heap summary"
        if boot.regions and size > max(region.size for region in boot.regions):
            why = "no region of the boot lines is as large, so it never fits"
        return LoggedNeed(size=size, caps=caps, answer=Answer.UNKNOWN, why=why)
    return LoggedNeed(
        size=size,
        caps=caps,
        **vars(answers[-1]),
        view=asked[-1],
        summaries_fit=counts[Answer.YES],
        summaries_fit_not=counts[Answer.NO],
        summaries_not_told=counts[Answer.UNKNOWN],
        first_not=next(failing, None),
    )


def _facts(boot: Boot, dump: HeapTrace, ordered: Ordered) -> HeapTraceFacts:
    sites = site_names(tuple(boot.frames.site(callers) for callers in dump.sites))
    return HeapTraceFacts(
        **vars(ordered.counts),
        moment=dump.moment,
        dumps=boot.traces.dumps,
        complete=dump.complete,
        mode=dump.mode,
        records=len(dump),
        stated_records=dump.records,
        capacity=dump.capacity,
        total_allocations=dump.total_allocations,
        total_frees=dump.total_frees,
        stated_bytes=dump.stated_bytes,
        overflowed=dump.overflowed,
        cut_records=dump.cut_records,
        dropped=dump.dropped,
        lost=dump.lost,
        sites=len(dump.sites) - 1,
        alive_sites=tuple(
            SiteUse(name=sites[site], blocks=blocks, bytes=size)
            for site, blocks, size in ordered.alive_by_site[:_SITES_MAX]
        ),
        named_frames=len(boot.frames),
        clock_hz=boot.clock_hz,
    )


def _write(
    result: EspIdfImport,
    out: str | Path,
    path: str | Path,
    boot: Boot,
    device: Device,
    dump: HeapTrace,
    ordered: Ordered,
) -> EspIdfImport:
    if len(ordered.events) == 0:
        return result
    failed = [one for one in boot.failed.kept if one.moment.line < dump.moment.line]
    facts = {
        "sdk": f"esp-idf {device.version.text}" if device.version else "",
        "chip": device.chip,
        "poisoning": result.poisoning,
        "tracking": "1" if boot.tasks.tables else "",
        CLOCK_HZ: str(boot.clock_hz) if boot.clock_hz else "",
    }
    written = write_trace(
        out, dump, ordered, failed=failed, frames=boot.frames, facts=facts, file=path
    )
    return replace(result, out=printable(str(out), limit=400), bytes_written=written)
