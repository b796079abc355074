"""The sides of a report, out of traces and of options that may be given several times."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path

from heapscope.capture.output import open_output
from heapscope.cli.layout_choice import choose_memory, choose_placement
from heapscope.cli.progress import progress_bar
from heapscope.cli.run import parse_needs
from heapscope.cli.shared import LayoutOptions
from heapscope.errors import HeapscopeError
from heapscope.layout.layout import Layout
from heapscope.layout.placement import Placement
from heapscope.leaks.find import find_leaks
from heapscope.leaks.interval import interval
from heapscope.measure.result import ReplayResult
from heapscope.replay.config import Need
from heapscope.replay.survey import COLUMNS, survey
from heapscope.report.page.comparison import labels
from heapscope.report.page.document import Report, html
from heapscope.report.page.side import Side
from heapscope.trace.all_names import read_all_names
from heapscope.trace.info import read_info
from heapscope.trace.names import printable
from heapscope.why.explain import explain
from heapscope.why.result import WhyResult

__all__ = ["SIDES_MAX", "make_report", "write_page"]

#: Longer traces are explained only when asked: every change is a replay of its own.
EXPLAINED_EVENTS = 500_000

#: More would neither be read nor fit into a page of a few megabytes.
SIDES_MAX = 6


def make_report(
    traces: Sequence[Path],
    given: Mapping[str, Sequence[str]],
    needs: Sequence[str],
    *,
    title: str | None,
    explains: bool | None = None,
) -> Report:
    """Replays every side. `explains`: with a section that says why; None: of one side, where
    something failed and the trace is short enough. HeapscopeError for numbers of traces and options
    that do not go together."""
    count = _count(traces, given)
    wanted = parse_needs(needs)
    explains = False if explains is None and count > 1 else explains
    # The page has room for two maps; more of them are coarser.
    columns = min(COLUMNS, 2 * COLUMNS // count)
    sides = [
        _side(
            traces[number % len(traces)],
            _options(given, number),
            wanted,
            columns,
            explains=explains,
        )
        for number in range(count)
    ]
    if count > 1:
        names = labels([side.result for side in sides])
        sides = [
            Side(**{**vars(side), "label": name}) for side, name in zip(sides, names, strict=True)
        ]
    heading = title or ", ".join(dict.fromkeys(trace.name for trace in traces))
    return Report(title=printable(heading, limit=200), sides=tuple(sides))


def write_page(report: Report, out: Path, *, inputs: Sequence[Path]) -> int:
    """Whole or not at all; returns its bytes."""
    page = html(report).encode("utf-8")
    with open_output(out, inputs=tuple(inputs)) as write:
        write(page)
    return len(page)


def _count(traces: Sequence[Path], given: Mapping[str, Sequence[str]]) -> int:
    """How many sides: traces, or the most that one option was given."""
    counts = {"traces": len(traces)} | {
        "--" + name.replace("_", "-"): len(values) for name, values in given.items() if values
    }
    several = {name: number for name, number in counts.items() if number > 1}
    count = max(several.values(), default=1)
    if any(number != count for number in several.values()):
        listed = ", ".join(f"{name}: {number}" for name, number in several.items())
        raise HeapscopeError(
            f"the sides of a report cannot be told: {listed}",
            remedy="give each once for all sides, or as often as there are sides",
        )
    if count > SIDES_MAX:
        raise HeapscopeError(
            f"{count} sides, at most {SIDES_MAX} in one report", remedy="make several reports"
        )
    return count


def _options(given: Mapping[str, Sequence[str]], number: int) -> LayoutOptions:
    chosen = {name: values[number % len(values)] for name, values in given.items() if values}
    return LayoutOptions(**chosen)


def _side(
    trace: Path,
    options: LayoutOptions,
    needs: Sequence[Need],
    columns: int,
    *,
    explains: bool | None,
) -> Side:
    memory = choose_memory(options, trace)
    placement = choose_placement(options, memory.layout)
    names = None
    if placement is not None and placement.by_name:
        with progress_bar("reading names") as bar:
            names = read_all_names(trace, progress=bar)
    with progress_bar("replaying") as bar:
        result, seen = survey(
            trace,
            memory.layout,
            needs=needs,
            placement=placement,
            names=names,
            columns=columns,
            progress=bar,
        )
    why = None
    if explains if explains is not None else _worth_explaining(result):
        why = _explained(trace, memory.layout, needs, placement)
    if memory.static is not None:
        result = memory.static.complete(result)
    with progress_bar("looking at live blocks") as bar:
        span = interval(read_info(trace, progress=bar), start=None, end=None)
        leaks = find_leaks(trace, span, free=result.free_for_malloc, progress=bar)
    return Side(label="", result=result, survey=seen, leaks=leaks, why=why)


def _worth_explaining(result: ReplayResult) -> bool:
    """Something went wrong, and replaying it with every change takes no longer than one waits."""
    bad = result.summary.failures or any(need.short_events for need in result.needs)
    return bool(bad) and result.summary.event_count <= EXPLAINED_EVENTS


def _explained(
    trace: Path, layout: Layout, needs: Sequence[Need], placement: Placement | None
) -> WhyResult:
    counts = itertools.count(1)
    with progress_bar("replays with changes", parts=True) as bar:
        return explain(
            trace,
            layout,
            needs=needs,
            placement=placement,
            tried=lambda: bar(next(counts), None),
        )
