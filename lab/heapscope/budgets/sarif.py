"""A check as SARIF 2.1.0: each broken budget at its line in heapscope.toml."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote

from heapscope.budgets.budget import KINDS
from heapscope.budgets.check_result import BudgetRow, ChangeRow, CheckResult
from heapscope.version import __version__

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_WORSE = "worse-than-baseline"


def sarif(result: CheckResult) -> dict[str, Any]:
    """One run; errors are what fails the command."""
    rules = [*KINDS, _WORSE]
    results = [_budget(row, rules) for row in result.failing]
    results += [_change(row, result, rules) for row in result.worse]
    driver = {
        "name": "heapscope check",
        "version": __version__,
        "rules": [_rule(name) for name in rules],
    }
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }


def _rule(name: str) -> dict[str, Any]:
    text = "A figure is worse than in the baseline." if name == _WORSE else KINDS[name].text
    return {
        "id": name,
        "shortDescription": {"text": text},
        "defaultConfiguration": {"level": "error"},
    }


def _budget(row: BudgetRow, rules: list[str]) -> dict[str, Any]:
    name = row.budget.partition(":")[0]
    text = " ".join(filter(None, (f"{row.run}: {row.sentence}", row.cause)))
    return _result(name, rules, text, row.file or row.source, row.line)


def _change(row: ChangeRow, result: CheckResult, rules: list[str]) -> dict[str, Any]:
    text = (
        f"{row.run}: {row.section}, {row.name} was {row.before:,.0f} {row.unit} in the baseline "
        f"and is {row.after:,.0f} {row.unit}."
    )
    return _result(_WORSE, rules, text, result.file, 1)


def _result(name: str, rules: list[str], text: str, file: str, line: int) -> dict[str, Any]:
    place = {
        "artifactLocation": {"uri": quote(Path(file).as_posix())},
        "region": {"startLine": max(line, 1)},
    }
    return {
        "ruleId": name,
        "ruleIndex": rules.index(name),
        "level": "error",
        "message": {"text": text},
        "locations": [{"physicalLocation": place}],
    }
