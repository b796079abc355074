"""An experiment on a terminal: what was found, the tables, and what does not agree."""

from __future__ import annotations

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from heapscope.report import table as terminal
from heapscope_studies.result import Check, Experiment, Table

__all__ = ["print_experiment"]


def print_experiment(experiment: Experiment, target: Console) -> None:
    target.print(Text(experiment.title, style="bold"))
    target.print(Text(f"published: {experiment.source}", style="dim"))
    for sentence in experiment.findings:
        target.print(Text(sentence))
    for table in experiment.tables:
        if not table.detail:
            target.print()
            _print_table(table, target)
    target.print()
    target.print(Text(experiment.verdict(), style="red" if experiment.failed else "green"))
    for check in experiment.failed:
        target.print(Text(_sentence(check), style="red"))


def _print_table(table: Table, target: Console) -> None:
    columns = [
        terminal.Column(heading=column.heading, name=column.name, wide=column.wide)
        for column in table.columns
    ]
    rows = [
        [column.text(cell) for column, cell in zip(table.columns, row, strict=True)]
        for row in table.rows
    ]
    target.print(terminal.table(table.title, columns, rows, width=target.width))
    for note in table.notes:
        target.print(Padding(Text(note, style="dim"), (0, 0, 0, 2), expand=False))


def _sentence(check: Check) -> str:
    computed = "nothing" if check.computed is None else f"{check.computed:,}"
    return f"  {check.what}: published {check.published:,}, computed {computed}"
