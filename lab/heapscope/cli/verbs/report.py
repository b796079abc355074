"""Write what happened as one HTML page, or the page that opens traces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Unpack

from heapscope.base.errors import InputError
from heapscope.base.option import Option
from heapscope.base.printable import printable
from heapscope.base.progress import OnProgress
from heapscope.base.request import parse_requests
from heapscope.cli.verbs.options import (
    Fold,
    Needs,
    Plan,
    output,
)
from heapscope.memory.options import MemoryOptions, given, per_side
from heapscope.trace.fold_sites import fold as fold_sites

if TYPE_CHECKING:
    from heapscope.render.explorer.written import Explorer
    from heapscope.render.page.document import Report


def report(
    *traces: Annotated[
        str | Path,
        Option("[T.hst...]", "Trace; several: they are compared; none: the explorer."),
    ],
    out: Annotated[str | Path | None, output("FILE", required=True)] = None,
    title: Annotated[str | None, Option("TEXT", "Heading of the page (the trace's name).")] = None,
    sides: Sequence[MemoryOptions] = (),
    need: Needs = (),
    plan: Plan = False,
    remedies: Annotated[
        bool | None,
        Option(
            "",
            "Explain failures by replays with changes (of one trace up to 500 000 events).",
            flags=("--remedies/--no-remedies",),
        ),
    ] = None,
    embed_limit: Annotated[
        int,
        Option(
            "BYTES",
            "The compressed trace in the page, at most; 0: no trace and no replay in it.",
        ),
    ] = 8_000_000,
    fold: Fold = None,
    progress: OnProgress | None = None,
    **memory: Unpack[MemoryOptions],
) -> Report | Explorer:
    """Write what happened as one HTML page: a file by itself that loads nothing.

    An option given once counts for all; given several times, or with several traces, it makes a
    page that compares them with the first. The memory is chosen as for replay. A name for -o that
    ends with .md makes it Markdown.

    Without a trace it is the explorer, a page that opens a trace by itself and replays it in the
    browser: a trace (.hst), the text form, heaptrack's data or a log of mtrace is dropped on it.
    It has the memories of all chips and needs neither an installation nor a network.

    Examples:
      heapscope report T.hst --chip esp32 --need 16717 -o report.html
      heapscope report T.hst --chip esp32 --idf 4.2 --idf 5.5 -o upgrade.html
      heapscope report T.hst --pool 64KB --allocator idf-5.5 --allocator tlsf -o allocators.html
      heapscope report -o explorer.html
      heapscope report before.hst after.hst --chip esp32 --title "Smaller buffers" -o change.html
    """
    from heapscope.cli.verbs.replayed import looked_at
    from heapscope.cli.verbs.report_page import (
        check_page,
        engine_of,
        explorer,
        side_of,
        write_page,
    )
    from heapscope.render.explorer.embed import has_engine
    from heapscope.render.page.document import Report
    from heapscope.simulation.replay.survey import COLUMNS
    from heapscope.simulation.result.several import SIDES_MAX, labels

    fold_sites(fold)
    if out is not None:
        check_page(Path(out))
    if not traces:
        if out is None:
            raise InputError("report without a trace", remedy="name one, or the explorer's page")
        if given(memory) or sides or need or title or plan or remedies is not None:
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
    if plan and (count > 1 or remedies is False):
        raise InputError(
            "--plan is for one side, and part of the remedies",
            remedy="give one trace and one memory",
        )
    explains = True if plan else False if remedies is None and count > 1 else remedies
    # The page has room for two maps; more of them are coarser.
    columns = min(COLUMNS, 2 * COLUMNS // count)
    if embed_limit < 0:
        raise InputError(f"a limit of {embed_limit} bytes", remedy="give 0 or more")
    results = [
        side_of(paths[number % len(paths)], options, wanted, columns, explains, plan, progress)
        for number, options in enumerate(per_side(given(memory), sides, count=count))
    ]
    if count > 1:
        options = per_side(given(memory), sides, count=count)[0]
        first, *others = (side.result for side in results)
        results[0] = replace(results[0], result=looked_at(first, others, paths[0], options))
        names = labels([side.result for side in results])
        results = [replace(side, label=name) for side, name in zip(results, names, strict=True)]
    heading = title or ", ".join(dict.fromkeys(path.name for path in paths))
    engine = None
    if count == 1 and embed_limit and has_engine():
        engine = engine_of(
            paths[0], per_side(given(memory), sides, count=1)[0], wanted, embed_limit
        )
    done = Report(title=printable(heading, limit=200), sides=tuple(results), engine=engine)
    if out is not None:
        write_page(done, Path(out), inputs=paths)
    return done
