"""The result of a recording."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from heapscope.measure.wording import plural
from heapscope.verb_result import VerbResult

__all__ = ["ImageRecord", "RecordResult"]

_FAR_MORE = 4


@dataclass(frozen=True, kw_only=True)
class ImageRecord:
    """The program that one process ran between two execs. Sizes in bytes."""

    file: str  # its trace; safe to show; empty: none was written
    program: str  # the path of what ran; safe to show
    pid: int
    word_size: int
    forked: bool  # it began as a copy of its parent, whose blocks come first in the trace
    events: int  # heap events written
    live_peak: int  # as asked for; with lost events that before the first of them: a lower bound
    live_end: int | None  # null: events are lost, so it is not known
    live_blocks_end: int | None
    lost: int  # dropped for want of room in the ring
    unknown: int  # frees and reallocs of blocks that were made unseen
    implied: int  # frees that nobody saw, of blocks whose address was given again
    inherited: int  # blocks that a fork left to it
    bytes_written: int
    trouble: str  # why the file is not whole; empty: it is


@dataclass(frozen=True, kw_only=True)
class RecordResult(VerbResult):
    command: tuple[str, ...]
    exit_code: int  # the program's; 128 and the signal's number where that ended it
    seconds: float  # that the program ran
    images: tuple[ImageRecord, ...]  # the program first; those without an event are left out
    unrecorded: int  # processes for which there was no place
    notes: tuple[str, ...]  # what else a user should know, a sentence each

    @property
    def main(self) -> ImageRecord | None:
        """The image to look at first: the one that the command became, unless another has far more
        events (a test driver and its test, a build and its compiler)."""
        kept = [image for image in self.images if image.file and image.events]
        largest = max(kept, key=lambda image: image.events, default=None)
        own = [image for image in kept if image.pid == self.images[0].pid]
        if largest is None or not own or largest.events > _FAR_MORE * own[-1].events:
            return largest
        return own[-1]

    def messages(self) -> tuple[str, ...]:
        found = [image.trouble for image in self.images if image.trouble]
        lost = sum(image.lost for image in self.images)
        if lost:
            found.append(f"{plural(lost, 'event')} lost: the ring was full and --drop was given")
        if self.unrecorded:
            found.append(
                f"processes that found no place and were not recorded: {self.unrecorded:,}"
            )
        return (*found, *self.notes)

    def to_json(self) -> dict[str, Any]:
        rows = [asdict(image) for image in self.images]
        more = {"images": rows, "messages": list(self.messages())}
        return {"heapscope_record": 2} | asdict(self) | more
