"""The option --fail-on: budgets of a command line, and the exit code where one is not kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from heapscope.base.option import Option

if TYPE_CHECKING:
    from heapscope.fleet.budgets.budget import Budget
    from heapscope.fleet.budgets.check_result import BudgetRow

FailOn = Annotated[
    Sequence[str],
    Option(
        "BUDGET",
        "Exit with 1 where this budget is not kept: min_free=20KB, need=4KB:DMA, failures=0, "
        "task:net=40KB, as heapscope.toml has them. May be repeated.",
    ),
]


def parsed(texts: Sequence[str] | None, verb: str) -> tuple[Budget, ...]:
    """Before anything is computed. InputError: a text is not a budget that the verb can tell."""
    if not texts:
        return ()
    from heapscope.cli.verbs.fail_on import checked
    from heapscope.fleet.budgets.budget import parse_budget

    return checked([parse_budget(text) for text in texts], verb)


def needs_of(budgets: Sequence[Budget]) -> list[int | str]:
    """The requests that the budgets are about."""
    return [budget.given for budget in budgets if budget.kind == "need"]


def fail(rows: Sequence[BudgetRow]) -> None:
    """Says on standard error which budgets are not kept, and who caused it, and exits with 1."""
    failing = [row for row in rows if row.status != "kept"]
    for row in failing:
        typer.echo(f"{row.status}: {row.sentence}", err=True)
        if row.cause:
            typer.echo(f"cause: {row.cause}", err=True)
    if failing:
        raise typer.Exit(1)
