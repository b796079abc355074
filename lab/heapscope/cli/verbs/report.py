"""A replay as one HTML page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Unpack

from heapscope.answers.leaks.find import find_leaks
from heapscope.answers.leaks.interval import interval
from heapscope.answers.why.explain import explain
from heapscope.answers.why.plan_find import plan_wish
from heapscope.base.errors import InputError
from heapscope.base.extras import need as need_extra
from heapscope.base.output import open_output
from heapscope.base.printable import printable
from heapscope.base.progress import OnProgress, counted, phase
from heapscope.base.request import Request, parse_requests
from heapscope.cli.verbs.surveyed import surveyed
from heapscope.forecast.predict.knob_choice import choose_knobs
from heapscope.forecast.predict.memory_choice import choose_memory
from heapscope.memory.choose import choose_placement
from heapscope.memory.options import MemoryOptions, given, per_side
from heapscope.render.explorer.embed import (
    EMBED_LIMIT,
    chip_memories,
    embed,
    has_engine,
    memory_json,
)
from heapscope.render.explorer.written import Explorer
from heapscope.render.page.comparison import labels
from heapscope.render.page.document import PageEngine, Report, html, report_parts
from heapscope.render.page.side import PageSide
from heapscope.render.text.markdown import markdown
from heapscope.simulation.replay.survey import COLUMNS
from heapscope.simulation.result.result import ReplayResult
from heapscope.trace.all_names import read_all_names
from heapscope.trace.info import read_info
from heapscope.trace.segment import segment_of
from heapscope.trace.source import open_blocks

#: Longer traces are explained only when asked: every change is a replay of its own.
EXPLAINED_EVENTS = 500_000

MARKDOWN = "give a name that ends in .md, for Markdown"

#: More would neither be read nor fit into a page of a few megabytes.
SIDES_MAX = 6


def report(
    *traces: str | Path,
    out: str | Path | None = None,
    title: str | None = None,
    sides: Sequence[MemoryOptions] = (),
    need: Sequence[int | str] = (),
    why: bool | None = None,
    plan: bool = False,
    embed_limit: int = EMBED_LIMIT,
    progress: OnProgress | None = None,
    **memory: Unpack[MemoryOptions],
) -> Report | Explorer:
    """Replays every side and writes what happened to `out`, an HTML page that loads nothing, or
    Markdown where its name ends with .md.

    Several traces, or one with several `sides` (mappings of options), are compared with the first;
    `memory` are the options that all sides share. `why`: explains failures by replays with changes;
    None: on one side, where something failed and the trace is short enough. `plan`: also one
    combined set of changes, on one side. `embed_limit`: bytes of the compressed trace in a page of
    one side, which replays it by itself; of a longer trace the page has the beginning, and says so;
    0: no trace and no replay. Without a trace `out` is the explorer, a page that opens traces and
    replays them in the browser. InputError: an input cannot be used.
    """
    if out is not None:
        check_page(Path(out))
    if not traces:
        if out is None:
            raise InputError("report without a trace", remedy="name one, or the explorer's page")
        if given(memory) or sides or need or title or plan or why is not None:
            raise InputError(
                "report without a trace is the explorer, which takes its questions in the browser",
                remedy="name a trace, or give -o and --json alone",
            )
        return explorer(out)
    paths = [Path(trace) for trace in traces]
    count = max(len(paths), len(sides))
    if count > SIDES_MAX:
        raise InputError(
            f"{count} sides, at most {SIDES_MAX} in one report", remedy="make several reports"
        )
    if len(paths) not in (1, count):
        raise InputError(f"{len(paths)} traces, but {count} sides", remedy="give one for each side")
    wanted = parse_requests(need)
    if plan and (count > 1 or why is False):
        raise InputError(
            "--plan is for one side, and part of why", remedy="give one trace and one memory"
        )
    explains = True if plan else False if why is None and count > 1 else why
    # The page has room for two maps; more of them are coarser.
    columns = min(COLUMNS, 2 * COLUMNS // count)
    if embed_limit < 0:
        raise InputError(f"a limit of {embed_limit} bytes", remedy="give 0 or more")
    results = [
        _side(paths[number % len(paths)], options, wanted, columns, explains, plan, progress)
        for number, options in enumerate(per_side(given(memory), sides, count=count))
    ]
    if count > 1:
        names = labels([side.result for side in results])
        results = [replace(side, label=name) for side, name in zip(results, names, strict=True)]
    heading = title or ", ".join(dict.fromkeys(path.name for path in paths))
    engine = None
    if count == 1 and embed_limit and has_engine():
        engine = _engine(paths[0], per_side(given(memory), sides, count=1)[0], wanted, embed_limit)
    done = Report(title=printable(heading, limit=200), sides=tuple(results), engine=engine)
    if out is not None:
        write_page(done, Path(out), inputs=paths)
    return done


def explorer(out: str | Path) -> Explorer:
    """Writes the page that opens a trace, or the text of a recorder, which is dropped on it. It
    loads nothing. HeapscopeError: the build made no engine."""
    need_extra("report", "a page in HTML")
    from heapscope.render.page.explorer import explorer_html

    page = explorer_html().encode("utf-8")
    with open_output(Path(out)) as write:
        write(page)
    return Explorer(out=str(out), size=len(page))


def _engine(
    trace: Path, options: MemoryOptions, needs: Sequence[Request], limit: int
) -> PageEngine | None:
    """The page's own replay; None: it reads no other segment of a recording than the first."""
    if segment_of(trace)[1] != 1:
        return None
    layout = choose_memory(options, trace).layout
    placement = choose_placement(options, layout)
    named = layout.tenants or (placement is not None and placement.by_name)
    names = read_all_names(trace) if named else None
    own = memory_json(layout, needs=needs, placement=placement, names=names)
    with open_blocks(trace) as blocks:
        packed = embed(blocks, limit)
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


def _side(
    trace: Path,
    options: MemoryOptions,
    needs: Sequence[Request],
    columns: int,
    explains: bool | None,
    plan: bool,
    progress: OnProgress | None,
) -> PageSide:
    built = surveyed(trace, options, needs=needs, columns=columns, progress=progress)
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
    span = interval(read_info(trace, progress=looking), start=None, end=None)
    leaks = find_leaks(trace, span, free=result.free_for_malloc, progress=looking)
    return PageSide(label="", result=result, survey=built.seen, leaks=leaks, why=why)


def _worth_explaining(result: ReplayResult) -> bool:
    """Something went wrong, and replaying it with every change takes no longer than one waits."""
    bad = result.summary.failures or any(need.short_events for need in result.needs)
    return bool(bad) and result.summary.event_count <= EXPLAINED_EVENTS
