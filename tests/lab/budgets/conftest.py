"""Checks of small traces whose figures can be counted by hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from heapscope.cli.verbs.check import check
from heapscope.fleet.budgets.check_result import BudgetRow, CheckResult

Check = Callable[..., CheckResult]

POOL = '[memory]\npool = "64KB"\nallocator = "tlsf"\n'


@pytest.fixture
def checked(tmp_path: Path) -> Check:
    """checked(text): the check of that heapscope.toml, beside the test's traces."""

    def run(text: str, **more: object) -> CheckResult:
        file = tmp_path / "heapscope.toml"
        file.write_text(text, encoding="utf-8")
        return check(file, **more)  # type: ignore[arg-type]

    return run


def rows(result: CheckResult) -> dict[str, BudgetRow]:
    """The rows of a check with one input, by the name of their budget."""
    return {row.budget: row for row in result.budgets}
