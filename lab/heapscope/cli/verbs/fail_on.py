"""Budgets of a command line, held against one answer of another verb."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from heapscope.base.verb_result import VerbResult
from heapscope.capture.line_import import ImportResult
from heapscope.fleet.budgets.budget import (
    COMPARE,
    IMPORT,
    KINDS,
    LOG,
    REPLAY,
    STATIC,
    Budget,
    check_reported_by,
)
from heapscope.fleet.budgets.check_result import BudgetRow
from heapscope.fleet.budgets.judge import judge_comparison, judge_log
from heapscope.fleet.budgets.judge_replay import judge_replay, judge_static
from heapscope.fleet.budgets.judgement import Judgement, row_of
from heapscope.logs.answer.log_result import LogResult
from heapscope.simulation.result.comparison import compare
from heapscope.simulation.result.result import ReplayResult

#: The answers that each verb gives.
TELLS = {"replay": (REPLAY, STATIC), "compare": (REPLAY, COMPARE), "import": (IMPORT, LOG)}


def checked(budgets: Sequence[Budget], verb: str) -> tuple[Budget, ...]:
    """InputError: a budget that the verb cannot tell."""
    check_reported_by(tuple(budgets), verb, *TELLS[verb])
    return tuple(budgets)


def of_replay(budgets: Iterable[Budget], result: ReplayResult) -> list[BudgetRow]:
    def judge(budget: Budget) -> Judgement:
        if STATIC not in KINDS[budget.kind].tells:
            return judge_replay(budget, result)
        if result.static is None:
            return Judgement(value=None, why="none of --elf, --map and --bin was given")
        return judge_static(budget, result.static)

    return _rows(budgets, judge, result.trace.path)


def of_comparison(
    budgets: Iterable[Budget], left: ReplayResult, right: ReplayResult
) -> list[BudgetRow]:
    """All kinds but `worse` are held against the right side."""
    comparison = compare(left, right)

    def judge(budget: Budget) -> Judgement:
        if COMPARE in KINDS[budget.kind].tells:
            return judge_comparison(budget, comparison)
        return judge_replay(budget, right)

    return _rows(budgets, judge, comparison.right.label)


def of_import(budgets: Iterable[Budget], result: VerbResult) -> list[BudgetRow]:
    """Lines that were left out of a text; failures, needs and free memory of a device's log."""

    def judge(budget: Budget) -> Judgement:
        if isinstance(result, LogResult) and LOG in KINDS[budget.kind].tells:
            return judge_log(budget, result)
        if isinstance(result, ImportResult) and budget.kind == "left_out":
            return Judgement(value=result.bad_lines)
        return Judgement(value=None, why="this format does not tell it")

    return _rows(budgets, judge, "")


def _rows(
    budgets: Iterable[Budget], judge: Callable[[Budget], Judgement], source: str
) -> list[BudgetRow]:
    return [
        row_of(budget, judge(budget), run="", source=source, memory="", file="")
        for budget in budgets
    ]
