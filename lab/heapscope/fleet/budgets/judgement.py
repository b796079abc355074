"""The judgement of a budget: a figure, how sure it is, and who caused it."""

from __future__ import annotations

from dataclasses import dataclass

from heapscope.base.wording import digits, long_time
from heapscope.fleet.budgets.budget import KINDS, LEAST, Budget
from heapscope.fleet.budgets.check_result import BROKEN, KEPT, UNKNOWN, BudgetRow
from heapscope.trace.loss import Loss, is_cut

_COUNTS = {"failures": "failed requests", "left_out": "lines"}


@dataclass(frozen=True, kw_only=True)
class Cause:
    """`text`: a sentence, or empty."""

    text: str = ""
    task: str = ""
    site: str = ""


NOBODY = Cause()


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """`value` None: it cannot be told, and `why` says why not. `open`: a value that keeps the
    budget shows nothing, for the reason in `why`. `absent`: the input has nothing of that name.
    `of`: what the figure is of, where the budget alone does not say it."""

    value: float | None
    why: str = ""
    open: bool = False
    absent: bool = False
    cause: Cause = NOBODY
    of: str = ""


def doubt(loss: Loss | None, *, requested: int) -> str:
    """Why a budget that is kept by a recording shows nothing; empty: it does. `requested`:
    requests."""
    if is_cut(loss):
        return "events of the trace are missing"
    if loss is not None:
        return "metadata of the trace is missing, such as whether its sizes are a chip's"
    return "" if requested else "no request of the trace was replayed"


def absent(why: str) -> Judgement:
    return Judgement(value=None, why=why, absent=True)


def status_of(budget: Budget, judgement: Judgement) -> str:
    if judgement.value is None:
        return UNKNOWN
    if not budget.kept(judgement.value):
        return BROKEN
    return UNKNOWN if judgement.open else KEPT


def row_of(
    budget: Budget, judgement: Judgement, *, run: str, source: str, memory: str, file: str
) -> BudgetRow:
    status = status_of(budget, judgement)
    cause = judgement.cause if status == BROKEN else NOBODY
    return BudgetRow(
        run=run,
        source=source,
        memory=memory,
        budget=budget.name,
        limit=_limit(budget),
        value=judgement.value,
        unit=unit_of(budget),
        status=status,
        sentence=_sentence(budget, judgement, status),
        cause=cause.text,
        task=cause.task,
        site=cause.site,
        file=file if budget.line else "",
        line=budget.line,
    )


def unit_of(budget: Budget) -> str:
    unit = KINDS[budget.kind].unit
    if unit == "rate":
        return f"B/{budget.per}"
    if unit == "count":
        return _COUNTS[budget.kind]
    return {"B": "B", "percent": "%", "time": "s"}[unit]


def shown(value: float, unit: str) -> str:
    """A figure with its unit; bytes and counts are exact."""
    if unit == "s":
        return long_time(value)
    number = f"{value:,.0f}" if value == int(value) else digits(value)
    return f"{number}{unit}" if unit == "%" else f"{number} {unit}"


def _limit(budget: Budget) -> str:
    word = "at least" if KINDS[budget.kind].side == LEAST else "at most"
    return f"{word} {shown(budget.limit, unit_of(budget))}"


def _sentence(budget: Budget, judgement: Judgement, status: str) -> str:
    of = f" ({judgement.of})" if judgement.of else ""
    if judgement.value is None:
        return f"{budget.name}{of} cannot be told: {judgement.why}."
    figure = shown(judgement.value, unit_of(budget))
    text = f"{budget.name}{of} is {figure}; the budget is {_limit(budget)}"
    why = f": {judgement.why}" if status == UNKNOWN and judgement.why else ""
    return f"{text}{why}." if not why else f"{text}, but it cannot be told whether that holds{why}."
