"""The traces of a recording, written as they come: one for each image, which is what a process runs
between two execs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from heapscope.base.errors import HeapscopeError
from heapscope.base.printable import printable
from heapscope.capture.record.allocators import Look, look_at, names_of
from heapscope.capture.record.options import RecordOptions
from heapscope.capture.record.outputs import ImageOutput, Outputs
from heapscope.capture.record.recording import ImageRecord
from heapscope.native.recorder import NativeRecorder, Phase
from heapscope.native.structs import Struct
from heapscope.trace.info import TraceInfo, read_info
from heapscope.trace.metadata import ALLOCATOR, UNRECORDED

#: Called now and then with the events so far, live bytes, and processes that run.
Progress = Callable[[int, int, int], None]

_NAMED = 256  # sites that are named between two looks at how far it is


class Images:
    """`last` of take(): nothing more comes of the command's process."""

    def __init__(
        self,
        native: NativeRecorder,
        options: RecordOptions,
        outputs: Outputs,
        progress: Progress | None,
    ) -> None:
        self._native = native
        self._options = options
        self._outputs = outputs
        self._progress = progress
        self._open: dict[int, ImageOutput] = {}
        self._done: dict[int, tuple[Struct, str, ImageOutput, Look]] = {}
        self._looks: dict[str, Look] = {}  # by the program's path
        self._events_done = 0

    def take(self, *, last: bool) -> None:
        for index in self._native.ready():
            image = self._native.image(index)
            if index not in self._open:
                self._open[index] = self._outputs.new(image.pid)
                self._tell_allocators(index)
            self._write(index, image)
            if image.phase == Phase.OVER:
                self._end(index, last=last)

    def end(self, *, milliseconds: int = 10) -> None:
        """The recording is over for all that still run: their traces get their ends."""
        self._native.stop()
        while True:
            self._native.pump(milliseconds)
            self.take(last=True)
            if self._native.running() == 0:
                return

    def look(self, program: str) -> Look:
        """The allocators of a program's file, looked for once."""
        if program not in self._looks:
            self._looks[program] = look_at(program)
        return self._looks[program]

    def show(self) -> None:
        if self._progress is None:
            return
        rows = [self._native.image(index) for index in range(self._native.images())]
        live = [row for row in rows if row.phase in (Phase.RUNS, Phase.OVER)]
        events = self._events_done + sum(row.events for row in live)
        self._progress(events, sum(row.live for row in live), len(live))

    def started(self) -> bool:
        """Whether events of any image are in its trace."""
        rows = [self._native.image(index) for index in range(self._native.images())]
        return any(row.started for row in (*rows, *(done[0] for done in self._done.values())))

    def until(self) -> float:
        """Seconds from the recorder's start up to which the traces that were cut are complete."""
        return min((done[0].time / 1e6 for done in self._done.values() if done[0].cut), default=0.0)

    def rows(self) -> tuple[ImageRecord, ...]:
        done = [self._done[index] for index in sorted(self._done)]
        return tuple(_record_of(*one, libc=self._options.libc) for one in done)

    def _write(self, index: int, image: Struct) -> None:
        output = self._open[index]
        for data in self._native.take(index):
            self._outputs.write(output, data, events=image.events)
        if output.sink is not None and not output.sink.trouble:
            output.whole_events, output.whole_peak = (
                image.whole_events,
                image.whole_peak,
            )

    def _end(self, index: int, *, last: bool) -> None:
        native = self._native
        self._name_sites(index)
        native.finish(index)
        image = native.image(index)
        self._write(index, image)
        output = self._open.pop(index)
        self._outputs.end(output, events=image.events, last=last)
        self._events_done += image.events
        program = native.program(index)
        self._done[index] = (image, program, output, self.look(program))
        native.release(index)

    def _tell_allocators(self, index: int) -> None:
        """Whose calls the trace holds, and whose it does not, in its metadata."""
        look = self.look(self._native.program(index))
        held = () if self._options.libc else look.recorded
        left = tuple(one for one in look.allocators if one not in held)
        if held:
            self._native.fact(index, ALLOCATOR, names_of(held))
        if left:
            self._native.fact(index, UNRECORDED, names_of(left))

    def _name_sites(self, index: int) -> None:
        image = self._native.image(index)
        if not image.stacks or not image.events:
            return
        from heapscope.capture.record.symbols import Symbols, site_name

        symbols = Symbols(self._native.modules(index), self._native.program(index))
        for site in range(1, image.stacks + 1):
            known = self._native.stack_modules(index, site)
            name = site_name(self._native.stack(index, site), symbols, known)
            if name:
                self._native.name_site(index, site, name)
            if site % _NAMED == 0:
                self.show()


def _record_of(
    image: Struct, program: str, output: ImageOutput, look: Look, *, libc: bool
) -> ImageRecord:
    sink = output.sink
    trouble = "" if sink is None else sink.trouble
    events, live_peak = _in_file(output) if trouble else (image.events, image.live_peak)
    if image.status:
        trouble = trouble or "this machine's memory did not suffice for the whole recording"
    ends = not image.lost and events == image.events
    return ImageRecord(
        file="" if sink is None or sink.refused_all else sink.name,
        program=printable(program, limit=400),
        pid=image.pid,
        word_size=image.word_size,
        forked=bool(image.forked),
        events=events,
        discarded=image.events - events,
        live_peak=live_peak,
        live_end=image.live if ends else None,
        live_blocks_end=image.live_blocks if ends else None,
        lost=image.lost,
        unknown=image.unknown,
        implied=image.implied,
        inherited=image.inherited,
        begun_late=bool(image.begun_late),
        cut=bool(image.cut),
        overwritten=bool(image.overwritten),
        paused=bool(image.paused),
        left_out=image.left_out,
        allocators=tuple(
            replace(one, recorded=one.recorded and not libc) for one in look.allocators
        ),
        stripped=look.stripped,
        bytes_written=image.written,
        trouble=trouble,
    )


def _in_file(output: ImageOutput) -> tuple[int, int]:
    """Events and live peak of what an output took that refused the rest; those of the last whole
    piece where it cannot be read again."""
    if output.sink is None or not Path(output.sink.path).is_file():
        return output.whole_events, output.whole_peak
    try:
        trace_info: TraceInfo = read_info(output.sink.path)
    except HeapscopeError:  # not even its beginning
        return 0, 0
    return trace_info.events.total, trace_info.live_peak
