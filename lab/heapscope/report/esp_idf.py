"""The heap as a device's log tells it: the answer first, then where it comes from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console, RenderableType
from rich.text import Text

from heapscope.capture.esp_idf.fits import Answer, RegionRoom
from heapscope.capture.esp_idf.log_facts import EspIdfImport, SummaryView
from heapscope.capture.esp_idf.sentences import span
from heapscope.layout import capabilities
from heapscope.measure.wording import plural
from heapscope.report.next_command import print_next
from heapscope.report.table import Cell, Column, table
from heapscope.trace.source import STDIN

__all__ = ["SHOWN", "print_esp_idf"]

#: Rows of a table; --json has all of them.
SHOWN = 20

STYLES = {Answer.YES: "green", Answer.NO: "red", Answer.UNKNOWN: "yellow"}


def print_esp_idf(result: EspIdfImport, target: Console) -> None:
    """Sections without content are left out. The next command comes last, ready to be copied."""
    width = target.width
    target.print(_title(result))
    for sentence, style in _verdict(result):
        target.print(Text(sentence, style=style))
    target.print()
    for part in (
        *_summary(result, width),
        *_over_time(result, width),
        *_failed(result, width),
        *_tasks(result, width),
        *_trace(result, width),
        *_boot_regions(result, width),
    ):
        target.print(part)
        target.print()
    target.print(Text("What this log does not tell", style="bold"))
    for sentence in result.limits:
        target.print(Text(f"  {sentence}"))
    for message in result.messages:
        target.print(Text(f"note: {message}", style="yellow"))
    if words := _next(result):
        print_next("heapscope", *words, target=target)
    else:
        what = "log heap_caps_print_heap_info(MALLOC_CAP_8BIT) to ask what would fit"
        target.print(Text(f"next: {what}", style="dim"))


def _title(result: EspIdfImport) -> Text:
    source = result.source
    found = [plural(source.lines, "line"), source.chip or "chip unknown"]
    found.append(f"ESP-IDF {source.idf}" if source.idf else "version unknown")
    if source.boots > 1:
        found.append(f"boot {source.boot} of {source.boots}")
    return Text.assemble((source.file, "bold"), f": {', '.join(found)}")


def _verdict(result: EspIdfImport) -> Iterator[tuple[str, str]]:
    """The first sentences are the answers to the needs, then comes what failed."""
    for index, sentence in enumerate(result.verdict):
        if index < len(result.needs):
            yield sentence, f"bold {STYLES[result.needs[index].answer]}"
        else:
            failed = index == len(result.needs) and result.failed > 0
            yield sentence, "bold red" if failed else ""


# ---- heap summaries ------------------------------------------------------------------------------


def _summary(result: EspIdfImport, width: int) -> Iterator[RenderableType]:
    view = result.view
    if view is None or not view.rooms:
        return
    asked = [need for need in result.needs if need.view is view and need.last is not None]
    columns = [
        Column(heading="Region", name=True),
        Column(heading="length"),
        Column(heading="free"),
        Column(heading="minimum free", wide=True),
        Column(heading="largest\nreported"),
        Column(heading="largest free"),
        Column(heading="fits up to"),
        *(Column(heading=f"{need.size:,}\n{need.capabilities}") for need in asked),
    ]
    rows = [
        (*_region(one), *(_answer(need.last.regions[index]) for need in asked if need.last))
        for index, one in enumerate(view.rooms)
    ]
    title = (
        f"Regions with {view.capabilities} in the order of requests, {view.moment.place()} (bytes)"
    )
    yield table(title, columns, rows, width=width)


def _region(one: RegionRoom) -> tuple[Cell, ...]:
    state, room = one.state, one.room
    return (
        one.name,
        state.length,
        state.free,
        state.minimum_free,
        state.largest,
        "?" if room is None else span(room.largest_free),
        "?" if room is None else span(room.allocatable),
    )


def _answer(answer: Answer | None) -> Text:
    if answer is None:
        return Text("-")
    return Text("?" if answer == Answer.UNKNOWN else answer.value, style=STYLES[answer])


def _over_time(result: EspIdfImport, width: int) -> Iterator[RenderableType]:
    """The first, the tightest and the last of the same capabilities."""
    view = result.view
    if view is None:
        return
    same = [one for one in result.views if one.summary.caps == view.summary.caps]
    if len(same) < 2:
        return
    named = {"first": same[0], "tightest": result.tightest, "last": same[-1]}
    columns = (
        Column(heading=f"{len(same):,} summaries", name=True),
        Column(heading="when", name=True),
        Column(heading="free"),
        Column(heading="minimum free"),
        Column(heading="largest\nreported"),
        Column(heading="fits up to"),
    )
    rows = [_moment(name, one) for name, one in named.items() if one is not None]
    yield table("Over time (bytes)", columns, rows, width=width)


def _moment(name: str, view: SummaryView) -> tuple[Cell, ...]:
    return (
        name,
        view.moment.place(),
        view.free,
        view.minimum_free,
        view.largest,
        span(view.allocatable),
    )


# ---- the other kinds of content ------------------------------------------------------------------


def _failed(result: EspIdfImport, width: int) -> Iterator[RenderableType]:
    if result.failed_groups:
        answers = result.failed_fits or (None,) * SHOWN
        columns = (
            Column(heading="Failed request", name=True),
            Column(heading="bytes"),
            Column(heading="times"),
            Column(heading="fits in\nsummary"),
            Column(heading="first", name=True),
            Column(heading="last", name=True, wide=True),
        )
        rows = [
            (
                f"{group.function or 'not told'} ({capabilities.format(group.caps)})",
                group.size,
                group.count,
                _answer(fits),
                group.first.place(),
                group.last.place(),
            )
            for group, fits in zip(result.failed_groups[:SHOWN], answers, strict=False)
        ]
        yield table(_cut("Failed requests", result.failed_groups), columns, rows, width=width)
    if result.failed_texts:
        lines = "\n".join(f"  {text}" for text in result.failed_texts)
        yield Text.assemble(("Lack of memory without a size\n", "bold"), lines)


def _tasks(result: EspIdfImport, width: int) -> Iterator[RenderableType]:
    if not result.tasks:
        return
    columns = (
        Column(heading="Task", name=True),
        Column(heading="status", name=True),
        Column(heading="bytes"),
        Column(heading="at first"),
        Column(heading="peak"),
        Column(heading="blocks"),
        Column(heading="columns as printed", name=True, wide=True),
    )
    rows = [
        (
            task.name,
            task.status.lower() or "-",
            task.current,
            task.first,
            task.peak,
            sum(heap.blocks for heap in task.heaps) if task.heaps else None,
            ", ".join(f"{name} {value:,}" for name, value in task.by_caps) or "-",
        )
        for task in result.tasks[:SHOWN]
    ]
    yield table(_cut("Heap use by task", result.tasks), columns, rows, width=width)


def _trace(result: EspIdfImport, width: int) -> Iterator[RenderableType]:
    trace = result.trace
    if trace is None:
        return
    columns = (Column(heading="Heap trace", name=True), Column(heading=""))
    rows: list[tuple[Cell, ...]] = [
        ("records read", trace.records),
        ("allocations on the device", trace.total_allocations),
        ("frees on the device", trace.total_frees),
        ("allocations", trace.allocations),
        ("reallocs", trace.reallocs),
        ("frees", trace.frees),
        ("bytes not freed", trace.alive_bytes),
        ("live bytes at most", trace.peak_most),
        ("call sites", trace.sites),
    ]
    yield table(f"Heap trace, {trace.moment.place()}", columns, rows, width=width)
    if trace.alive_sites:
        sites = (
            Column(heading="Not freed, by call site", name=True, site=True),
            Column(heading="blocks"),
            Column(heading="bytes"),
        )
        found = [(site.name, site.blocks, site.bytes) for site in trace.alive_sites[:SHOWN]]
        yield table(_cut("Call sites", trace.alive_sites), sites, found, width=width)


def _boot_regions(result: EspIdfImport, width: int) -> Iterator[RenderableType]:
    """Only where no heap summary shows them."""
    if not result.regions or result.views:
        return
    columns = (
        Column(heading="Region", name=True),
        Column(heading="length"),
        Column(heading="line"),
    )
    rows = [(f"{r.kind} {r.start:#010x}", r.size, r.line) for r in result.regions]
    yield table("Regions of the boot lines (bytes)", columns, rows, width=width)


def _cut(title: str, rows: Sequence[object]) -> str:
    return f"{title} ({SHOWN} of {len(rows)})" if len(rows) > SHOWN else title


def _next(result: EspIdfImport) -> tuple[str, ...]:
    """The command by its words; none where the log has nothing to go on from."""
    source = result.source
    file = STDIN if source.file == "standard input" else source.file
    idf = ("--idf", source.nearest_idf) if source.nearest_idf else ()
    chip = ("--chip", source.chip) if source.chip_source != "log" and source.chip else ()
    if result.out and result.regions:
        return "replay", result.out, "--boot-log", file, *chip, *idf
    if result.out:
        return "replay", result.out, "--chip", source.chip or "esp32", *idf
    if result.trace is not None:
        return "import", "esp-idf", file, "-o", "T.hst"
    if result.views and not result.needs:
        size = max((group.size for group in result.failed_groups), default=16717)
        return "import", "esp-idf", file, "--need", str(size)
    if result.regions:
        return "replay", "T.hst", "--boot-log", file, *chip, *idf
    return ()
