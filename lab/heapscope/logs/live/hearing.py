"""One device, heard: bytes in, moments out; the files of its recordings beside."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from heapscope.base.printable import printable
from heapscope.base.wording import size
from heapscope.logs.live.connection import Note
from heapscope.logs.live.course import LiveCourses
from heapscope.logs.live.latest_chunks import LatestChunks
from heapscope.logs.live.logged_course import LoggedCourses
from heapscope.logs.live.model import LiveModel
from heapscope.logs.live.moment import LiveMoment
from heapscope.logs.live.picture import (
    OWNERS_MAX,
    CalledNames,
    losses,
    memory_lines,
    owner_lines,
    watched_rows,
)
from heapscope.logs.live.reasons import Reasons
from heapscope.logs.live.recording_file import RecordingFiles
from heapscope.logs.live.telling import Telling
from heapscope.logs.live.watched import WatchedRequest
from heapscope.logs.reader.addresses import Addresses
from heapscope.native.listener import (
    BEGIN,
    MARK,
    MARKS,
    STOPPED,
    NativeListener,
    figures_of,
    notice_name,
    reported,
)
from heapscope.native.structs import Struct

LINE_MAX = 1000  #: characters of a line, or of a happening, that are shown
FILES = 1000  #: that are written, unless told otherwise
LISTED_MAX = 10_000  #: recordings that are described, each

#: Why nothing is replayed.
NO_MEMORY = (
    "name the device's memory as for replay (--chip, --layout, --pool), to try changes on it"
)


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
    files are written; else at most `files`. InputError: a file cannot be written."""

    def __init__(
        self,
        port: str,
        *,
        needs: Sequence[WatchedRequest] = (),
        prefix: Path | None = None,
        files: int = FILES,
        addresses: Addresses | None = None,
        model: LiveModel | None = None,
        reasons: Reasons | None = None,
    ) -> None:
        self._port = port
        self._needs = needs
        self._addresses = addresses or Addresses()
        self._names = None if model is None else model.names
        self._reasons = reasons
        self._latest = LatestChunks()
        self._listener = NativeListener()
        self._listener.watch([need.request for need in needs])
        if model is not None:
            self._listener.replay(model.config)
        self._begun = time.monotonic()
        self._files = RecordingFiles(prefix, files)
        self._number = 0  # of the recording, from 1
        self._open = False  # it is not over
        self._gone = False  # the other side is
        self._chunk_at = self._begun  # when the last chunk came, by our clock
        self._text = 0  # bytes of the log that were taken
        self._telling = Telling()
        self._courses = LiveCourses([need.request for need in needs])
        self._logged = LoggedCourses([need.request for need in needs])
        self.recordings: list[Heard] = []
        self.unlisted = 0  # recordings beside those

    def __enter__(self) -> Hearing:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._close_recording()
        finally:
            self._listener.close()
            self._logged.close()

    # ---- bytes ----------------------------------------------------------------------------------

    def take(self, data: bytes) -> None:
        """The next bytes of the stream."""
        while True:
            data = data[self._listener.push(data) :]
            if self._went_on():
                return

    def quiet(self) -> None:
        """Nothing came for a moment: a line without an end is shown."""
        self._show(self._listener.lines())

    def finish(self) -> None:
        """The stream is over."""
        while True:
            self._listener.flush()
            if self._went_on():
                break
        self._show(self._listener.lines())
        self._logged.finish()

    def happened(self, kind: str, text: str, *, count: int = 1) -> None:
        self._telling.happened(kind, text, count=count)

    def noted(self, note: Note) -> None:
        """Something happened at the port."""
        if note.kind in ("gone", "back"):
            self._gone = note.kind == "gone"
        self.happened(note.kind, note.text, count=note.count)

    def _went_on(self) -> bool:
        """Takes out what a piece of the stream told. False: another recording begins."""
        text, chunks = self._listener.text(), self._listener.chunks()
        figures = figures_of(self._listener)
        for notice in self._listener.notices():
            before = notice.text - self._text
            self._log(text[:before])
            text = text[before:]
            self._notice(notice)
        self._log(text)
        if chunks:
            self._write(chunks, figures)
        if self._needs:
            self._look_at_needs()
        if figures.over:
            self._close_recording()
            self._listener.next()
        return not figures.over

    def _log(self, text: bytes) -> None:
        self._text += len(text)
        if text:
            self._show(self._listener.lines(text))
            self._logged.take(text)

    def _show(self, lines: list[bytes]) -> None:
        """Escapes of a terminal come out as text."""
        shown = (printable(line, limit=LINE_MAX) for line in lines)
        self._telling.log([self._addresses.named(line) for line in shown])

    def _begin_recording(self) -> None:
        self._number += 1
        self._open = True
        self._files.begin()
        self._latest = LatestChunks()

    def _write(self, chunks: bytes, figures: Struct) -> None:
        if self._files.write(chunks):
            text = f"recording {self._number} and those after it get no files: --files N for more"
            self.happened("file", text)
        self._chunk_at = time.monotonic()
        if self._reasons is not None:
            snapshot, begun = figures.snapshot_at, figures.snapshot_begun_at
            self._latest.add(chunks, snapshot=snapshot, begun=begun)

    def _called(self) -> CalledNames:
        return CalledNames(listener=self._listener, addresses=self._addresses)

    def _facts(self) -> dict[str, str]:
        return {key: printable(value) for key, value in self._listener.metadata().items()}

    def _close_recording(self) -> None:
        if not self._open:
            return
        self._open = False
        figures, health = figures_of(self._listener), self._listener.health()
        facts = self._facts()
        path = self._files.finish(self._listener.label())
        if path is not None:
            self.happened(
                "file", f"recording {self._number} is in {printable(str(path), limit=400)}"
            )
        if not self._files.eventful or len(self.recordings) >= LISTED_MAX:
            self.unlisted += 1
            return
        self.recordings.append(
            Heard(
                path=path,
                boot=facts.get("boot", ""),
                reset=facts.get("reset", ""),
                events=health.events,
                lost=figures.missing,
                ended=bool(health.ended),
            )
        )

    # ---- what is reported at once ---------------------------------------------------------------

    def _notice(self, notice: Struct) -> None:
        if notice.kind == BEGIN:
            self._begin_recording()
        text = printable(self._listener.sentence(notice), limit=LINE_MAX)
        if notice.kind == STOPPED:
            request = self._needs[notice.index].request
            text = f"{size(request.size)} for {request.capabilities} {text}"
        elif notice.kind == MARK:
            text += self._called().of(MARKS, notice.index)
        if notice.owned:
            text += self._called().owner(notice.task, notice.site)
        self.happened(notice_name(notice.kind), text, count=notice.count)

    def _look_at_needs(self) -> None:
        """After each piece of the stream: no answer is known between two pieces."""
        answers = zip(self._needs, self._listener.watched(), strict=True)
        for index, (need, answer) in enumerate(answers):
            stopped = need.look(answer)
            if self._reasons is None:
                need.why_not = NO_MEMORY if need.stopped else ""
            elif stopped or need.may_be_repeated(self._latest.end):
                self._ask_why(self._reasons, index, need)

    def _ask_why(self, reasons: Reasons, index: int, need: WatchedRequest) -> None:
        need.queried_at, need.again = self._latest.end, True
        lost = self._listener.health().lost_events or self._listener.health().lost_chunks
        whole = None if lost else self._latest.all()
        chunks = self._latest.since_snapshot() if whole is None else whole
        if chunks is None:
            need.why_not = "too much was recorded since the last whole snapshot"
            return
        need.why_not, need.again = "it is being asked", False
        reasons.ask(index, need, chunks + self._listener.end(), whole=whole is not None)

    def take_reasons(self) -> None:
        """Takes the answers of `why` that came meanwhile."""
        for reason in () if self._reasons is None else self._reasons.answers():
            need = reason.need
            need.why, need.why_not, need.again = reason.line, reason.why_not, reason.again
            what = f"{size(need.request.size)} for {need.request.capabilities}"
            if reason.line is None:
                self.happened(
                    "why", f"{what}: which change would help is not known: {need.why_not}"
                )
            else:
                for sentence in reason.line.answer:
                    self.happened("why", f"{what}: {sentence}")

    # ---- a moment -------------------------------------------------------------------------------

    def moment(self) -> LiveMoment:
        """Everything as it stands, and what was printed and happened since the last moment."""
        figures, facts, health = figures_of(self._listener), self._facts(), self._listener.health()
        called = self._called()
        seconds = time.monotonic() - self._begun
        silent = math.inf if self._gone else time.monotonic() - self._chunk_at
        lately = self._listener.lately(seconds, silent)
        since = self._telling.take()
        time_now = lately.time if lately.clocked else None
        memory = memory_lines(called, self._names, figures.hertz)
        passed = seconds if time_now is None else time_now
        return LiveMoment(
            port=self._port,
            gone=self._gone,
            seconds=seconds,
            recording=self._number,
            boot=facts.get("boot", ""),
            reset=facts.get("reset", ""),
            chip=facts.get("chip", ""),
            time=time_now,
            known=bool(figures.known),
            level=figures.level,
            filtered=bool(figures.filtered),
            live=reported(figures.live),
            live_blocks=reported(figures.live_blocks),
            live_peak=figures.live_peak,
            events=health.events,
            failures=figures.failures,
            snapshots=figures.snapshots,
            corrections=figures.corrections,
            rate=lately.rate if lately.rated else None,
            churn=lately.churn if lately.rated else None,
            window=lately.window if lately.grown else None,
            growth=lately.growth if lately.grown else None,
            memory=memory,
            owners=owner_lines(called, grown=bool(lately.grown)),
            owners_left_out=max(0, lately.owners - OWNERS_MAX),
            courses=self._courses.take(self._number, passed, memory) or self._logged.courses(),
            losses=losses(figures, health),
            needs=watched_rows(self._needs, called),
            happenings=since.happenings,
            log=since.log,
            log_left_out=since.log_left_out,
        )
