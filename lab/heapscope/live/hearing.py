"""One device, heard: bytes in, moments out; the files of its recordings beside."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from heapscope.live.addresses import Addresses
from heapscope.live.device_log import DeviceLog
from heapscope.live.moment import Happening, Moment
from heapscope.live.needs import WatchedNeed
from heapscope.live.picture import heard_memory, heard_owners, in_the_way, losses, missing, names
from heapscope.live.picture import need_lines, owner_lines
from heapscope.live.recording_file import RecordingFile, boot_label
from heapscope.live.window import SPAN, Point, Window
from heapscope.measure.wording import plural, size
from heapscope.native.listener import MARKS, NativeListener, figures_of
from heapscope.native.structs import Struct
from heapscope.printable import printable

RATE_SPAN = 5.0  #: seconds that a rate is taken over
LOG_MAX = 1000  #: lines of a moment


@dataclass(frozen=True, kw_only=True)
class Heard:
    """A recording that is over. `path` None: nothing was written."""

    path: Path | None
    boot: str
    reset: str
    events: int
    lost: int
    ended: bool


class Hearing:
    """Use as a context manager: at its end the last recording gets its name. `prefix` None: no files
    are written. InputError: a file cannot be written."""

    def __init__(
        self,
        port: str,
        *,
        needs: Sequence[WatchedNeed] = (),
        prefix: Path | None = None,
        addresses: Addresses | None = None,
    ) -> None:
        self._port = port
        self._needs = needs
        self._prefix = prefix
        self._addresses = addresses or Addresses()
        self._listener = NativeListener()
        self._device_log = DeviceLog(self._addresses)
        self._begun = time.monotonic()
        self._file: RecordingFile | None = None
        self._number = 0  # of the recording, from 1
        self._window = Window()
        self._failures = self._lost = self._marks = 0
        self._happenings: list[Happening] = []
        self._log: list[str] = []
        self._log_left_out = 0
        self.recordings: list[Heard] = []

    def __enter__(self) -> Hearing:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._close_recording()
        finally:
            self._listener.close()

    # ---- bytes ----------------------------------------------------------------------------------

    def take(self, data: bytes) -> None:
        """The next bytes of the stream."""
        while True:
            taken = self._listener.push(data)
            data = data[taken:]
            self._take_out()
            figures = figures_of(self._listener)
            self._notice(figures)
            if not figures.over:
                return
            self._close_recording()
            self._listener.next()

    def quiet(self) -> None:
        """Nothing came for a moment: a line without an end is shown."""
        self._say_log(self._device_log.flush())

    def finish(self) -> None:
        """The stream is over."""
        while True:
            self._listener.flush()
            self._take_out()
            figures = figures_of(self._listener)
            self._notice(figures)
            if not figures.over:
                break
            self._close_recording()
            self._listener.next()
        self._say_log(self._device_log.flush())

    def happened(self, kind: str, text: str) -> None:
        self._happenings.append(Happening(kind=kind, text=text))

    def _take_out(self) -> None:
        self._say_log(self._device_log.push(self._listener.text()))
        chunks = self._listener.chunks()
        if not chunks:
            return
        if self._number == len(self.recordings):
            self._number += 1
            self._file = None if self._prefix is None else RecordingFile(self._prefix)
            self._window = Window()
            self._failures = self._lost = self._marks = 0
            self.happened("recording", f"recording {self._number} begins{self._whose()}")
        if self._file is not None:
            self._file.write(chunks)

    def _whose(self) -> str:
        facts = self._facts()
        boot = f", boot {facts['boot']}" if facts.get("boot") else ""
        return boot + (f" after {facts['reset']}" if facts.get("reset") else "")

    def _say_log(self, lines: list[str]) -> None:
        room = LOG_MAX - len(self._log)
        self._log += lines[:room]
        self._log_left_out += max(0, len(lines) - room)

    def _facts(self) -> dict[str, str]:
        return {key: printable(value) for key, value in self._listener.metadata().items()}

    def _close_recording(self) -> None:
        if self._number == len(self.recordings):
            return
        figures, health = figures_of(self._listener), self._listener.health()
        facts = self._facts()
        path = None
        if self._file is not None:
            path = self._file.finish(boot_label(self._listener.metadata()))
            self._file = None
            self.happened("file", f"recording {self._number} is in {printable(str(path), limit=400)}")
        self.recordings.append(
            Heard(
                path=path,
                boot=facts.get("boot", ""),
                reset=facts.get("reset", ""),
                events=health.events,
                lost=missing(health, figures),
                ended=bool(health.ended),
            )
        )

    # ---- what is told at once -------------------------------------------------------------------

    def _notice(self, figures: Struct) -> None:
        """After each piece of the stream: no answer is known between two pieces."""
        called = names(self._listener, self._addresses)
        if figures.failures > self._failures:
            more = figures.failures - self._failures
            self._failures = figures.failures
            beside = f", the last of {more:,}" if more > 1 else ""
            who = called.owner(figures.failed_task, figures.failed_site)
            self.happened("failed", f"a request of {size(figures.failed_size)} failed: {who}{beside}")
        lost = missing(self._listener.health(), figures)
        if lost > self._lost:
            more, self._lost = lost - self._lost, lost
            until = "" if figures.known else "; live blocks are not known until the next snapshot"
            self.happened("lost", f"{plural(more, 'event')} did not arrive{until}")
        if figures.marks > self._marks:
            self._marks = figures.marks
            self.happened("mark", f"mark {called.of(MARKS, figures.mark)}")
        if self._needs:
            self._look_at_needs(figures)

    def _look_at_needs(self, figures: Struct) -> None:
        regions, blocks = self._listener.regions(), self._listener.blocks()
        called = names(self._listener, self._addresses)
        for need in self._needs:
            if not need.look(regions, blocks, known=bool(figures.known)):
                continue
            most = size(need.answer.largest or 0)
            why = (
                f"between the live blocks are at most {most}"
                if need.answer.by == "blocks"
                else f"the heap said that its largest free block has {most}"
            )
            text = f"{size(need.size)} for {need.capabilities} do not fit: {why}"
            holders = in_the_way(need, regions, blocks, called)
            if holders:
                first = holders[0]
                text += (
                    f"; most in the way: {first.task} with {size(first.live)} in "
                    f"{plural(first.blocks, 'block')}{f', {first.site}' if first.site else ''}"
                )
            self.happened("need", text)

    # ---- a moment -------------------------------------------------------------------------------

    def moment(self) -> Moment:
        """Everything as it stands, and what was said and happened since the last moment."""
        listener, figures, facts = self._listener, figures_of(self._listener), self._facts()
        health, regions, blocks = listener.health(), listener.regions(), listener.blocks()
        known = bool(figures.known) and self._number > len(self.recordings)
        called = names(listener, self._addresses)
        ticks = facts.get("clock_hz", "")
        hertz = int(ticks) if ticks.isascii() and ticks.isdigit() and len(ticks) < 16 else 0
        clock = figures.last_time / hertz if hertz and health.features & 2 else None
        now = time.monotonic() - self._begun
        held = heard_owners(blocks)
        at = now if clock is None else clock
        point = Point(
            time=at,
            events=health.events,
            asked=figures.asked,
            live=figures.live if known else None,
            owners=held,
        )
        rated, grown = self._window.before(at, RATE_SPAN), self._window.known_before(at)
        self._window.add(point)
        lines, left_out = owner_lines(held, grown, called)
        log, self._log, log_left_out, self._log_left_out = self._log, [], self._log_left_out, 0
        happenings, self._happenings = self._happenings, []
        return Moment(
            port=self._port,
            seconds=now,
            recording=self._number,
            boot=facts.get("boot", ""),
            reset=facts.get("reset", ""),
            chip=facts.get("chip", ""),
            time=clock,
            known=known,
            level=figures.level,
            filtered=bool(figures.filtered),
            live=figures.live if known else None,
            live_blocks=figures.live_blocks if known else None,
            live_peak=figures.live_peak,
            events=health.events,
            failures=figures.failures,
            snapshots=figures.snapshots,
            corrections=figures.corrections,
            rate=rated and (point.events - rated.events) / (at - rated.time),
            churn=rated and (point.asked - rated.asked) / (at - rated.time),
            window=grown and min(at - grown.time, SPAN),
            growth=None if grown is None or grown.live is None or not known
            else figures.live - grown.live,
            memory=heard_memory(regions, blocks, figures, called, known=known, hertz=hertz),
            owners=lines,
            owners_left_out=left_out,
            losses=losses(figures, health),
            needs=need_lines(self._needs, regions, blocks, called),
            happenings=tuple(happenings),
            log=tuple(log),
            log_left_out=log_left_out,
        )
