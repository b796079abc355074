"""Everything one replay yields."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from heapscope.errors import InputError
from heapscope.measure.anomaly import AnomalyRow
from heapscope.measure.census import Census
from heapscope.measure.clock import Clock, moment
from heapscope.measure.explanation import Explanation
from heapscope.measure.failure import FailureRow, FailureSpan
from heapscope.measure.health import Health
from heapscope.measure.loss import Loss
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

if TYPE_CHECKING:
    from heapscope.measure.verdict import Verdict

__all__ = ["FORMAT", "MALLOC", "ReplayResult"]

#: Version of the JSON form; raised when a key changes its meaning or goes.
FORMAT = 2
#: Versions that are read; version 1 had the verdict as sentences.
READABLE = (1, 2)

#: How malloc's own rule is named among the capability sets.
MALLOC = "malloc"


#: What a summary of version 1 does not tell.
_UNTOLD = {"not_placed": None, "not_placed_blocks": None}


def _current(data: dict[str, Any]) -> dict[str, Any]:
    """A document of any readable version, with the keys of this one."""
    summary, failures = data.get("summary"), data.get("failures")
    told: dict[str, Any] = {"failure_spans": []} | data
    if isinstance(summary, dict):
        told["summary"] = _UNTOLD | summary
    if isinstance(failures, list):  # the first ones
        told["failures"] = [
            {"number": number} | row if isinstance(row, dict) else row
            for number, row in enumerate(failures, start=1)
        ]
    return told


@dataclass(frozen=True, kw_only=True)
class ReplayResult(Record):
    """One trace on one layout. `failures` are all failed requests or, of more than a thousand, a
    sample spread over the run with the first and the largest of each span of events; of marks the
    first ones are kept. `summary.failures`, `failure_spans` and `marks_seen` count all."""

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
    failure_spans: tuple[FailureSpan, ...]  # over the whole run; none where nothing failed
    marks: tuple[MarkRow, ...]
    marks_seen: int
    anomalies: tuple[AnomalyRow, ...]
    timeline: Timeline | None
    explanation: Explanation | None  # of the event that was asked about
    static: StaticRam | None = None  # beside the heap, where a file told it
    loss: Loss | None = None  # of events; None: all are there
    placement: tuple[RuleRow, ...] = ()  # one a rule, then what no rule did; none without rules
    clock: Clock | None = None  # None: the trace has no clock, or its rate is not known

    @property
    def free_for_malloc(self) -> int | None:
        """Bytes free at the end in the regions that malloc uses; None: there is no such set."""
        return next((row.free for row in self.sets if row.capabilities == "malloc"), None)

    def to_json(self) -> dict[str, Any]:
        head = {"heapscope_replay": FORMAT, "verdict": self.verdict().to_json()}
        return head | super().to_json()

    @classmethod
    def from_json(cls, data: object, *, where: str = "$") -> Self:
        version = data.get("heapscope_replay") if isinstance(data, dict) else None
        if version not in READABLE or not isinstance(data, dict):
            raise malformed(f"{where}.heapscope_replay", f"{READABLE[0]} or {READABLE[-1]}")
        result = super().from_json({"clock": None} | _current(data), where=where)
        if version == 1 and not result.health.whole:
            raise InputError(
                "written by an older Heapscope, from a trace of which a part is lost: its figures "
                "go on after the loss, where they are wrong",
                remedy="write it again with 'heapscope replay ... --json FILE'",
            )
        if not result.regions or not any(row.capabilities == MALLOC for row in result.sets):
            raise malformed(f"{where}.sets", "not without malloc's row and a region")
        return result

    def verdict(self) -> Verdict:
        """The answer, by rank of severity."""
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
        """A moment for people: the seconds, where the trace has a clock, else the event's number;
        then its task and the mark it follows."""
        if event is None:
            return "the start"
        mark = self.mark_before(event)
        return moment(event, self.clock, task, "" if mark is None else f"mark '{mark}'")
