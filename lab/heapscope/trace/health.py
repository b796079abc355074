"""How whole a trace was read."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from heapscope.native.structs import NEVER, Struct
from heapscope.trace.loss import SourceLoss

__all__ = ["TraceHealth"]

_ADDRESSES = 1 << 0  # HS_TRACE_ADDRESSES (device/include/heapscope/trace.h)
_CLOCK = 1 << 1  # HS_TRACE_CLOCK


@dataclass(frozen=True, kw_only=True)
class TraceHealth:
    """The decoder's counts, and what was lost before the decoder. `loss`: where the first event is
    missing; None: every event is there."""

    row: Struct
    loss: Struct | None = None
    source_loss: SourceLoss | None = None

    @property
    def whole(self) -> bool:
        """True when every event that the recorder saw was read."""
        return not self.messages()

    @property
    def has_addresses(self) -> bool:
        return bool(self.row.features & _ADDRESSES)

    @property
    def has_clock(self) -> bool:
        return bool(self.row.features & _CLOCK)

    @property
    def first_damage(self) -> int | None:
        """Offset in the (decompressed) trace."""
        return None if self.row.first_damage == NEVER else self.row.first_damage

    @property
    def next_trace(self) -> int | None:
        """Offset at which another recording begins, which was not read."""
        return None if self.row.next_trace == NEVER else self.row.next_trace

    def messages(self) -> tuple[str, ...]:
        """What was lost and where, a sentence each; empty: nothing was."""
        row = self.row
        found = [] if self.source_loss is None else [self.source_loss.sentence()]
        if row.lost_chunks or row.malformed_chunks or row.skipped_bytes:
            found.append(self._damage())
        if row.lost_events:
            found.append(f"events missing: {row.lost_events:,}")
        if row.newer_chunks:
            found.append(f"chunks of a newer version, left out: {row.newer_chunks:,}")
        if self.next_trace is not None:
            found.append(
                f"another recording begins at byte {self.next_trace:,} and was not read: "
                "split the file there"
            )
        elif row.truncated or not row.ended:
            found.append("the trace breaks off: its end is missing")
        return tuple(found)

    def _damage(self) -> str:
        row, at = self.row, self.first_damage
        place = "" if at is None else f", first at byte {at:,}"
        return (
            f"chunks lost or damaged: {row.lost_chunks + row.malformed_chunks:,}, "
            f"bytes skipped: {row.skipped_bytes:,}{place}"
        )

    def to_json(self) -> dict[str, Any]:
        facts: dict[str, Any] = vars(self.row) | {
            "first_damage": self.first_damage,
            "whole": self.whole,
        }
        facts |= {"next_trace": self.next_trace}
        facts |= {"ended": bool(self.row.ended), "truncated": bool(self.row.truncated)}
        loss = None if self.source_loss is None else asdict(self.source_loss)
        return facts | {"source_loss": loss, "messages": list(self.messages())}
