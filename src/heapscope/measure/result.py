"""Everything one replay yields."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from heapscope.measure.anomaly import AnomalyRow
from heapscope.measure.census import Census
from heapscope.measure.explanation import Explanation
from heapscope.measure.failure import FailureRow
from heapscope.measure.health import Health
from heapscope.measure.mark import MarkRow
from heapscope.measure.memory import KindRow, SetRow
from heapscope.measure.need import NeedRow
from heapscope.measure.placement import RuleRow
from heapscope.measure.record import Record, malformed
from heapscope.measure.region import RegionRow
from heapscope.measure.source import LayoutFacts, TraceFacts
from heapscope.measure.static import StaticRam
from heapscope.measure.summary import Summary
from heapscope.measure.task import TaskRow
from heapscope.measure.timeline import Timeline

__all__ = ["FORMAT", "MALLOC", "ReplayResult"]

#: Version of the JSON form; raised when a key changes its meaning or goes.
FORMAT = 1

#: How malloc's own rule is named among the capability sets.
MALLOC = "malloc"


@dataclass(frozen=True, kw_only=True)
class ReplayResult(Record):
    """One trace on one layout. Failures and marks beyond the library's limits are only counted:
    `summary.failures` and `marks_seen` have the full numbers."""

    trace: TraceFacts
    layout: LayoutFacts
    health: Health
    census: Census
    summary: Summary
    sets: tuple[SetRow, ...]
    kinds: tuple[KindRow, ...]
    regions: tuple[RegionRow, ...]
    tasks: tuple[TaskRow, ...]
    needs: tuple[NeedRow, ...]
    failures: tuple[FailureRow, ...]
    marks: tuple[MarkRow, ...]
    marks_seen: int
    anomalies: tuple[AnomalyRow, ...]
    timeline: Timeline | None
    explanation: Explanation | None  # of the event that was asked about
    static: StaticRam | None = None  # beside the heap, where a file told it
    placement: tuple[RuleRow, ...] = ()  # one a rule, then what no rule did; none without rules

    def to_json(self) -> dict[str, Any]:
        head = {"heapscope_replay": FORMAT, "verdict": list(self.verdict())}
        return head | super().to_json()

    @classmethod
    def from_json(cls, data: object, *, where: str = "$") -> Self:
        version = data.get("heapscope_replay") if isinstance(data, dict) else None
        if version != FORMAT:
            raise malformed(f"{where}.heapscope_replay", str(FORMAT))
        result = super().from_json(data, where=where)
        if not result.regions or not any(row.capabilities == MALLOC for row in result.sets):
            raise malformed(f"{where}.sets", "not without malloc's row and a region")
        return result

    def verdict(self) -> tuple[str, ...]:
        """The answer in a sentence or two; what limits its worth comes last."""
        from heapscope.measure.verdict import verdict

        return verdict(self)

    @property
    def malloc(self) -> SetRow:
        """The row of malloc's own rule, which every replay keeps."""
        return next(row for row in self.sets if row.capabilities == MALLOC)

    def mark_before(self, event: int) -> str | None:
        """The name of the last mark at or before an event."""
        names = (mark.name for mark in reversed(self.marks) if mark.event <= event)
        return next(names, None)

    def place(self, event: int | None, *, task: str = "") -> str:
        """An event for people: its number, its task and the mark it follows."""
        if event is None:
            return "the start"
        mark = self.mark_before(event)
        parts = [task] if task else []
        parts += [f"mark '{mark}'"] if mark is not None else []
        return f"event {event:,}" + (f" [{', '.join(parts)}]" if parts else "")
