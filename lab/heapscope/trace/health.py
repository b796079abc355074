"""The counts of a trace: its calls, and how whole it was read."""

from __future__ import annotations

from heapscope.base.rows.bound import AT_LEAST
from heapscope.base.rows.figure import computed, figure
from heapscope.base.rows.row import Row
from heapscope.native.structs import Struct
from heapscope.trace.source_loss import SourceLoss

_ADDRESSES = 1 << 0  # HS_TRACE_ADDRESSES (device/include/heapscope/trace.h)
_CLOCK = 1 << 1  # HS_TRACE_CLOCK
_BOOT = 0xFF00  # HS_TRACE_BOOT: a recorder on a chip names its boot there


class CallCounts(Row):
    """The recorded program's calls by kind."""

    mallocs: int = figure("malloc calls.", bound=AT_LEAST)
    callocs: int = figure("calloc calls.", bound=AT_LEAST)
    aligneds: int = figure("Aligned allocations.", bound=AT_LEAST)
    reallocs: int = figure("realloc calls.", bound=AT_LEAST)
    frees: int = figure("free calls.", bound=AT_LEAST)
    failed: int = figure("Requests that failed when recorded.", bound=AT_LEAST)
    marks: int = figure("Marks; they are no heap events.", bound=AT_LEAST)


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
    stopped: bool = figure(
        "A chip's recording ends between two chunks, without an end: its listener stopped there, "
        "and nothing is known to be missing.",
        default=False,
    )


class TraceHealth(DecoderCounts):
    """The counts of what was read of the trace, and of what was lost before and in the decoder."""

    features: int = figure("Feature bits of all chunks together (format/SPEC.md).")
    source_loss: SourceLoss | None = figure(
        "The part of the file itself that could not be read; null: all was read."
    )
    untold: bool = figure(
        "Lost chunks may have told of missing events that no later chunk told again.", hidden=True
    )
    segment: int = figure("The segment of the recording that was read, from 1.", hidden=True)
    segments: int = figure("Segments that it has.", hidden=True)
    loss: Struct | None = figure(
        "Where the first event is missing; None: every event is there.", hidden=True
    )

    unknown: tuple[str, ...] = figure(
        "Keys of metadata that lost chunks may have told; empty: no metadata is lost.",
        hidden=True,
        default=(),
    )

    @property
    @computed("True when every event that the recorder saw was read.")
    def whole(self) -> bool:
        return not self.messages

    @property
    def has_addresses(self) -> bool:
        return bool(self.features & _ADDRESSES)

    @property
    def has_clock(self) -> bool:
        return bool(self.features & _CLOCK)

    @property
    def may_miss_reported(self) -> bool:
        """A lost chunk of a chip's recording may have told of events that were dropped, and no
        later chunk told it again."""
        return bool(self.features & _BOOT and self.untold)

    @property
    @computed("The losses and their places, a sentence each; empty: nothing was lost.")
    def messages(self) -> tuple[str, ...]:
        result = [] if self.source_loss is None else [self.source_loss.sentence()]
        if self.lost_chunks or self.malformed_chunks or self.skipped_bytes:
            result.append(self._damage())
        if self.lost_events:
            least = "at least " if self.may_miss_reported else ""
            result.append(f"events missing: {least}{self.lost_events:,}")
        if self.newer_chunks:
            result.append(f"chunks of a newer version, left out: {self.newer_chunks:,}")
        if self.next_trace is not None:
            result.append(
                f"another recording begins at byte {self.next_trace:,} and was not read: "
                "split the file there"
            )
        elif self.truncated or not (self.ended or self.stopped):
            result.append("the trace breaks off: its end is missing")
        return tuple(result)

    def _damage(self) -> str:
        at = self.first_damage
        place = "" if at is None else f", first at byte {at:,}"
        return (
            f"chunks lost or damaged: {self.lost_chunks + self.malformed_chunks:,}, "
            f"bytes skipped: {self.skipped_bytes:,}{place}"
        )
