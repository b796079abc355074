"""The answer of a check."""

from __future__ import annotations

from heapscope.base.rows.figure import figure
from heapscope.base.rows.row import Row
from heapscope.trace.provenance import RecordedDocument

KEPT, BROKEN, UNKNOWN = "kept", "broken", "unknown"
STATUSES = (KEPT, BROKEN, UNKNOWN)


class BudgetRow(Row):
    """One budget, held against one input."""

    run: str = figure("The run of heapscope.toml.", heading="Run")
    source: str = figure("The file that was looked at.", heading="of", wide=True)
    memory: str = figure("The memory or the allocator; empty: none.", heading="on")
    budget: str = figure("The budget: its kind and what it is of.", heading="Budget")
    limit: str = figure("The limit as written.", heading="limit")
    value: float | None = figure(
        "The figure; null: it cannot be told.", least=None, heading="figure"
    )
    unit: str = figure("B, percent, requests, lines or bytes in a time.", heading="unit")
    status: str = figure(
        "kept; broken; unknown: it cannot be told, which fails the check too.",
        choices=STATUSES,
        heading="status",
    )
    sentence: str = figure("The figure, the budget and how they stand, for people.")
    cause: str = figure("Who caused it, for people; empty: kept, or not known.")
    task: str = figure("The task of the cause; empty: none.")
    site: str = figure("The call site of the cause; empty: none.")
    file: str = figure("The file that the budget stands in; empty: it was given otherwise.")
    line: int = figure("The line there; 0: none.")


class FigureRow(Row):
    """One figure of a run, as a baseline keeps it."""

    run: str = figure("The run.")
    memory: str = figure("The memory.")
    section: str = figure("Group of the figure: memory, tasks, sites and others.")
    name: str = figure("Its name there.")
    unit: str = figure("B, events or requests.")
    better: str = figure("Which direction is better.", choices=("less", "more"))
    values: tuple[int, ...] = figure("One value for each recording of the run.", entries=(1, None))


class ChangeRow(Row):
    """A figure that is worse than in the baseline, or that is not in both."""

    run: str = figure("The run.", heading="Run")
    memory: str = figure("The memory.", heading="on")
    section: str = figure("Group of the figure.", heading="Group")
    name: str = figure("Its name there.", heading="Figure")
    unit: str = figure("B, events or requests.")
    before: float = figure("Mean of the baseline's recordings.", least=None, heading="baseline")
    after: float = figure("Mean of the new recordings.", least=None, heading="now")
    noise: float | None = figure(
        "The largest difference that may be noise, from the spread of repeated recordings; null: "
        "too few of them.",
        heading="noise",
    )
    status: str = figure(
        "worse: beyond noise and tolerance; differs: worse, but too few recordings tell whether "
        "it is noise.",
        choices=("worse", "differs"),
        heading="status",
    )


class CheckResult(RecordedDocument):
    """Budgets held against traces, logs, configurations and firmware files."""

    VERB = "check"
    VERSION = 1
    main_table = "budgets"

    file: str = figure("The file of budgets; empty: none.")
    verdict: str = figure("The answer in a sentence.")
    passed: bool = figure("Every budget is kept, and nothing is worse than the baseline.")
    budgets: tuple[BudgetRow, ...] = figure("All budgets, in the order of the file.")
    baseline: str = figure("The file of the baseline; empty: none.")
    changes: tuple[ChangeRow, ...] = figure("Figures that are worse than in the baseline.")
    notes: tuple[str, ...] = figure("The sentences that limit the worth of the answer.")
    figures: tuple[FigureRow, ...] = figure("The figures that a later check compares with.")

    @property
    def failing(self) -> tuple[BudgetRow, ...]:
        return tuple(row for row in self.budgets if row.status != KEPT)

    @property
    def worse(self) -> tuple[ChangeRow, ...]:
        return tuple(row for row in self.changes if row.status == "worse")
