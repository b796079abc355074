"""The heap as a device's log tells it: the answer first, then where it comes from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rich.console import RenderableType
from rich.text import Text

from heapscope.capture.esp_idf.fits import Answer, RegionRoom
from heapscope.capture.esp_idf.log_facts import EspIdfImport, SummaryView
from heapscope.capture.esp_idf.sentences import span
from heapscope.measure.wording import plural
from heapscope.report.next_command import next_command
from heapscope.report.table import NOTHING, Cell, Said, Table, headed
from heapscope.trace.source import STDIN

#: Rows of a table; --json has all of them.
SHOWN = 20

STYLES = {Answer.YES: "green", Answer.NO: "red", Answer.UNKNOWN: "yellow"}
TONES = {Answer.YES: "better", Answer.NO: "worse", Answer.UNKNOWN: "close"}


def esp_idf_parts(result: EspIdfImport) -> Iterator[RenderableType]:
    """The next command comes last, ready to be copied."""
    yield _title(result)
    for sentence, style in _verdict(result):
        yield Text(sentence, style=style)
    yield _summary(result)
    yield _over_time(result)
    yield from _failed(result)
    yield _tasks(result)
    yield from _trace(result)
    yield _boot_regions(result)
    yield Text()
    yield Text("Left open by this log", style="bold")
    for sentence in result.limits:
        yield Text(f"  {sentence}")
    for message in result.messages:
        yield Text(f"note: {message}", style="yellow")
    if words := _next(result):
        yield next_command(*words)
    else:
        what = "log heap_caps_print_heap_info(MALLOC_CAP_8BIT) to ask what would fit"
        yield Text(f"next: {what}", style="dim")


def _title(result: EspIdfImport) -> Text:
    found = [plural(result.lines, "line"), result.chip or "chip unknown"]
    found.append(f"ESP-IDF {result.idf}" if result.idf else "version unknown")
    if result.boots > 1:
        found.append(f"boot {result.boot} of {result.boots}")
    return Text.assemble((result.file, "bold"), f": {', '.join(found)}")


def _verdict(result: EspIdfImport) -> Iterator[tuple[str, str]]:
    """The first sentences are the answers to the needs, then comes what failed."""
    for index, sentence in enumerate(result.verdict):
        if index < len(result.needs):
            yield sentence, f"bold {STYLES[result.needs[index].answer]}"
        else:
            failed = index == len(result.needs) and result.failed > 0
            yield sentence, "bold red" if failed else ""


def _summary(result: EspIdfImport) -> Table:
    view = result.summary
    if view is None or not view.regions:
        return NOTHING
    asked = [need for need in result.needs if need.view is view]
    regions = headed(
        "Region",
        *("#length", "#free", "#minimum free", "#largest reported", "#largest free", "#fits up to"),
        unit="B",
    )
    needs = headed(*(f"#{need.size:,} {need.capabilities}" for need in asked))
    return Table(
        title=f"Regions with {view.capabilities} in the order of requests, {view.place()}",
        columns=(*regions, *needs),
        rows=tuple(
            (*_region(one), *(_answer(need.regions[index].answer) for need in asked))
            for index, one in enumerate(view.regions)
        ),
        most=len(view.regions),
    )


def _region(one: RegionRoom) -> tuple[Cell, ...]:
    free, served = one.largest_free, one.largest_allocatable
    return (
        one.name,
        one.length,
        one.free,
        one.minimum_free,
        one.largest,
        "?" if free is None else span(free),
        "?" if served is None else span(served),
    )


def _answer(answer: Answer | None) -> Said | None:
    if answer is None:
        return None
    return Said("?" if answer == Answer.UNKNOWN else answer.value, tone=TONES[answer])


def _over_time(result: EspIdfImport) -> Table:
    """The first, the tightest and the last of the same capabilities."""
    view = result.summary
    if view is None:
        return NOTHING
    same = [one for one in result.views if one.summary.caps == view.summary.caps]
    named = {"first": same[0], "tightest": result.tightest, "last": same[-1]}
    figures = ("#free", "#minimum free", "#largest reported", "#fits up to")
    return Table(
        title="Over time",
        columns=headed(f"{len(same):,} summaries", "when", *figures, unit="B"),
        rows=tuple(_moment(name, one) for name, one in named.items() if one is not None)
        if len(same) > 1
        else (),
    )


def _moment(name: str, view: SummaryView) -> tuple[Cell, ...]:
    figures = (view.free, view.minimum_free, view.largest_reported, span(view.largest_allocatable))
    return (name, view.place(), *figures)


def _failed(result: EspIdfImport) -> Iterator[RenderableType]:
    yield Table(
        title="Failed requests",
        columns=headed("Failed request", "#bytes", "#times", "#fits in summary", "first", "last"),
        rows=tuple(
            (
                f"{group.function or 'not told'} ({group.capabilities})",
                group.size,
                group.count,
                _answer(group.fits_in_last_summary),
                group.first.place(),
                group.last.place(),
            )
            for group in result.failed_groups
        ),
        most=SHOWN,
    )
    if result.failed_texts:
        lines = "\n".join(f"  {text}" for text in result.failed_texts)
        yield Text()
        yield Text.assemble(("Lack of memory without a size\n", "bold"), lines)


def _tasks(result: EspIdfImport) -> Table:
    figures = ("#bytes", "#at first", "#peak", "#blocks")
    return Table(
        title="Heap use by task",
        columns=headed("Task", "status", *figures, "columns as printed"),
        rows=tuple(
            (
                task.name,
                task.status.lower() or None,
                task.current,
                task.first,
                task.peak,
                sum(heap.blocks for heap in task.heaps) if task.heaps else None,
                ", ".join(f"{name} {value:,}" for name, value in task.by_caps.items()) or None,
            )
            for task in result.tasks
        ),
        most=SHOWN,
    )


def _trace(result: EspIdfImport) -> Iterator[Table]:
    trace = result.trace
    if trace is None:
        return
    yield Table(
        title=f"Heap trace, {trace.moment.place()}",
        columns=headed("Heap trace", "#"),
        rows=(
            ("records read", trace.records),
            ("allocations on the device", trace.total_allocations),
            ("frees on the device", trace.total_frees),
            ("allocations", trace.allocations),
            ("reallocs", trace.reallocs),
            ("frees", trace.frees),
            ("bytes not freed", trace.alive_bytes),
            ("live bytes at most", trace.peak_most),
            ("call sites", trace.sites),
        ),
    )
    site, *figures = headed("Not freed, by call site", "#blocks", "#bytes")
    yield Table(
        title="Call sites",
        columns=(replace(site, site=True), *figures),
        rows=tuple((one.name, one.blocks, one.bytes) for one in trace.alive_sites),
        most=SHOWN,
    )


def _boot_regions(result: EspIdfImport) -> Table:
    """Only where no heap summary shows them."""
    regions = () if result.views else result.regions
    return Table(
        title="Regions of the boot lines",
        columns=headed("Region", "#length", "#line"),
        rows=tuple((f"{r.kind} {r.start:#010x}", r.size, r.line) for r in regions),
    )


def _next(result: EspIdfImport) -> tuple[str, ...]:
    """The command by its words; none where the log has nothing to go on from."""
    file = STDIN if result.file == "standard input" else result.file
    idf = ("--idf", result.nearest_idf) if result.nearest_idf else ()
    chip = ("--chip", result.chip) if result.chip_source != "log" and result.chip else ()
    if result.out and result.regions:
        return "replay", result.out, "--boot-log", file, *chip, *idf
    if result.out:
        return "replay", result.out, "--chip", result.chip or "esp32", *idf
    if result.trace is not None:
        return "import", "esp-idf", file, "-o", "T.hst"
    if result.views and not result.needs:
        size = max((group.size for group in result.failed_groups), default=16717)
        return "import", "esp-idf", file, "--need", str(size)
    if result.regions:
        return "replay", "T.hst", "--boot-log", file, *chip, *idf
    return ()
