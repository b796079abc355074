"""Budgets held against the RAM of a build: stacks, what is left, and components."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase

from heapscope.answers.ram.ram_result import BAND, LEFT, RamResult, RamStateRow, RamTaskRow
from heapscope.base.choices import did_you_mean
from heapscope.fleet.budgets.budget import Budget
from heapscope.fleet.budgets.judgement import Cause, Judgement, absent
from heapscope.forecast.predict.part_table import STATES

FULLEST = "left"


def judge_ram(budget: Budget, ram: RamResult) -> Judgement:
    if budget.kind == "stack":
        return _stack(budget, ram.tasks)
    if budget.kind == "dram":
        return _left(budget, ram.states)
    return _bss(budget, ram)


def _stack(budget: Budget, tasks: tuple[RamTaskRow, ...]) -> Judgement:
    if not tasks:
        return Judgement(value=None, why="no ELF of the build shows its tasks")
    chosen = [row for row in tasks if fnmatchcase(row.task, budget.qualifier)]
    if not chosen:
        return _no("task", budget, (row.task for row in tasks))
    unknown = next((_unknown(row) for row in chosen if row.back is None), "")
    known = [row for row in chosen if row.back is not None]
    if not known:
        return Judgement(value=None, why=unknown)
    least = min(known, key=lambda row: row.back or 0)
    text = f"Task '{least.task}' has {least.size:,} B and may use {least.bound:,} B."
    return Judgement(
        value=least.back, why=unknown, open=bool(unknown), cause=Cause(text=text, task=least.task)
    )


def _unknown(row: RamTaskRow) -> str:
    if row.bound is None:
        return f"the way of task '{row.task}' is not all known: {row.hole}"
    return f"the size of the stack of task '{row.task}' is not a constant in the code"


def _left(budget: Budget, states: tuple[RamStateRow, ...]) -> Judgement:
    left = next((row for row in states if row.kind == LEFT), None)
    if left is None:
        return Judgement(value=None, why="no configuration of the build is there")
    cells = {name: size for name in STATES if (size := left.of(name)) is not None}
    if budget.qualifier not in (FULLEST, *cells):
        return _no("state", budget, (FULLEST, *cells))
    name = budget.qualifier
    if name == FULLEST:
        name = min(cells, key=lambda state: cells[state])
    half = next((row.of(name) for row in states if row.kind == BAND), None)
    band = f", 80 % band {cells[name] - half:,} to {cells[name] + half:,} B" if half else ""
    return Judgement(value=cells[name], of=f"state {name}{band}")


def _bss(budget: Budget, ram: RamResult) -> Judgement:
    inside = [row for row in ram.static.components if row.component == budget.qualifier]
    if not inside and budget.qualifier in ram.outside:
        return Judgement(value=0, cause=Cause(text="It has nothing in RAM."))
    if not inside:
        return _no("component", budget, (row.component for row in ram.static.components))
    symbols = [row for row in ram.static.symbols if row.component == budget.qualifier]
    largest = max(symbols, key=lambda row: row.bss, default=None)
    text = "" if largest is None else f"The largest is {largest.symbol} with {largest.bss:,} B."
    return Judgement(value=sum(row.bss for row in inside), cause=Cause(text=text))


def _no(noun: str, budget: Budget, names: Iterable[str]) -> Judgement:
    there = list(dict.fromkeys(name for name in names if name))
    hint = did_you_mean(budget.qualifier, there).strip()
    return absent(
        f"there is no {noun} '{budget.qualifier}'; {hint or 'there are ' + ', '.join(there[:8])}"
    )
