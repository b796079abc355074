"""One replayed memory of a report, with all that its page shows."""

from __future__ import annotations

import numpy as np

from heapscope.answers.leaks.find import Leaks
from heapscope.answers.why.reasons import WhyResult
from heapscope.base.rows.figure import computed, figure
from heapscope.base.rows.row import Row
from heapscope.simulation.result.result import ReplayResult
from heapscope.simulation.result.survey import Closest, Survey

#: The served requests with the least to spare that are pinned, one a column at most.
CLOSE_PINS = 12


class PageSide(Row, eq=False):
    """One memory."""

    label: str = figure("The name that tells the sides apart; empty: there is one.")
    result: ReplayResult = figure("The replay.", hidden=True)
    survey: Survey = figure("The figures that are drawn.")
    leaks: Leaks = figure("The blocks that stayed, as `leaks` has them.")
    why: WhyResult | None = figure(
        "Why requests failed, as `why` has it; null: not asked for.", default=None
    )

    @property
    @computed("The replay, as `replay` has it; without a timeline.")
    def replay(self) -> ReplayResult:
        return self.result

    @property
    def close(self) -> list[Closest]:
        """The served requests that are pinned, those with the least to spare, one a column."""
        results = [column.closest for column in self.survey.columns if column.closest is not None]
        return sorted(results, key=lambda row: (row.spare, row.event))[:CLOSE_PINS]

    @property
    def column_width(self) -> int:
        """Heap events a column of the time axis."""
        return self.survey.columns[0].events

    def positions(self, events: list[int]) -> list[float]:
        """Where events lie on the time axis, which counts those that were read: it differs from
        their numbers only where some of the trace are lost."""
        first = np.array([column.first_event for column in self.survey.columns])
        wanted = np.array(events)
        column = np.maximum(np.searchsorted(first, wanted, side="right") - 1, 0)
        inside = np.clip(wanted - first[column], 0, self.column_width)
        return [float(x) for x in column * self.column_width + inside]
