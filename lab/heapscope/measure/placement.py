"""What the rules of `--place` decided."""

from __future__ import annotations

from dataclasses import dataclass

from heapscope.measure.record import Record

__all__ = ["RuleRow"]


@dataclass(frozen=True, kw_only=True)
class RuleRow(Record):
    """One rule; `rule` None: what no rule placed. Bytes are payload as asked for.

    `requests` are allocations and reallocs that had to move. Of them `refused` found no room where
    the rule sent them, and of these `elsewhere` were served by their capabilities instead; `unfit`
    ask for a capability that the place lacks, so their capabilities decided. `payload` is what the
    blocks hold that the rule placed.
    """

    rule: int | None
    conditions: str
    target: str
    fallback: bool
    requests: int
    refused: int
    elsewhere: int
    unfit: int
    payload: int
    payload_peak: int
    payload_peak_event: int | None
    blocks: int
    blocks_peak: int
    note: str  # a name that the trace does not have; empty: all are there

    @property
    def failed(self) -> int:
        """Refused, and not served elsewhere."""
        return self.refused - self.elsewhere
