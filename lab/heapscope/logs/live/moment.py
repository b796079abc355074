"""The device's memory as it stands, as far as it is known. Plain data, which the view, the lines
and the JSON show alike."""

from __future__ import annotations

from heapscope.answers.series.judge import VERDICTS
from heapscope.answers.why.case import Holder
from heapscope.answers.why.change import Change
from heapscope.base.rows.figure import figure
from heapscope.base.rows.request import RequestRow
from heapscope.base.rows.row import Document, Row
from heapscope.logs.heaps.request_fit import UntilRow

#: How an answer about a need is known.
SOURCES = ("", "heap", "blocks", "replay", "laid anew")
#: Kinds of happenings.
HAPPENINGS = (
    *("recording", "need", "why", "failed", "lost", "gone", "back", "stray", "mark", "file"),
)


class MemoryLine(Row):
    """The regions of one name."""

    name: str = figure("Name of the memory, as the recorder told it.", heading="Memory")
    capabilities: str = figure(
        "Its capabilities, joined with |.", heading="capabilities", wide=True
    )
    size: int = figure("Bytes.", "B", "size")
    by: str = figure(
        "Who says what is free: heap: the device's own, at each snapshot; replay: a replay of the "
        "recording on the layout that was given, now; laid anew: one that began at a snapshot and "
        "laid its blocks down by their addresses. Empty: nobody.",
        choices=("", "heap", "replay", "laid anew"),
        heading="by",
    )
    free: int | None = figure("Free bytes; null: not told.", "B", "free")
    largest: int | None = figure("The largest that would be served.", "B", "largest")
    minimum: int | None = figure("The least that was free.", "B", "least free")
    said: float | None = figure(
        "Seconds since the heap said so; null: it did not.", "s", "said ago", digits=3
    )
    live: int | None = figure("Bytes of its live blocks now; null: not known.", "B", "live now")
    blocks: int | None = figure("Its live blocks now; null: not known.", heading="blocks")
    room: int | None = figure(
        "The longest stretch without a live block now: nothing larger can be served. null: not "
        "known.",
        "B",
        "at most fits",
    )


class OwnerLine(Row):
    """The blocks that one task holds through one call site."""

    task: str = figure("Task; empty: a snapshot told the blocks without it.", heading="Task")
    site: str = figure("Call site; empty: not told.", heading="Site")
    live: int = figure("Bytes that it holds.", "B", "bytes")
    blocks: int = figure("Blocks that it holds.", heading="blocks")
    growth: int | None = figure(
        "Bytes more than at the beginning of the window; null: there is no window yet.",
        "B",
        "growth",
        least=None,
    )


class LossLine(Row):
    """Events that were not heard, of one kind."""

    kind: str = figure("Kind of event.", heading="Not heard")
    events: int = figure("How many.", heading="events")
    size: int | None = figure("Bytes that they asked for; null: not known.", "B", "bytes")


class Losses(Row):
    """Everything that did not arrive, or not whole."""

    events: int = figure(
        "Events that are missing, by the recorder's count and by the numbers of chunks."
    )
    left_out: int = figure("Those of them that the recorder's level or filter left out on purpose.")
    kinds: tuple[LossLine, ...] = figure("Those of them that the recorder told, by kind.")
    chunks: int = figure("Chunks that are missing.")
    damaged_chunks: int = figure("Chunks whose checksum was wrong, in the whole stream.")
    damaged_bytes: int = figure("Bytes of such chunks, in the whole stream.", "B")
    late_chunks: int = figure("Chunks of the boot before that came after this one began.")
    malformed_chunks: int = figure("Chunks that were written wrong.")


class Obstacle(Row):
    """Blocks of one task and site that stand in the way."""

    task: str = figure("Task.", heading="Task")
    site: str = figure("Call site.", heading="Site")
    blocks: int = figure("Its blocks in the way.", heading="blocks")
    live: int = figure("Their bytes.", "B", "bytes")


class WatchedWhy(Row):
    """The answer of `heapscope why` about a request that stopped fitting."""

    since: str = figure(
        "The part of the recording that it was asked on: all of it, or what came since the last "
        "whole snapshot.",
        choices=("boot", "snapshot"),
    )
    events: int = figure("Heap events of that part.")
    sentences: tuple[str, ...] = figure("When it missed by most, why, and who stood in the way.")
    answer: tuple[str, ...] = figure("How often it would have failed, and the cheapest change.")
    holders: tuple[Holder, ...] = figure("Who held the best hole then, most bytes first.")
    tried: int = figure("Changes that were tried, each by a replay of that part.")
    changes: tuple[Change, ...] = figure("The best of those that help, the cheapest first.")


