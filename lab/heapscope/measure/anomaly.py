"""What was wrong with the trace itself."""

from __future__ import annotations

from dataclasses import dataclass

from heapscope.measure.record import Record

__all__ = ["AnomalyRow"]


@dataclass(frozen=True, kw_only=True)
class AnomalyRow(Record):
    """One event that makes no sense after those before it; the replay went on without it.

    `key`: address of the block; None in a trace without addresses, whose ids nobody wrote.
    """

    event: int
    what: str
    key: int | None
    task: str
