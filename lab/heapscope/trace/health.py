"""How whole a trace was read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from heapscope.native.structs import NEVER, Struct
from heapscope.rows.figure import figure
from heapscope.rows.row import Row
from heapscope.trace.loss import SourceLoss
from heapscope.trace.take import take

_ADDRESSES = 1 << 0  # HS_TRACE_ADDRESSES (device/include/heapscope/trace.h)
_CLOCK = 1 << 1  # HS_TRACE_CLOCK


class DecoderCounts(Row):
    """The counts of the decoder."""

    bytes: int = figure("Bytes of the trace, decompressed.", "B")
    events: int = figure("Heap events read.")
    chunks: int = figure("Whole chunks read.")
    lost_chunks: int = figure("Chunks missing from the sequence, or damaged.")
    lost_events: int = figure(
        "Heap events in lost chunks where the sequence tells, and those the recorder dropped."
    )
    skipped_bytes: int = figure("Bytes that are part of no whole chunk.", "B")
    malformed_chunks: int = figure(
        "Chunks with a right checksum and wrong content, read up to the fault."
    )
    newer_chunks: int = figure("Chunks of a newer format version, left out.")
    repeated_chunks: int = figure("Chunks that came again and were dropped.")
    first_damage: int | None = figure(
        "Offset in bytes of the first damage in the decompressed trace; null: none."
    )
    next_trace: int | None = figure(
        "Offset at which another recording begins, which was not read; null: none. Bytes."
    )
    version: int = figure("Highest format version seen.")
    ended: bool = figure("The end chunk was read.")
    truncated: bool = figure("The trace ends inside a chunk.")


class HealthRow(DecoderCounts):
    """The counts of what was read of the trace, and of what was lost before and in the decoder."""

    features: int = figure("Feature bits of all chunks together (format/SPEC.md).")
    whole: bool = figure("True when every event that the recorder saw was read.")
    source_loss: SourceLoss | None = figure(
        "The part of the file itself that could not be read; null: all was read."
    )
    messages: tuple[str, ...] = figure(
        "The losses and their places, a sentence each; empty: nothing was lost."
    )


@dataclass(frozen=True, kw_only=True)
class TraceHealth:
    """The decoder's counts, and what was lost before the decoder. `loss`: where the first event is
    missing; None: every event is there."""

    WRITTEN = HealthRow

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
        """The losses and their places, a sentence each; empty: nothing was lost."""
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
        return take(
            HealthRow,
            self.row,
            whole=self.whole,
            source_loss=self.source_loss,
            messages=self.messages(),
        ).to_json()