class WatchedRow(RequestRow):
    """A request that is asked about all the time."""

    fits: bool | None = figure("Would it be served now? null: not known.", heading="fits")
    by: str = figure(
        "How that is known: replay, laid anew: as for a memory; heap: the largest free block that "
        "the heap said last; blocks: no stretch between the live blocks is as long. Empty: it is "
        "not.",
        choices=SOURCES,
        heading="by",
    )
    largest: int | None = figure("The bytes that the answer rests on.", "B", "most")
    stopped: int = figure("How often it stopped fitting.", heading="stopped")
    in_the_way: tuple[Obstacle, ...] = figure(
        "While it does not fit: who holds the blocks of the stretch that would serve it if the "
        "fewest live bytes were gone."
    )
    why: WatchedWhy | None = figure(
        "The answer of `heapscope why` when it last stopped fitting; null: none (yet)."
    )
    why_not: str = figure(
        "Why there is no such answer; empty: there is one, or it never stopped fitting."
    )


class CourseDateRow(RequestRow):
    """When a request stops fitting for good."""

    until: UntilRow = figure("Seconds from now, and the interval that holds 4 of 5.")


class LiveCourse(Row):
    """The course of a memory since the start of the recording."""

    memory: str = figure("Its name.", heading="Memory")
    verdict: str = figure(
        "The verdict, as `heapscope log` has it.", choices=VERDICTS, heading="over time"
    )
    risk: float = figure("How likely that is wrong.", digits=2)
    levels: tuple[int, ...] = figure(
        "Its largest block over stretches of equal time, which it nearly always had.", "B"
    )
    dates: tuple[CourseDateRow, ...] = figure("The requests that stop fitting.")
    sentence: str = figure("The same in words; empty: it does not fall for good.")


class LiveEvent(Row):
    """Something that is reported at once."""

    kind: str = figure("Its kind.", choices=HAPPENINGS)
    text: str = figure("A sentence.")
    count: int = figure("How often it happened, where the sentence stands for several.")
    after_lines: int = figure("Lines of the moment's log that came before it.")


class LiveMoment(Document):
    """Each line of `heapscope live --json` but the last."""

    VERB = "live"
    KIND = "moment"
    COMMAND = "live --json"
    VERSION = 1

    port: str = figure("Where the device is heard.")
    gone: bool = figure("The other side is gone, and not back yet.")
    seconds: float = figure("Seconds since listening began.", "s", digits=3)
    recording: int = figure("Number of the recording, from 1; 0: nothing was heard.")
    boot: str = figure("Identity of the boot; empty: not told.")
    reset: str = figure("Why the chip was reset before it; empty: not told.")
    chip: str = figure("The chip; empty: not told.")
    time: float | None = figure("The recording's own clock; null: it has none.", "s", digits=6)
    known: bool = figure("The live blocks are known: nothing is missing since a whole snapshot.")
    level: int = figure("The recorder's level, 0 to 3 (format/SPEC.md).")
    filtered: bool = figure("Not every allocation is on record.")
    live: int | None = figure("Bytes of all live blocks; null: not known.", "B")
    live_blocks: int | None = figure("How many; null: not known.")
    live_peak: int = figure("The most that was live while it was known.", "B")
    events: int = figure("Heap events of this recording.")
    failures: int = figure("Failed requests of this recording.")
    snapshots: int = figure("Whole snapshots.")
    corrections: int = figure("Blocks in which a snapshot and the events before it disagreed.")
    rate: float | None = figure("Heap events a second, lately.", digits=1)
    churn: float | None = figure("Bytes asked for a second, lately.", "B/s", digits=1)
    window: float | None = figure("Seconds that growth is measured over; null: too few.", digits=1)
    growth: int | None = figure("Live bytes more than at its beginning.", "B", least=None)
    memory: tuple[MemoryLine, ...] = figure("The memories, by name.")
    owners: tuple[OwnerLine, ...] = figure("Who holds most, at most 12.")
    owners_left_out: int = figure("Owners beyond those.")
    courses: tuple[LiveCourse, ...] = figure("Memories that were heard long enough to judge.")
    losses: Losses = figure("Everything that did not arrive.")
    needs: tuple[WatchedRow, ...] = figure("The requests that were asked about.")
    happenings: tuple[LiveEvent, ...] = figure("Events since the moment before.")
    log: tuple[str, ...] = figure("Lines of the device's log since then, safe to show.")
    log_left_out: int = figure("Lines beyond those, of a device that logs faster than is shown.")
