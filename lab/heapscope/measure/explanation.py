"""Why one request went where it went."""

from __future__ import annotations

from dataclasses import dataclass

from heapscope.measure.record import Record

__all__ = ["Explanation", "Step"]


@dataclass(frozen=True, kw_only=True)
class Step(Record):
    """One region that was asked, in turn, or one that was not and why. Bytes as they stood before
    the event."""

    region: int  # its address
    kind: str
    priority: int | None  # of the capabilities that let it be asked; null: never asked
    free: int
    largest_free: int
    largest_allocatable: int
    outcome: str  # "served", "too small", "no heap", "not reached", "lacks 8BIT|DMA", "own heap..."


@dataclass(frozen=True, kw_only=True)
class Explanation(Record):
    """Null addresses: there was no such block. `skipped`: the block it names had no place here, so
    nothing was asked."""

    event: int
    call: str
    size: int
    align: int
    capabilities: str
    asked_as: str  # what malloc's rule made of it
    task: str
    site: str
    skipped: bool
    old_address: int | None
    old_size: int
    address: int | None
    steps: tuple[Step, ...]
