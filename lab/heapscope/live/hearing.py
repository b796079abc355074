"""One device, heard: bytes in, moments out; the files of its recordings beside."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from heapscope.live.addresses import Addresses
from heapscope.live.device_log import DeviceLog
from heapscope.live.model import LiveModel
from heapscope.live.moment import LiveEvent, LiveMoment
from heapscope.live.needs import WatchedNeed, heard_answer, replayed_answer
from heapscope.live.picture import (
    CalledNames,
    heard_owners,
    heard_regions,
    in_the_way,
    losses,
    memory_lines,
    missing,
    need_lines,
    owner_lines,
)
from heapscope.live.recording_file import RecordingFile, boot_label
from heapscope.live.region import HeardRegion
from heapscope.live.window import TrendWindow, WindowPoint
from heapscope.measure.wording import plural, size
from heapscope.native.listener import MARKS, NativeListener, figures_of
from heapscope.native.structs import Rows, Struct
from heapscope.printable import printable

_CLOCK = 2  # HS_TRACE_CLOCK
LOG_MAX = 1000  #: lines of a moment

#: By how it is known that a need does not fit.
_REASONS = {
    "blocks": "between the live blocks are at most",
    "heap": "the heap said that its largest free block has",
    "replay": "the largest that its heap would serve is",
    "laid anew": "the largest that its heap would serve, were it laid out anew, is",
}


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
    """Use as a context manager: at its end the last recording gets its name. `prefix` None: no
    files are written. InputError: a file cannot be written."""

    def __init__(
        self,
        port: str,
        *,
        needs: Sequence[WatchedNeed] = (),
        prefix: Path | None = None,
        addresses: Addresses | None = None,
        model: LiveModel | None = None,
    ) -> None:
        self._port = port
        self._needs = needs
        self._prefix = prefix
        self._addresses = addresses or Addresses()
        self._model = model
        self._listener = NativeListener()
        self._device_log = DeviceLog(self._addresses)
        self._begun = time.monotonic()
        self._file: RecordingFile | None = None
        self._number = 0  # of the recording, from 1
        self._window = TrendWindow()
        self._failures = self._lost = self._marks = 0
        self._happenings: list[LiveEvent] = []
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
            if self._model is not None:
                self._model.close()

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
        self._happenings.append(LiveEvent(kind=kind, text=text))

    def _take_out(self) -> None:
        self._say_log(self._device_log.push(self._listener.text()))
        chunks = self._listener.chunks()
        if not chunks:
            return
        if self._number == len(self.recordings):
            self._number += 1
            self._file = None if self._prefix is None else RecordingFile(self._prefix)
            self._window = TrendWindow()
            self._failures = self._lost = self._marks = 0
            if self._model is not None and self._number > 1:
                self._model.restart()
            self.happened("recording", f"recording {self._number} begins{self._whose()}")
        if self._file is not None:
            self._file.write(chunks)
        if self._model is not None:
            self._model.push(chunks)

    def _whose(self) -> str:
        facts = self._facts()
        boot = f", boot {facts['boot']}" if facts.get("boot") else ""
        return boot + (f" after {facts['reset']}" if facts.get("reset") else "")

    def _say_log(self, lines: list[str]) -> None:
        room = LOG_MAX - len(self._log)
        self._log += lines[:room]
        self._log_left_out += max(0, len(lines) - room)

    def _called(self) -> CalledNames:
        return CalledNames(listener=self._listener, addresses=self._addresses)

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
            self.happened(
                "file", f"recording {self._number} is in {printable(str(path), limit=400)}"
            )
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
        called = self._called()
        if figures.failures > self._failures:
            more, self._failures = figures.failures - self._failures, figures.failures
            beside = f", the last of {more:,}" if more > 1 else ""
            who = called.owner(figures.failed_task, figures.failed_site)
            what = f"a request of {size(figures.failed_size)} failed"
            self.happened("failed", f"{what}: {who}{beside}")
        lost = missing(self._listener.health(), figures)
        if lost > self._lost:
            more, self._lost = lost - self._lost, lost
            until = "" if figures.known else "; live blocks are not known until the next snapshot"
            self.happened("lost", f"{plural(more, 'event')} did not arrive{until}")
        if figures.marks > self._marks:
            more, self._marks = figures.marks - self._marks, figures.marks
            beside = f", the last of {more:,}" if more > 1 else ""
            self.happened("mark", f"mark {called.of(MARKS, figures.mark)}{beside}")
        if self._needs:
            self._look_at_needs(figures, called)

    def _regions(self, called: CalledNames) -> list[HeardRegion]:
        """The layout's where one was given, else those that the recording tells."""
        if self._model is not None:
            return list(self._model.regions())
        return heard_regions(self._listener, called)

    def _look_at_needs(self, figures: Struct, called: CalledNames) -> None:
        regions, blocks = self._regions(called), self._listener.blocks()
        for index, need in enumerate(self._needs):
            if self._model is None:
                answer = heard_answer(need, regions, blocks, known=bool(figures.known))
                stopped = need.look(answer, spells=None)
            else:
                answer = replayed_answer(self._model, index)
                stopped = need.look(answer, spells=self._model.spells(index))
            if stopped:
                self.happened("need", self._stopped(need, regions, blocks, called))

    def _stopped(
        self,
        need: WatchedNeed,
        regions: Sequence[HeardRegion],
        blocks: Rows,
        called: CalledNames,
    ) -> str:
        what = f"{size(need.size)} for {need.capabilities}"
        if need.answer.fits is not False:
            return f"{what} did not fit for a moment"
        text = f"{what} do not fit: {_REASONS[need.answer.by]} {size(need.answer.largest or 0)}"
        holders = in_the_way(need, regions, blocks, called)
        if not holders:
            return text
        first = holders[0]
        who = first.task or "a task that is not told"
        text += f"; most in the way: {who} with {size(first.live)} in "
        return f"{text}{plural(first.blocks, 'block')}{f', {first.site}' if first.site else ''}"

    # ---- a moment -------------------------------------------------------------------------------

    def moment(self) -> LiveMoment:
        """Everything as it stands, and what was said and happened since the last moment."""
        figures, facts, health = figures_of(self._listener), self._facts(), self._listener.health()
        blocks, called = self._listener.blocks(), self._called()
        regions = self._regions(called)
        known = bool(figures.known) and self._number > len(self.recordings)
        hertz = _number(facts.get("clock_hz", ""))
        clock = figures.last_time / hertz if hertz and health.features & _CLOCK else None
        seconds = time.monotonic() - self._begun
        held = heard_owners(blocks)
        point = WindowPoint(
            time=seconds if clock is None else clock,
            events=health.events,
            asked=figures.asked,
            live=figures.live if known else None,
            owners=held,
        )
        lately = self._window.lately(point)
        owners, owners_left_out = owner_lines(held, lately.grown_from, called)
        log, self._log, left_out, self._log_left_out = self._log, [], self._log_left_out, 0
        happenings, self._happenings = self._happenings, []
        return LiveMoment(
            port=self._port,
            seconds=seconds,
            recording=self._number,
            boot=facts.get("boot", ""),
            reset=facts.get("reset", ""),
            chip=facts.get("chip", ""),
            time=clock,
            known=known,
            level=figures.level,
            filtered=bool(figures.filtered),
            live=point.live,
            live_blocks=figures.live_blocks if known else None,
            live_peak=figures.live_peak,
            events=health.events,
            failures=figures.failures,
            snapshots=figures.snapshots,
            corrections=figures.corrections,
            rate=lately.rate,
            churn=lately.churn,
            window=lately.window,
            growth=lately.growth,
            memory=memory_lines(regions, blocks, known=known, now=figures.last_time, hertz=hertz),
            owners=owners,
            owners_left_out=owners_left_out,
            losses=losses(figures, health),
            needs=need_lines(self._needs, regions, blocks, called),
            happenings=tuple(happenings),
            log=tuple(log),
            log_left_out=left_out,
        )


def _number(text: str) -> int:
    """The number that a fact is; 0: it is something else."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else 0
