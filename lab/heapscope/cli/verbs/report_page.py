"""The sides of a report, and its page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from heapscope.answers.leaks.find import find_leaks
from heapscope.answers.leaks.interval import interval
from heapscope.answers.why.explain import explain
from heapscope.answers.why.plan_find import plan_wish
from heapscope.base.extras import need as need_extra
from heapscope.base.output import open_output
from heapscope.base.printable import printable
from heapscope.base.progress import OnProgress, counted, phase
from heapscope.base.request import Request
from heapscope.cli.verbs.surveyed import surveyed
from heapscope.forecast.predict.knob_choice import choose_knobs
from heapscope.forecast.predict.memory_choice import choose_memory
from heapscope.memory.choose import choose_placement
from heapscope.memory.options import MemoryOptions
from heapscope.render.explorer.embed import (
    chip_memories,
    embed,
    memory_json,
)
from heapscope.render.explorer.written import Explorer
from heapscope.render.page.document import PageEngine, Report, html, report_parts
from heapscope.render.page.side import PageSide
from heapscope.render.text.markdown import markdown
from heapscope.simulation.result.result import ReplayResult
from heapscope.trace.all_names import read_all_names
from heapscope.trace.info import read_info
from heapscope.trace.segment import segment_of
from heapscope.trace.source import open_blocks

#: Longer traces are explained only when asked: every change is a replay of its own.
EXPLAINED_EVENTS = 500_000
#: Each column of the map is drawn from all live blocks: of very many it has fewer columns, which
#: merge in pairs.
BLOCKS_DRAWN = 100_000_000
COLUMNS_LEAST = 100


MARKDOWN = "give a name that ends in .md, for Markdown"


def explorer(out: str | Path) -> Explorer:
    """Writes the page that opens a trace, or the text of a recorder, which is dropped on it. It
    loads nothing. HeapscopeError: the build made no engine."""
    need_extra("report", "a page in HTML")
    from heapscope.render.page.explorer import explorer_html

    page = explorer_html().encode("utf-8")
    with open_output(Path(out)) as write:
        write(page)
    return Explorer(out=str(out), size=len(page))


def engine_of(
    trace: Path, options: MemoryOptions, needs: Sequence[Request], limit: int
) -> PageEngine | None:
    """The page's own replay; None: it reads no other segment of a recording than the first, or no
    event of the trace is within the limit."""
    if segment_of(trace)[1] != 1:
        return None
    layout = choose_memory(options, trace).layout
    placement = choose_placement(options, layout)
    named = layout.tenants or (placement is not None and placement.by_name)
    names = read_all_names(trace) if named else None
    own = memory_json(layout, needs=needs, placement=placement, names=names)
    with open_blocks(trace) as blocks:
        packed = embed(blocks, limit)
    if packed is None:
        return None
    return PageEngine(trace=packed, memories=(own, *chip_memories()), limit=limit)


def check_page(out: Path) -> None:
    """InputError: this page cannot be written by what is installed. It is asked before a replay,
    which may take its time."""
    if out.suffix.lower() != ".md":
        need_extra("report", f"{printable(str(out), limit=400)}: a page in HTML", instead=MARKDOWN)


def write_page(report: Report, out: Path, *, inputs: Sequence[Path]) -> int:
    """Writes the page, Markdown where the name ends with .md, whole or not at all, and returns its
    bytes."""
    check_page(out)
    text = markdown(report_parts(report)) if out.suffix.lower() == ".md" else html(report)
    page = text.encode("utf-8")
    with open_output(out, inputs=tuple(inputs)) as write:
        write(page)
    return len(page)


def side_of(
    trace: Path,
    options: MemoryOptions,
    needs: Sequence[Request],
    columns: int,
    explains: bool | None,
    plan: bool,
    progress: OnProgress | None,
) -> PageSide:
    looking = phase(progress, "looking at the trace")
    info = read_info(trace, progress=looking)
    drawn = min(columns, max(COLUMNS_LEAST, 2 * (BLOCKS_DRAWN // max(1, info.live_blocks_peak))))
    built = surveyed(trace, options, needs=needs, columns=drawn, progress=progress)
    result = built.result
    why = None
    if explains if explains is not None else _worth_explaining(result):
        tried = counted(progress, "replays with changes")
        offers = choose_knobs(built.memory.layout, options.get("sdkconfig"))
        why = explain(
            trace,
            built.memory.layout,
            needs=needs,
            placement=built.placement,
            tried=tried,
            knobs=offers[0],
            knobs_of=offers[1],
            plan=plan_wish(options.get("sdkconfig")) if plan else None,
        )
    result = built.complete()
    looking = phase(progress, "looking at live blocks")
    span = interval(info, start=None, end=None)
    leaks = find_leaks(trace, span, free=result.free_for_malloc, progress=looking)
    return PageSide(label="", result=result, survey=built.seen, leaks=leaks, why=why)


def _worth_explaining(result: ReplayResult) -> bool:
    """Something went wrong, and replaying it with every change takes no longer than one waits."""
    bad = result.summary.failures or any(need.short_events for need in result.needs)
    return bool(bad) and result.summary.event_count <= EXPLAINED_EVENTS
