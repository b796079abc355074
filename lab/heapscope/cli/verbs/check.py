"""Hold budgets against traces, logs and configurations."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from heapscope.base.option import Option
from heapscope.base.printable import printable
from heapscope.base.progress import OnProgress
from heapscope.cli.verbs.options import inputs_of

if TYPE_CHECKING:
    from heapscope.fleet.budgets.check_result import CheckResult


def check(
    file: Annotated[
        str | Path,
        Option("[F.toml]", "The budgets and what they are held against.", reads=inputs_of),
    ] = "heapscope.toml",
    *,
    baseline: Annotated[
        str | Path | None,
        Option(
            "F.json",
            "An earlier result of check --json: figures that are worse are reported, by call site "
            "and task.",
        ),
    ] = None,
    progress: OnProgress | None = None,
) -> CheckResult:
    """Hold budgets against traces, logs, configurations and firmware files.

    Exit code 1 when a budget is broken or cannot be told, or a figure is worse than the baseline.
    docs/reference/check.md describes the file of budgets.

    Examples:
      heapscope check
      heapscope check budgets/heapscope.toml --junit heap.xml --sarif heap.sarif
      heapscope check --json main.json
      heapscope check --baseline main.json --summary summary.md --badge heap.svg
    """
    from heapscope.cli.verbs.checked import CheckOfRuns, result_of
    from heapscope.fleet.budgets.baseline import changes, not_in, read_baseline
    from heapscope.fleet.budgets.check_result import ChangeRow
    from heapscope.fleet.budgets.plan import read_plan

    plan = read_plan(file)
    old = None if baseline is None else read_baseline(baseline)
    done = CheckOfRuns(plan, progress)
    for run in plan.runs:
        done.run(run)
    moved: list[ChangeRow] = []
    if old is not None:
        moved = changes(old.figures, done.figures, tolerance=plan.tolerance)
        done.notes += not_in(old.figures, done.figures)
    return result_of(
        done, moved, baseline="" if baseline is None else printable(str(baseline), limit=400)
    )
