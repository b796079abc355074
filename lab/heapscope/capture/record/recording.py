"""The result of a recording."""

from __future__ import annotations

from collections.abc import Iterator

from heapscope.base.rows.figure import computed, figure
from heapscope.base.rows.row import Document, Row
from heapscope.base.wording import plural
from heapscope.capture.record.allocators import OwnAllocator, names_of

_FAR_MORE = 4


class ImageRecord(Row):
    """The program of one process between two execs. Sizes in bytes."""

    file: str = figure("The trace; empty: none was written.")
    program: str = figure("The path of the program.")
    pid: int = figure("The process.")
    word_size: int = figure("The size of a pointer.", "B", least=4, most=8, step=4)
    forked: bool = figure(
        "True: it began as a copy of its parent, whose blocks come first in the trace."
    )
    events: int = figure("Heap events.")
    live_peak: int = figure(
        "The most that was live, as asked for; where events are lost, the peak before the first of "
        "them: the program held so much or more.",
        "B",
    )
    live_end: int | None = figure("Live at the end; null: events are lost.", "B")
    live_blocks_end: int | None = figure("Blocks that are live at the end; null: events are lost.")
    lost: int = figure("Events that were dropped.")
    unknown: int = figure("Frees and reallocs of blocks that nobody saw made.")
    implied: int = figure("Frees that nobody saw, of blocks whose address was given again.")
    inherited: int = figure("Blocks that a fork left to it.")
    begun_late: bool = figure(
        "True: its heap had blocks that nobody saw made; their frees are counted as unknown, and "
        "are not in the trace.",
        default=False,
    )
    cut: bool = figure("True: the recording ended before it did.", default=False)
    overwritten: bool = figure(
        "True: the program wrote over the memory that it shares with the recorder; what came then "
        "is not in the trace, and counts as one lost event.",
        default=False,
    )
    paused: bool = figure(
        "True: at the end its events were not in the trace: heapscope_stop(), or no "
        "heapscope_start().",
        default=False,
    )
    discarded: int = figure("Events that the file did not take.", default=0)
    left_out: int = figure(
        "Calls of the heap that is not recorded: the C library's, where the program's own "
        "allocators are, or theirs.",
        default=0,
    )
    allocators: tuple[OwnAllocator, ...] = figure(
        "The allocators that the program's file has of its own.", default=()
    )
    stripped: bool = figure(
        "True: the file has no table of its symbols, so that it may have more.", default=False
    )
    bytes_written: int = figure("Size of the trace before compression.", "B")
    trouble: str = figure("Why the file is not whole; empty: it is whole.")


class RecordResult(Document):
    """A program that was run and recorded. Sizes in bytes."""

    VERB = "record"
    VERSION = 1

    command: tuple[str, ...] = figure("The command with its arguments.", entries=(1, None))
    exit_code: int = figure(
        "The code of the program; 128 and the number of the signal where a signal ended it.",
        most=255,
    )
    seconds: float = figure("How long it ran.", "s")
    images: tuple[ImageRecord, ...] = figure(
        "The programs of each process between two execs; the first one of the command first."
    )
    unrecorded: int = figure("Processes for which there was no place.")
    attached: bool = figure(
        "True: it ran already when the recording began, and its exit code is not known (0 here).",
        default=False,
    )
    ended_by: str = figure(
        "The limit that ended the recording; empty: none did.",
        choices=("", "seconds", "size"),
        default="",
    )
    recorded_seconds: float | None = figure(
        "When that was, from the recorder's start; null: no limit ended the recording.",
        "s",
        default=None,
    )
    notes: tuple[str, ...] = figure("Sentences about the recording.")

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

    @property
    def unwritten(self) -> str:
        """That the files are not whole; empty: they are."""
        troubles = [image.trouble for image in self.images if image.trouble]
        discarded = sum(image.discarded for image in self.images)
        if troubles and discarded:
            return f"{plural(discarded, 'event')} could not be written"
        return troubles[0] if troubles else ""

    @property
    @computed("True: nothing is known to be missing of any process's calls to its heap.", last=True)
    def complete(self) -> bool:
        return not self.limits

    @property
    @computed(
        "Seconds from the start until which nothing is known to be missing, where all that is "
        "missing came after a limit; null elsewhere.",
        "s",
        last=True,
    )
    def complete_until(self) -> float | None:
        return self.recorded_seconds if self.ended_by and not any(self._gaps()) else None

    @property
    @computed("All that a user should know of the recording, a sentence each.", last=True)
    def messages(self) -> tuple[str, ...]:
        return (*self._own(), *self.limits)

    @property
    def limits(self) -> tuple[str, ...]:
        """The calls of the processes that are missing, a sentence each."""
        return (*self._cut(), *self._gaps())

    def _cut(self) -> Iterator[str]:
        if self.ended_by and any(image.cut for image in self.images):
            option = "seconds" if self.ended_by == "seconds" else "until-size"
            yield (
                f"the recording ended after {self.recorded_seconds:,.1f} s, as --{option} asked; "
                "it is complete until then, and the program ran on"
            )

    def _gaps(self) -> tuple[str, ...]:
        results = [image.trouble for image in self.images if image.trouble]
        lost = sum(image.lost for image in self.images if not image.overwritten)
        if lost:
            results.append(
                f"{plural(lost, 'event')} lost: the ring was full and --drop was given, or a "
                "thread was held for long while it wrote one"
            )
        results += [
            f"{image.program} ({image.pid}): the ring was overwritten by the program: what came "
            "then is not in the trace"
            for image in self.images
            if image.overwritten
        ]
        if self.unrecorded:
            results.append(
                f"processes that found no place and were not recorded: {self.unrecorded:,}"
            )
        return (*results, *dict.fromkeys((*self._unknown(), *self._unseen())), *self.notes)

    def _unknown(self) -> Iterator[str]:
        """Blocks of which nobody knows, and parts that the program left out."""
        for image in self.images:
            if image.unknown:
                calls = plural(image.unknown, "call")
                yield (
                    f"{image.program} ({image.pid}): {calls} freed or resized blocks that nobody "
                    "saw made, which the trace does not count"
                )
            if image.paused and image.events:
                yield (
                    f"{image.program} ({image.pid}): the program stopped its recording, and ran on"
                )

    def _own(self) -> Iterator[str]:
        """Which heap the traces hold."""
        for image in self.images:
            held = [one for one in image.allocators if one.recorded]
            if held and image.events:
                yield (
                    f"{image.program}: the trace holds its own allocators: {names_of(held)}; "
                    f"{plural(image.left_out, 'call')} of the C library's heap "
                    f"{'was' if image.left_out == 1 else 'were'} left out"
                )

    def _unseen(self) -> Iterator[str]:
        for image in self.images:
            unseen = [one for one in image.allocators if not one.recorded]
            held = any(one.recorded for one in image.allocators)
            if unseen:
                text = "" if held else "; only what they ask of malloc is"
                yield f"{image.program}: calls of {names_of(unseen)} were not recorded{text}"
            if held and not image.events:
                yield (
                    f"{image.program}: no call came by its wrapped functions: calls within their "
                    "own file go past the linker"
                )
