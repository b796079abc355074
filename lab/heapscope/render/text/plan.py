"""A plan: what to do, step by step, and what is known of it."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from heapscope.answers.why.change import EFFORTS
from heapscope.answers.why.plan import Plan, PlanAnswer
from heapscope.render.text.knobs import knob_table
from heapscope.render.text.table import Column, Table, columns_of, table_of


def plan_parts(answer: PlanAnswer, knobs_of: str) -> Iterator[RenderableType]:
    yield Text()
    yield Text("The plan", style="bold")
    yield from map(Text, answer.answer)
    for plan in answer.plans[:1]:
        yield from (Text(f"{i}. {step}") for i, step in enumerate(plan.steps, start=1))
        yield from (Text(line, no_wrap=True) for line in to_paste(plan))
    if len(answer.plans) > 1:
        yield plans_table(answer)
    yield from (Text(sentence, style="dim") for sentence in answer.varied)
    if answer.predicted:
        yield Text(
            "These options are predicted to give the memory that the plan asks for. Nothing of "
            "that was replayed."
        )
        yield knob_table(answer.predicted, knobs_of)


def to_paste(plan: Plan) -> Iterator[str]:
    """The patch, or the lines where no sdkconfig was given; and the rules."""
    if plan.patch:
        yield ""
        yield from plan.patch.splitlines()
    elif plan.lines:
        yield ""
        yield "# for sdkconfig.defaults"
        yield from plan.lines
    if plan.rules:
        yield ""
        yield "# RULES.toml for --place"
        yield from plan.rules


def plans_table(answer: PlanAnswer) -> Table:
    needs = any(plan.needs for plan in answer.plans)
    columns = (
        *columns_of(Plan, "number"),
        Column(heading="Changes", of=lambda plan: " ".join(_short(plan)), words=True),
        *columns_of(Plan, "failures ended"),
        *((Column(heading="needs kept", of=_kept),) if needs else ()),
        *columns_of(Plan, "given_up minimum_free"),
        Column(heading="runs that go well" if needs else "runs without a failure", of=_runs),
    )
    return table_of(
        "Plans that were replayed whole, the best first", columns, answer.plans, name="plans"
    )


def _short(plan: Plan) -> Iterator[str]:
    for change in plan.changes:
        yield f"{change.text} ({EFFORTS[change.effort].title})"


def _kept(plan: Plan) -> str:
    kept = sum(need.how != "short" for need in plan.needs)
    return f"{kept:,} of {len(plan.needs):,}"


def _runs(plan: Plan) -> str:
    return "-" if plan.runs is None else f"{plan.runs.good:,} of {plan.runs.runs:,}"
