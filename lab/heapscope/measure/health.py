"""What was read of a trace, and what of it was lost."""

from __future__ import annotations

from dataclasses import dataclass

from heapscope.measure.record import Record

__all__ = ["Health"]


@dataclass(frozen=True, kw_only=True)
class Health(Record):
    """Counts of the decoder. Offsets and sizes in bytes of the (decompressed) trace."""

    bytes: int
    events: int
    chunks: int
    lost_chunks: int
    lost_events: int
    skipped_bytes: int
    malformed_chunks: int
    newer_chunks: int
    repeated_chunks: int
    first_damage: int | None
    next_trace: int | None  # where another recording begins, which was not read
    version: int
    ended: bool
    truncated: bool
    messages: tuple[str, ...]  # what was lost and where, a sentence each

    @property
    def whole(self) -> bool:
        """True when every event that the recorder saw is in the figures."""
        return not self.messages
