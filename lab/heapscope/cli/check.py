"""Hold budgets against traces, logs and configurations."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from heapscope.cli.shared import Json, Sarif


def check(
    file: Annotated[
        Path, typer.Argument(metavar="[F.toml]", help="The budgets and what they are held against.")
    ] = Path("heapscope.toml"),
    baseline: Annotated[
        Path | None,
        typer.Option(
            "--baseline",
            metavar="F.json",
            help="An earlier result of check --json: figures that are worse are reported, by call "
            "site and task.",
        ),
    ] = None,
    junit: Annotated[
        Path | None,
        typer.Option("--junit", metavar="FILE", help="Also write the budgets as JUnit XML."),
    ] = None,
    sarif: Sarif = None,
    summary: Annotated[
        Path | None,
        typer.Option("--summary", metavar="FILE", help="Also write Markdown, for a job's summary."),
    ] = None,
    badge: Annotated[
        Path | None,
        typer.Option("--badge", metavar="FILE", help="Also draw a badge (SVG)."),
    ] = None,
    json: Json = None,
) -> None:
    """Hold budgets against traces, logs, configurations and firmware files.

    Exit code 1 when a budget is broken or cannot be told, or a figure is worse than the baseline.
    docs/reference/check.md describes the file of budgets.

    \b
    Examples:
      heapscope check
      heapscope check budgets/heapscope.toml --junit heap.xml --sarif heap.sarif
      heapscope check --json main.json
      heapscope check --baseline main.json --summary summary.md --badge heap.svg
    """
    from heapscope.cli.answer import dumps, print_answer, wants_tables, write_json, write_text
    from heapscope.cli.progress import progress_bar
    from heapscope.cli.verbs.check import check as answer
    from heapscope.cli.verbs.check import inputs_of

    with progress_bar() as progress:
        result = answer(file, baseline=baseline, progress=progress)
    read = [*inputs_of(file), *([] if baseline is None else [baseline])]
    write_json(result.to_json(), json, inputs=read)
    if junit is not None:
        from heapscope.fleet.budgets.junit import junit as as_junit

        write_text(as_junit(result), junit, option="--junit", inputs=read)
    if sarif is not None:
        from heapscope.fleet.budgets.sarif import sarif as as_sarif

        write_text(dumps(as_sarif(result)), sarif, option="--sarif", inputs=read)
    if summary is not None:
        from heapscope.render.text.check import check_parts
        from heapscope.render.text.markdown import markdown

        write_text(markdown(check_parts(result)), summary, option="--summary", inputs=read)
    if badge is not None:
        from heapscope.fleet.budgets.badge import badge as as_badge

        write_text(as_badge(result), badge, option="--badge", inputs=read)
    if wants_tables(json, junit, sarif, summary, badge):
        print_answer(result)
    if not result.passed:
        raise typer.Exit(1)
