"""What was read of a trace, and what of it was lost."""

from __future__ import annotations

from heapscope.rows.figure import figure
from heapscope.rows.row import Row

__all__ = ["Health"]


class Health(Row):
    """What was read of the trace, and what was lost."""

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
    messages: tuple[str, ...] = figure(
        "The losses and their places, a sentence each; empty: nothing was lost."
    )

    @property
    def whole(self) -> bool:
        """True when every event that the recorder saw is in the figures."""
        return not self.messages
