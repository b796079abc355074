"""A program, run and recorded."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType

from heapscope.capture.output import STDOUT
from heapscope.capture.record.allocators import Look, look_at, said_of
from heapscope.capture.record.descendants import Descendants, descendants
from heapscope.capture.record.objects import Objects
from heapscope.capture.record.outputs import ImageOutput, Outputs
from heapscope.capture.record.program import Program, find_program
from heapscope.capture.record.recording import ImageRecord, RecordResult
from heapscope.errors import HeapscopeError, InputError
from heapscope.native.recorder import NativeRecorder, Phase
from heapscope.native.structs import Struct
from heapscope.trace.metadata import ALLOCATOR, UNRECORDED
from heapscope.trace.names import printable
from heapscope.version import __version__

VARIABLE = "HEAPSCOPE_RECORD"
PRELOAD = "LD_PRELOAD"
FRAMES_MAX = 64
_PUMP = 100  # milliseconds between two looks at the program
_NOTHING = (
    "nothing was recorded: the program's loader took no preload, or it ended before it came to it"
)
_STRAGGLERS = 0.1  # seconds in which a process that it left behind is still noticed

#: Called now and then with the events so far, live bytes, and processes that run.
Progress = Callable[[int, int, int], None]


@dataclass(frozen=True, kw_only=True)
class RecordOptions:
    out: str
    frames: int = 0  # of a stack; 0: none
    drop: bool = False  # a full ring drops events instead of making the program wait
    children: bool = True  # what the program starts is written too
    addresses: bool = False  # blocks by address, not by id
    libc: bool = False  # the C library's heap, though the program's own allocators are wrapped


def record(
    command: Sequence[str], options: RecordOptions, *, progress: Progress | None = None
) -> RecordResult:
    """Runs the command to its end, and that of all processes that it left behind and that are
    recorded. HeapscopeError before it runs, when it or the output cannot be used."""
    objects = Objects()
    program = find_program(command, objects)
    preload = objects.preload(program.word_size)
    outputs = Outputs(options.out, children=options.children)
    try:
        return _recorded(command, program, preload, objects, outputs, options, progress)
    except BaseException:
        outputs.abandon()
        raise


def _recorded(
    command: Sequence[str],
    program: Program,
    preload: Path,
    objects: Objects,
    outputs: Outputs,
    options: RecordOptions,
    progress: Progress | None,
) -> RecordResult:
    with NativeRecorder(
        preload64=str(objects.preload(8)),
        preload32=str(objects.preload32_path),
        version=f"heapscope {__version__}",
        program=shlex.join(command),
        drop=options.drop,
        libc=options.libc,
        frames=options.frames,
        addresses=options.addresses,
    ) as native:
        if program.word_size == 4:
            native.answer_object(True)
        environment = _environment(native.variable, str(preload))
        run = _Run(native, options, objects, outputs, progress)
        return run.whole(command, program, environment)


def _environment(variable: str, preload: str) -> dict[str, str]:
    others = os.environ.get(PRELOAD, "")
    listed = f"{preload}:{others}" if others else preload
    return os.environ | {PRELOAD: listed, VARIABLE: variable}


class _Run:
    """One recording from the program's start to the end of its last process."""

    def __init__(
        self,
        native: NativeRecorder,
        options: RecordOptions,
        objects: Objects,
        outputs: Outputs,
        progress: Progress | None,
    ) -> None:
        self._native = native
        self._options = options
        self._objects = objects
        self._outputs = outputs
        self._progress = progress
        self._open: dict[int, ImageOutput] = {}
        self._done: dict[int, tuple[Struct, str, ImageOutput, Look]] = {}
        self._looks: dict[str, Look] = {}  # by the program's path
        self._notes: list[str] = []
        self._events_done = 0
        self._began = time.monotonic()
        self._seconds = 0.0  # until the program's end; names are looked up after it

    def whole(
        self, command: Sequence[str], program: Program, environment: Mapping[str, str]
    ) -> RecordResult:
        self._began = time.monotonic()
        self._look(str(program.path.resolve()))  # now, and not while it runs
        with _signals() as signals, descendants(self._native.variable) as left:
            process = self._start(command, program, environment)
            signals.of(process)
            code = self._follow(process, signals.seen, left)
        if not self._outputs.close():
            self._notes.append(_NOTHING)
        done = [self._done[index] for index in sorted(self._done)]
        images = tuple(_record_of(*one, libc=self._options.libc) for one in done)
        return RecordResult(
            command=tuple(printable(word, limit=400) for word in command),
            exit_code=code if code >= 0 else 128 - code,
            seconds=self._seconds,
            images=tuple(i for i in images if i.events or i is images[0]),
            unrecorded=self._native.missed(),
            notes=(*self._notes, *self._outputs.notes),
        )

    def _start(
        self, command: Sequence[str], program: Program, environment: Mapping[str, str]
    ) -> subprocess.Popen[bytes]:
        to_pipe = self._options.out == STDOUT  # the trace goes there: the program's output does not
        try:
            return subprocess.Popen(
                list(command),
                executable=program.path,
                env=environment,
                stdout=sys.stderr.fileno() if to_pipe else None,
            )
        except OSError as error:
            shown = printable(str(program.path), limit=400)
            raise InputError(
                f"{shown}: cannot be run: {error.strerror or error}", remedy="run it by itself once"
            ) from None

    def _follow(
        self, process: subprocess.Popen[bytes], interrupts: list[int], left: Descendants
    ) -> int:
        """Until all is over; the program's exit code as subprocess has it."""
        ended, alone_since, asked = False, 0.0, 0
        while True:
            self._native.pump(_PUMP)
            code = process.poll()
            if code is not None and not self._seconds:
                self._seconds = time.monotonic() - self._began
            self._take(process)
            self._build_object()
            self._show()
            if code is None:
                continue
            if not ended:  # from now on an interrupt means: no more waiting
                ended, asked = True, len(interrupts)
            quiet, beyond = left.look(process.pid)
            if self._running(beyond) == 0 and not quiet:
                alone_since = alone_since or time.monotonic()
                if time.monotonic() - alone_since > _STRAGGLERS:
                    self._notes += [
                        f"{one} was left running and is not recorded" for one in beyond.values()
                    ]
                    break
            else:
                alone_since = 0.0
                if len(interrupts) > asked:  # processes that it left behind go on unrecorded
                    self._notes.append("processes that were left running are no longer recorded")
                    break
        self._native.stop()
        self._native.pump(0)
        self._take(process)
        return code

    def _running(self, beyond: Mapping[int, str]) -> int:
        """Processes that may still ask for memory; one of `beyond` runs another program by now, in
        which nothing is recorded."""
        running = self._native.running()
        if running and beyond:
            rows = [self._native.image(index) for index in range(self._native.images())]
            running -= sum(row.phase == Phase.RUNS and row.pid in beyond for row in rows)
        return running

    # ---- images ----

    def _take(self, process: subprocess.Popen[bytes]) -> None:
        for index in self._native.ready():
            image = self._native.image(index)
            if index not in self._open:
                self._open[index] = self._outputs.new(image.pid)
                self._tell_allocators(index)
            self._write(index, image)
            if image.phase == Phase.OVER:
                self._end(index, last=process.poll() is not None)

    def _write(self, index: int, image: Struct) -> None:
        for data in self._native.take(index):
            self._outputs.write(self._open[index], data, events=image.events)

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
        self._done[index] = (image, program, output, self._look(program))
        native.release(index)

    def _look(self, program: str) -> Look:
        if program not in self._looks:
            self._looks[program] = look_at(program)
        return self._looks[program]

    def _tell_allocators(self, index: int) -> None:
        """Whose calls the trace holds, and whose it does not, in its metadata."""
        look = self._look(self._native.program(index))
        held = () if self._options.libc else look.recorded
        left = tuple(one for one in look.allocators if one not in held)
        if held:
            self._native.fact(index, ALLOCATOR, said_of(held))
        if left:
            self._native.fact(index, UNRECORDED, said_of(left))

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

    # ---- beside it ----

    def _build_object(self) -> None:
        """A 64-bit process is about to run a 32-bit program, and waits."""
        if not self._native.object_wanted():
            return
        try:
            self._objects.preload(4)
            self._native.answer_object(True)
        except HeapscopeError as error:
            self._note_once(f"32-bit programs were not recorded: {error.message}")
            self._native.answer_object(False)

    def _show(self) -> None:
        if self._progress is None:
            return
        rows = [self._native.image(index) for index in range(self._native.images())]
        live = [row for row in rows if row.phase in (Phase.RUNS, Phase.OVER)]
        events = self._events_done + sum(row.events for row in live)
        self._progress(events, sum(row.live for row in live), len(live))

    def _note_once(self, note: str) -> None:
        if note not in self._notes:
            self._notes.append(note)


