"""An experiment on a terminal: what was found, the tables, and what does not agree."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from heapscope_studies.laid_out import laid_out
from heapscope_studies.result import Check, Experiment


def print_experiment(experiment: Experiment, target: Console) -> None:
    target.print(Text(experiment.title, style="bold"))
    target.print(Text(f"published: {experiment.source}", style="dim"))
    for sentence in experiment.findings:
        target.print(Text(sentence))
    for table in experiment.tables:
        if not table.detail:
            target.print()
            target.print(laid_out(table))
    target.print()
    target.print(Text(experiment.verdict(), style="red" if experiment.failed else "green"))
    for check in experiment.failed:
        target.print(Text(_sentence(check), style="red"))


def _sentence(check: Check) -> str:
    computed = "nothing" if check.computed is None else f"{check.computed:,}"
    return f"  {check.what}: published {check.published:,}, computed {computed}"
