"""A process that runs already: recorded until it ends, a limit is reached, or Ctrl-C."""

from __future__ import annotations

import shlex
import time
from pathlib import Path

from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.capture.record.images import Images, Progress
from heapscope.capture.record.limits import RecordLimits
from heapscope.capture.record.objects import Objects
from heapscope.capture.record.options import RecordOptions
from heapscope.capture.record.outputs import Outputs
from heapscope.capture.record.recording import RecordResult
from heapscope.capture.record.running import (
    Running,
    find_running,
    mappings,
    ptrace_advice,
    symbol_in,
)
from heapscope.capture.record.session import new_recorder
from heapscope.capture.record.signals import watched_signals
from heapscope.native.recorder import Injected, NativeRecorder, inject

_PUMP = 100  # milliseconds
_MOMENT = 10.0  # seconds in which a thread comes to a moment at which it can be asked
_LAZY_NOT_GLOBAL = 2  # RTLD_NOW
_TRIES = 5
_ALREADY, _NO_HEAP, _NO_MEMORY, _NO_SYMBOLS = 1, 2, 3, 4  # hs_rec_attached_t

_FAILED = {
    Injected.ENDED: "ended before it could be recorded",
    Injected.NO_MOMENT: f"no thread came to a moment in {_MOMENT:g} s at which it could be asked",
    Injected.FAILED: "loading the recorder's object failed in it; it goes on as before",
    Injected.LATE: "loading the recorder's object did not end; it goes on as before",
    Injected.UNKNOWN: "programs that run already can be recorded on x86-64 only",
}


def attach(options: RecordOptions, *, progress: Progress | None = None) -> RecordResult:
    """Records the process `options.pid`, which goes on afterwards. InputError where it cannot be,
    and where the output cannot be written."""
    objects = Objects()
    running = find_running(options.pid or 0, objects.attach())
    outputs = Outputs(options.out, children=options.children)
    try:
        with new_recorder(objects, options, shlex.join(running.command)) as native:
            return _Attached(native, options, objects.attach(), running, outputs, progress).whole()
    except BaseException:
        outputs.abandon()
        raise


class _Attached:
    def __init__(
        self,
        native: NativeRecorder,
        options: RecordOptions,
        attach_object: Path,
        running: Running,
        outputs: Outputs,
        progress: Progress | None,
    ) -> None:
        self._native = native
        self._options = options
        self._object = attach_object
        self._process = running
        self._outputs = outputs
        self._images = Images(native, options, outputs, progress)
        self._limits = RecordLimits(options.seconds, options.size)
        self._notes: list[str] = []

    def whole(self) -> RecordResult:
        self._images.look(str(self._process.program))
        with watched_signals() as signals:
            self._enter()
            began = time.monotonic()
            while not signals.seen:
                self._native.pump(self._limits.wait(_PUMP))
                signals.look()
                self._images.take(last=self._native.running() == 0)
                self._images.show()
                if self._limits.look(started=self._images.started(), size=self._outputs.size):
                    break
                if self._native.images() and self._native.running() == 0:
                    break
            over = self._native.running() == 0
            self._native.stop()
            seconds = time.monotonic() - began
            if not over:
                self._leave()
            self._images.end()
        self._outputs.close()
        images = self._images.rows()
        return RecordResult(
            command=self._process.command or ("?",),
            exit_code=0,
            seconds=seconds,
            images=images,
            unrecorded=self._native.missed(),
            attached=True,
            ended_by=self._limits.reached,
            recorded_seconds=None if over else self._images.until(),
            notes=(*self._notes, *self._outputs.notes),
        )

    # ---- into it, and out of it ----

    def _enter(self) -> None:
        handle = self._call(self._process.dlopen, str(self._object).encode(), _LAZY_NOT_GLOBAL)
        if handle == 0:
            raise self._refusal(f"could not load {self._object}: {self._why()}")
        answer = self._call(self._ours("heapscope_attach"), self._native.variable.encode(), 0)
        if answer == _ALREADY:
            raise self._refusal("is being recorded by another heapscope record --pid")
        if answer == _NO_HEAP:
            raise self._refusal("has no malloc that could be recorded")
        if answer == _NO_MEMORY:
            raise self._refusal(
                "cannot open the recorder's memory", "run heapscope as the process's own user"
            )
        if answer == _NO_SYMBOLS:
            self._notes.append("calls of files that it loaded later are not recorded")

    def _leave(self) -> None:
        """Its calls go where they went before. The object stays, as a thread may be in it."""
        try:
            self._call(self._ours("heapscope_detach"), None, 0)
        except InputError:
            self._notes.append(
                f"process {self._process.pid}: its calls still pass through the recorder's object, "
                "which records nothing any more"
            )

    def _ours(self, name: str) -> int:
        for one in mappings(self._process.pid):
            if one.path == str(self._object):
                return symbol_in(self._object, one.base, name)
        raise self._refusal("did not keep the recorder's object")

    def _call(self, function: int, text: bytes | None, number: int) -> int:
        process = self._process
        ours = [(m.base, m.end) for m in mappings(process.pid) if m.path == str(self._object)]
        status, result, _ = inject(
            process.pid,
            function,
            text=text,
            number=number,
            avoided=(*process.avoided, *ours),
            library=process.library,
            signal_return=process.signal_return,
            seconds=_MOMENT,
        )
        if status == Injected.REFUSED:
            raise self._refusal("the system does not allow it to be recorded", ptrace_advice())
        if status != Injected.DONE:
            raise self._refusal(_FAILED[status])
        return result & 0xFFFFFFFF if function != process.dlopen else result

    def _why(self) -> str:
        """The loader's own words."""
        try:
            at = self._call(self._process.dlerror, None, 0)
        except InputError:
            return "it does not say why"
        return "its loader refused it" if at else "it does not say why"

    def _refusal(self, what: str, remedy: str = "start it with heapscope record") -> InputError:
        shown = printable(" ".join(self._process.command), limit=80)
        return InputError(f"process {self._process.pid} ({shown}): {what}", remedy=remedy)
