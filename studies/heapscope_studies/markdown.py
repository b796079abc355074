"""Experiments as a document: docs/reference/experiments.md is made of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from heapscope_studies.result import Column, Experiment, Table

__all__ = ["markdown"]

HEAD = """\
# Experiments

Published figures beside what Heapscope computes. Made by `heapscope experiment all --write
docs/reference/experiments.md`; a test keeps it so. How to read it:
[the guide](../guide/experiments.md). The same as JSON: `--json`, by
[experiment.schema.json](experiment.schema.json).
"""


def markdown(experiments: Sequence[Experiment]) -> str:
    """The whole document."""
    lines = [HEAD]
    for experiment in experiments:
        lines += _experiment(experiment)
    return "\n".join(lines)


def _experiment(experiment: Experiment) -> Iterator[str]:
    yield f"## {experiment.name}\n"
    yield f"{experiment.title}. Published: {experiment.source}.\n"
    yield from (f"- {sentence}" for sentence in (*experiment.findings, experiment.verdict()))
    yield ""
    if experiment.plots:
        names = "; ".join(plot.title for plot in experiment.plots)
        yield f"Curves, drawn by `heapscope experiment {experiment.name} --html FILE`: {names}.\n"
    for table in experiment.tables:
        yield from _table(table)


def _table(table: Table) -> Iterator[str]:
    yield f"### {table.title}\n"
    yield _row([" ".join(column.heading.split()) or " " for column in table.columns])
    yield _row(["---" if column.name else "---:" for column in table.columns])
    for row in table.rows:
        yield _row([_cell(c, value) for c, value in zip(table.columns, row, strict=True)])
    yield ""
    if table.notes:
        yield from (f"- {note}" for note in table.notes)
        yield ""


def _cell(column: Column, value: str | int | float | None) -> str:
    return column.text(value).replace("|", "\\|")


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
