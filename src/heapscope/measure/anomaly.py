"""What was wrong with the trace itself."""

from __future__ import annotations

from dataclasses import dataclass

from heapscope.measure.record import Record

__all__ = ["AnomalyRow"]


@dataclass(frozen=True, kw_only=True)
class AnomalyRow(Record):
    """One event that makes no sense after those before it; the replay went on without it.

    `key`: id or address of the block; None where the trace itself does not know it.
    """

    event: int
    what: str
    key: int | None
    task: str