def _record_of(
    image: Struct, program: str, output: ImageOutput, look: Look, *, libc: bool
) -> ImageRecord:
    sink = output.sink
    trouble = "" if sink is None else sink.trouble
    if image.status:
        trouble = trouble or "this machine's memory did not suffice for the whole recording"
    return ImageRecord(
        file="" if sink is None else sink.name,
        program=printable(program, limit=400),
        pid=image.pid,
        word_size=image.word_size,
        forked=bool(image.forked),
        events=image.events,
        live_peak=image.live_peak,
        live_end=None if image.lost else image.live,
        live_blocks_end=None if image.lost else image.live_blocks,
        lost=image.lost,
        unknown=image.unknown,
        implied=image.implied,
        inherited=image.inherited,
        left_out=image.left_out,
        allocators=tuple(
            replace(one, recorded=one.recorded and not libc) for one in look.allocators
        ),
        stripped=look.stripped,
        bytes_written=image.written,
        trouble=trouble,
    )


class _Signals:
    """Ctrl-C and Ctrl-\\ reach the program from the terminal: they end it, not the recording. A
    signal that ends this process is handed on, and what came before the program was there too."""

    def __init__(self) -> None:
        self.seen: list[int] = []
        self._process: subprocess.Popen[bytes] | None = None
        self._early: list[int] = []

    def of(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        for number in self._early:
            process.send_signal(number)

    def note(self, number: int, frame: FrameType | None) -> None:
        self.seen.append(number)

    def hand_on(self, number: int, frame: FrameType | None) -> None:
        self.seen.append(number)
        if self._process is None:
            self._early.append(number)
        else:
            self._process.send_signal(number)  # nothing where it has ended


@contextmanager
def _signals() -> Iterator[_Signals]:
    """From before the program's start to its end."""
    signals = _Signals()
    if threading.current_thread() is not threading.main_thread():
        yield signals  # signals are another's affair
        return
    numbers = {signal.SIGINT: signals.note, signal.SIGQUIT: signals.note}
    numbers |= {signal.SIGTERM: signals.hand_on, signal.SIGHUP: signals.hand_on}
    before = {number: signal.signal(number, handler) for number, handler in numbers.items()}
    try:
        yield signals
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
