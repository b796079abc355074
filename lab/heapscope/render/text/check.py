"""Budgets and how they stand."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from heapscope.base.wording import long_time
from heapscope.fleet.budgets.check_result import KEPT, BudgetRow, ChangeRow, CheckResult
from heapscope.render.text.table import CellText, columns_of, table_of

_TONES = {"kept": "better", "broken": "worse", "unknown": "close", "worse": "worse"}
_SECONDS = "s"  # the unit of a time


def check_parts(result: CheckResult) -> Iterator[RenderableType]:
    """The broken budgets first, each with who caused it."""
    yield Text(result.verdict, style="bold")
    for row in result.failing:
        run = f"{row.run}: " if row.run else ""
        yield Text(f"{run}{row.sentence}", style="red" if row.status == "broken" else "yellow")
        if row.cause:
            yield Text(row.cause)
    for note in result.notes:
        yield Text(f"note: {note}", style="yellow")
    columns = columns_of(BudgetRow, value=_value, unit=_unit, status=_status)
    rows = sorted(result.budgets, key=lambda row: row.status == KEPT)
    yield table_of("Budgets", columns, rows, name="budgets")
    yield table_of(
        f"Worse than {result.baseline}",
        columns_of(ChangeRow, before=_before, after=_after, noise=_noise, status=_status),
        result.changes,
        name="changes",
    )


def _value(row: BudgetRow) -> CellText | None:
    """A time is a duration, with its own unit."""
    if row.value is None:
        return None
    text = long_time(row.value) if row.unit == _SECONDS else f"{row.value:,.10g}"
    return CellText(text, row.value)


def _unit(row: BudgetRow) -> str:
    return "" if row.unit == _SECONDS else row.unit


def _before(row: ChangeRow) -> float:
    return round(row.before, 1)


def _after(row: ChangeRow) -> float:
    return round(row.after, 1)


def _noise(row: ChangeRow) -> float | None:
    return None if row.noise is None else round(row.noise, 1)


def _status(row: BudgetRow | ChangeRow) -> CellText:
    return CellText(row.status, tone=_TONES.get(row.status, ""))
