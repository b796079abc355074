"""A program, run and recorded."""

from __future__ import annotations

import os
import shlex
import sys
import time
from collections.abc import Callable, Mapping, Sequence

from heapscope.base.child_process import Child, start
from heapscope.base.errors import HeapscopeError, InputError
from heapscope.base.output import STDOUT
from heapscope.base.printable import printable
from heapscope.base.version import __version__
from heapscope.capture.record.descendants import Descendants, descendants
from heapscope.capture.record.images import Images, Progress
from heapscope.capture.record.limits import RecordLimits
from heapscope.capture.record.objects import Objects
from heapscope.capture.record.options import RecordOptions
from heapscope.capture.record.outputs import Outputs
from heapscope.capture.record.program import Program, find_program
from heapscope.capture.record.recording import RecordResult
from heapscope.capture.record.signals import Signals, watched_signals
from heapscope.native.recorder import NativeRecorder, Phase

VARIABLE = "HEAPSCOPE_RECORD"
PRELOAD = "LD_PRELOAD"
FRAMES_MAX = 64
_PUMP = 100  # milliseconds between two looks at the program
_NOTHING = (
    "nothing was recorded: the program's loader took no preload, or it ended before it came to it"
)
_OVERWRITTEN = (
    "nothing was recorded: the program wrote over the memory that it shares with the recorder"
)
_NEVER_STARTED = (
    "nothing was recorded: the program never called heapscope_start(), which --paused awaits"
)
_STRAGGLERS = 0.1  # seconds in which a process that it left behind is still noticed

#: Called with a sentence when a limit ended the recording, and the program runs on.
Reported = Callable[[str], None]


def record(
    command: Sequence[str],
    options: RecordOptions,
    *,
    progress: Progress | None = None,
    report: Reported | None = None,
) -> RecordResult:
    """Runs the command to its end, and that of all processes that it left behind and that are
    recorded; or records it up to a limit. HeapscopeError before it runs, when it or the output
    cannot be used."""
    objects = Objects()
    program = find_program(command, objects)
    preload = objects.preload(program.word_size)
    outputs = Outputs(options.out, children=options.children)
    try:
        with new_recorder(objects, options, shlex.join(command)) as native:
            if program.word_size == 4:
                native.answer_object(True)
            environment = _environment(native.variable, str(preload))
            run = _Run(native, options, objects, outputs, progress, report)
            return run.whole(command, program, environment)
    except BaseException:
        outputs.abandon()
        raise


def new_recorder(objects: Objects, options: RecordOptions, program: str) -> NativeRecorder:
    return NativeRecorder(
        preload64=str(objects.preload(8)),
        preload32=str(objects.preload32_path),
        version=f"heapscope {__version__}",
        program=program,
        drop=options.drop,
        libc=options.libc,
        paused=options.paused,
        frames=options.frames,
        addresses=options.addresses,
    )


def _environment(variable: str, preload: str) -> dict[str, str]:
    others = os.environ.get(PRELOAD, "")
    listed = f"{preload}:{others}" if others else preload
    return os.environ | {PRELOAD: listed, VARIABLE: variable}


class _Run:
    """One recording from the program's start to the end of its last process, or to a limit."""

    def __init__(
        self,
        native: NativeRecorder,
        options: RecordOptions,
        objects: Objects,
        outputs: Outputs,
        progress: Progress | None,
        report: Reported | None,
    ) -> None:
        self._native = native
        self._options = options
        self._objects = objects
        self._outputs = outputs
        self._report = report
        self._images = Images(native, options, outputs, progress)
        self._limits = RecordLimits(options.seconds, options.size)
        self._notes: list[str] = []
        self._began = time.monotonic()
        self._seconds = 0.0  # until the program's end; names are looked up after it

    def whole(
        self, command: Sequence[str], program: Program, environment: Mapping[str, str]
    ) -> RecordResult:
        self._began = time.monotonic()
        self._images.look(str(program.path.resolve()))  # now, and not while it runs
        with watched_signals() as signals, descendants(self._native.variable) as left:
            process = self._start(command, program, environment)
            signals.of(process)
            code = self._follow(process, signals, left)
        if not self._outputs.close():
            self._notes.append(_OVERWRITTEN if self._native.overwritten() else _NOTHING)
        images = self._images.rows()
        if self._options.paused and not any(image.events for image in images):
            self._notes.append(_NEVER_STARTED)
        return RecordResult(
            command=tuple(printable(word, limit=400) for word in command),
            exit_code=code if code >= 0 else 128 - code,
            seconds=self._seconds,
            images=tuple(i for i in images if i.events or i.trouble or i is images[0]),
            unrecorded=self._native.missed(),
            ended_by=self._limits.reached,
            recorded_seconds=self._images.until() if self._limits.reached else None,
            notes=(*self._notes, *self._outputs.notes),
        )

    def _start(
        self, command: Sequence[str], program: Program, environment: Mapping[str, str]
    ) -> Child:
        to_pipe = self._options.out == STDOUT  # the trace goes there: the program's output does not
        try:
            return start(
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

    def _follow(self, process: Child, signals: Signals, left: Descendants) -> int:
        """Until all is over; the program's exit code as subprocess has it."""
        ended, alone_since, requested = False, 0.0, 0
        while True:
            self._native.pump(self._limits.wait(_PUMP))
            signals.look()
            code = process.poll()
            if code is not None and not self._seconds:
                self._seconds = time.monotonic() - self._began
            self._images.take(last=code is not None)
            self._build_object()
            self._images.show()
            if self._limits.look(started=self._images.started(), size=self._outputs.size):
                return self._without(process, signals, code)
            if code is None:
                continue
            if not ended:  # from now on an interrupt means: no more waiting
                ended, requested = True, len(signals.seen)
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
                if len(signals.seen) > requested:  # processes that it left behind go on unrecorded
                    self._notes.append("processes that were left running are no longer recorded")
                    break
        self._images.end()
        return code

    def _without(self, process: Child, signals: Signals, code: int | None) -> int:
        """A limit was reached: the traces are over, the program goes on, or is ended."""
        self._images.end()
        if self._options.end_program:
            process.terminate()
        elif self._report is not None and code is None:
            self._report(f"{self._limits.sentence}; the program goes on without being recorded")
        while (code := process.poll()) is None:
            signals.look()
            time.sleep(_PUMP / 2000)
        self._seconds = self._seconds or time.monotonic() - self._began
        return code

    def _running(self, beyond: Mapping[int, str]) -> int:
        """Processes that may still ask for memory; one of `beyond` runs another program by now, in
        which nothing is recorded."""
        running = self._native.running()
        if running and beyond:
            rows = [self._native.image(index) for index in range(self._native.images())]
            running -= sum(row.phase == Phase.RUNS and row.pid in beyond for row in rows)
        return running

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

    def _note_once(self, note: str) -> None:
        if note not in self._notes:
            self._notes.append(note)
