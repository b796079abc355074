"""A check as SARIF 2.1.0: each broken budget at its line in heapscope.toml."""

from __future__ import annotations

from typing import Any

from heapscope.base.sarif import sarif_document, sarif_result
from heapscope.fleet.budgets.budget import KINDS
from heapscope.fleet.budgets.check_result import BudgetRow, ChangeRow, CheckResult

_WORSE = "worse-than-baseline"


def sarif(result: CheckResult) -> dict[str, Any]:
    """One run; errors are what fails the command."""
    results = [_budget(row) for row in result.failing]
    results += [_change(row, result) for row in result.worse]
    rules = [_rule(name) for name in (*KINDS, _WORSE)]
    return sarif_document("heapscope check", rules, results)


def _rule(name: str) -> dict[str, Any]:
    text = "A figure is worse than in the baseline." if name == _WORSE else KINDS[name].text
    return {
        "id": name,
        "shortDescription": {"text": text},
        "defaultConfiguration": {"level": "error"},
    }


def _budget(row: BudgetRow) -> dict[str, Any]:
    name = row.budget.partition(":")[0]
    text = " ".join(filter(None, (f"{row.run}: {row.sentence}", row.cause)))
    file = row.file or row.source
    return sarif_result(name, level="error", text=text, file=file, line=row.line)


def _change(row: ChangeRow, result: CheckResult) -> dict[str, Any]:
    text = (
        f"{row.run}: {row.section}, {row.name} was {row.before:,.0f} {row.unit} in the baseline "
        f"and is {row.after:,.0f} {row.unit}."
    )
    return sarif_result(_WORSE, level="error", text=text, file=result.file, line=1)
