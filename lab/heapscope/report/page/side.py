"""One replayed memory of a report, with all that its page shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from heapscope.leaks.find import Leaks
from heapscope.measure.result import ReplayResult
from heapscope.measure.survey import Survey
from heapscope.why.result import WhyResult

__all__ = ["Side"]


@dataclass(frozen=True, kw_only=True)
class Side:
    """`label` tells the sides of a comparison apart; empty when there is one."""

    label: str
    result: ReplayResult
    survey: Survey
    leaks: Leaks
    why: WhyResult | None = None

    def to_json(self) -> dict[str, Any]:
        return {
            "label": self.label,
            "replay": self.result.to_json(),
            "survey": self.survey.to_json(),
            "leaks": self.leaks.to_json(),
            "why": None if self.why is None else self.why.to_json(),
        }

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
