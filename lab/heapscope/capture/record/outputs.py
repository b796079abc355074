"""Which file each image's trace is in: T.hst for what the command became, others beside it."""

from __future__ import annotations

import stat
from dataclasses import dataclass, field
from pathlib import Path

from heapscope.base.errors import InputError
from heapscope.base.output import STDOUT
from heapscope.base.printable import printable
from heapscope.capture.record.sink import Sink, open_file, open_first, refusing_sink

_SUFFIXES = (".hst.zst", ".hst", ".zst")
_HELD = 1 << 20  # bytes of an image that waits for whether it is the one to be written


@dataclass
class ImageOutput:
    """The output of one image. Nothing is written before it has an event."""

    pid: int
    sink: Sink | None = None
    held: list[bytes] = field(default_factory=list)
    size: int = 0  # bytes held
    whole_events: int = 0  # of what the sink took, up to its last whole piece
    whole_peak: int = 0

    def hold(self, data: bytes) -> None:
        self.held.append(data)
        self.size += len(data)

    def flush(self, sink: Sink) -> None:
        self.sink = sink
        for data in self.held:
            sink.write(data)
        self.held, self.size = [], 0


class Outputs:
    """The command's process may run several images, one exec after the other (a shell, env, a
    wrapper): T.hst is the last one's, and the earlier ones are T.PID.1.hst, T.PID.2.hst, ...
    Another process is T.PID.hst, after an exec T.PID.2.hst. Where `out` is not a regular file
    only one trace is written: that of the first image of the command's process that is not soon
    followed by another."""

    def __init__(self, out: str, *, children: bool) -> None:
        self._out = out
        self._children = children
        self._first: Sink | None = open_first(out)
        self._single = out == STDOUT or not stat.S_ISREG(Path(out).stat().st_mode)
        self._pid: int | None = None  # of the command
        self._current: ImageOutput | None = None  # has T.hst
        self._numbers: dict[int, int] = {}
        self._empty: ImageOutput | None = None
        self._sinks: list[Sink] = [] if self._first is None else [self._first]
        self.notes: list[str] = []

    @property
    def size(self) -> int:
        """Bytes of all files so far."""
        return sum(sink.size for sink in self._sinks)

    def new(self, pid: int) -> ImageOutput:
        if self._pid is None:
            self._pid = pid
        return ImageOutput(pid=pid)

    def write(self, image: ImageOutput, data: bytes, *, events: int) -> None:
        image.hold(data)
        wait = self._single and image.pid == self._pid and image.size < _HELD
        if image.sink is None and events and not wait:
            self._open(image)
        if image.sink is not None:
            image.flush(image.sink)

    def end(self, image: ImageOutput, *, events: int, last: bool) -> None:
        """The image is over and all of it was given to write(). `last`: so is its process."""
        if image.sink is None and events and (last or not self._single):
            self._open(image)
        if image.sink is not None:
            image.flush(image.sink)
            image.sink.close()
        elif events == 0 and image.pid == self._pid:
            self._empty = image

    def close(self) -> bool:
        """After the last image. A command without an event has a trace all the same. False:
        nothing to write, and no file."""
        first, self._first = self._first, None
        if first is None:
            return True
        if self._empty is not None:
            self._empty.flush(first)
        first.close()
        if self._empty is None and not self._single:
            Path(self._out).unlink(missing_ok=True)
        return self._empty is not None

    def abandon(self) -> None:
        """There is no recording. A file that was opened and got nothing goes again."""
        if self._first is not None:
            self._first.close()
            if not self._single and Path(self._out).stat().st_size == 0:
                Path(self._out).unlink()

    # ---- names ----

    def _open(self, image: ImageOutput) -> None:
        if image.pid == self._pid:
            image.sink = self._open_own(image)
        elif self._single:
            self._note("processes that the program started are not written to a single output")
        elif self._children:
            number = self._numbers[image.pid] = self._numbers.get(image.pid, 0) + 1
            part = f".{image.pid}" if number == 1 else f".{image.pid}.{number}"
            image.sink = self._file(self._beside(part))

    def _open_own(self, image: ImageOutput) -> Sink | None:
        before, self._current = self._current, image
        if before is None:
            first, self._first = self._first, None
            return first
        if self._single:
            self._note(
                "what the program ran after its first exec is not written to a single output"
            )
            return None
        number = self._numbers[image.pid] = self._numbers.get(image.pid, 0) + 1
        name = self._beside(f".{image.pid}.{number}")
        if before.sink is not None:
            Path(self._out).replace(name)
            before.sink.name = printable(str(name), limit=400)
            before.sink.path = str(name)
        return self._file(Path(self._out))

    def _beside(self, part: str) -> Path:
        path = Path(self._out)
        suffix = next((s for s in _SUFFIXES if path.name.endswith(s)), "")
        return path.with_name(path.name.removesuffix(suffix) + part + suffix)

    def _file(self, path: Path) -> Sink:
        shown = printable(str(path), limit=400)
        try:
            sink = open_file(path, shown)
        except InputError as error:
            sink = refusing_sink(shown, error.message)
        self._sinks.append(sink)
        return sink

    def _note(self, note: str) -> None:
        if note not in self.notes:
            self.notes.append(note)
