"""The answer of `heapscope live`, when it is over."""

from __future__ import annotations

from heapscope.base.rows.figure import figure
from heapscope.base.rows.row import Document, Row
from heapscope.logs.live.moment import LiveCourse, WatchedRow

#: Events that can end it, or make it fail.
EVENTS = ("need", "failed", "lost", "restart", "gone", "stray", "mark")


class RecordingLine(Row):
    """One recording: a boot of the device, or its black box."""

    file: str = figure("Its trace; empty: none was written.", heading="Recording")
    boot: str = figure("Identity of the boot; empty: not told.", heading="boot")
    reset: str = figure("Why the chip was reset before it; empty: not told.", heading="after")
    events: int = figure("Heap events that were heard.", heading="events")
    missing: int = figure("Events that did not arrive.", heading="missing")
    ended: bool = figure("Its recorder ended it.", heading="ended")


class EventCount(Row):
    """How often something happened."""

    event: str = figure("Its kind.", choices=EVENTS, heading="Happened")
    count: int = figure("How often.", heading="times")


class LiveResult(Document):
    """A device that was heard: the last line of `heapscope live --json`."""

    VERB = "live"
    COMMAND = "live --json"
    VERSION = 1
    main_table = "recordings"

    port: str = figure("Where it was heard.")
    seconds: float = figure("How long.", "s", digits=3)
    ended_by: str = figure(
        "Why it ended: the end of the input; so many seconds; an event; whoever asked for it.",
        choices=("input", "seconds", "until", "stop"),
    )
    recordings: tuple[RecordingLine, ...] = figure("The recordings, in order.")
    unlisted: int = figure(
        "Recordings that are not among them: without an event, or after the first 10,000."
    )
    happened: tuple[EventCount, ...] = figure("Each event that happened, and how often.")
    needs: tuple[WatchedRow, ...] = figure("The requests that were asked about, as it ended.")
    courses: tuple[LiveCourse, ...] = figure("How the memories went until it ended.")

    def times(self, event: str) -> int:
        return next((one.count for one in self.happened if one.event == event), 0)
