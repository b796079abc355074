"""The native recorder of Linux programs."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from heapscope.base.errors import HeapscopeError
from heapscope.native.library import ffi, load
from heapscope.native.owner import NativeOwner
from heapscope.native.structs import number_of, struct_of

_TAKE = 1 << 18
_FRAMES = 256
_NONE = (1 << 64) - 1


class Phase:
    """The phase of an image, which is what a process runs between two execs."""

    RUNS, OVER, FINISHED, RELEASED = range(4)


@dataclass(frozen=True, kw_only=True)
class ModuleRow:
    """A file that lay in a recorded process: addresses, and what of the file came first."""

    path: str
    start: int
    size: int
    file_offset: int


def _modes(drop: bool, libc: bool, paused: bool) -> int:
    """HS_REC_DROP, HS_REC_NO_OWN and HS_REC_PAUSED."""
    return 1 * drop + 4 * libc + 8 * paused


def watch_interrupts() -> None:
    """From now on SIGINT and SIGQUIT are noted, and do nothing else, until signal.signal()."""
    load().hs_lab_record_watch_interrupts()


def interrupts(*, of_process: bool) -> tuple[int, ...]:
    """The numbers of the signals that came since the last call: of another process, or of the
    terminal."""
    seen = int(load().hs_lab_record_interrupts(int(of_process)))
    return tuple(number for number in range(32) if seen >> number & 1)


class Injected:
    """How a call in another process went (hs_rec_injected_t)."""

    DONE, REFUSED, ENDED, NO_MOMENT, FAILED, LATE, UNKNOWN = range(7)


def inject(
    pid: int,
    function: int,
    *,
    text: bytes | None,
    number: int,
    avoided: Sequence[tuple[int, int]],
    library: tuple[int, int],
    signal_return: int,
    seconds: float,
) -> tuple[int, int, int]:
    """Has a thread of a process call a function, as hs_lab_record_inject tells: how it went, the
    result, and the system's error."""
    result, error = ffi.new("uint64_t *"), ffi.new("int32_t *")
    status = load().hs_lab_record_inject(
        pid,
        function,
        ffi.NULL if text is None else ffi.new("char[]", text),
        number,
        ffi.new("uint64_t[]", [end for one in avoided for end in one]),
        len(avoided),
        ffi.new("uint64_t[]", library),
        signal_return,
        seconds,
        result,
        error,
    )
    return int(status), int(result[0]), int(error[0])


class NativeRecorder(NativeOwner):
    """Shared memory for programs that are recorded, and what takes their events out of it. Not for
    several threads at a time. Use as a context manager."""

    def __init__(
        self,
        *,
        preload64: str,
        preload32: str,
        version: str,
        program: str,
        drop: bool = False,
        libc: bool = False,
        paused: bool = False,
        addresses: bool = False,
        frames: int = 0,
    ) -> None:
        lib = load()
        texts = [text.encode("utf-8", "surrogateescape") for text in (preload64, preload32)]
        names = [text.encode("utf-8", "replace") for text in (version, program)]
        modes = _modes(drop, libc, paused)
        record = lib.hs_lab_record_new(*texts, *names, modes, int(addresses), frames)
        if record == ffi.NULL:
            raise HeapscopeError(
                f"no shared memory for the recording: {os.strerror(ffi.errno)}",
                remedy="lift the limit on the size of files (ulimit -f); memfd_create must be "
                "allowed here",
            )
        super().__init__(record, lib.hs_lab_record_delete, what="recorder")
        self._buffer = ffi.new("uint8_t[]", _TAKE)
        self._frames = ffi.new("uint64_t[]", _FRAMES)

    @property
    def variable(self) -> str:
        """Value of HEAPSCOPE_RECORD in the program's environment."""
        return str(ffi.string(self._lib.hs_lab_record_variable(self.handle)).decode("ascii"))

    #: Takes records for so many ms, or until something is ready; how many. Without the GIL.
    pump = number_of("hs_lab_record_pump")

    def stop(self) -> None:
        """Nothing is recorded from now on; the programs go on. Images are over when they were
        pumped for a little."""
        self._lib.hs_lab_record_close(self.handle)

    images = number_of("hs_lab_record_images")
    running = number_of("hs_lab_record_running")
    #: Processes that were not recorded because they found no place.
    missed = number_of("hs_lab_record_missed")

    def overwritten(self) -> bool:
        """A program wrote over the memory that it shares with the recorder."""
        return bool(self._lib.hs_lab_record_overwritten(self.handle))

    def object_wanted(self) -> bool:
        return bool(self._lib.hs_lab_record_object_wanted(self.handle))

    def answer_object(self, there: bool) -> None:
        self._lib.hs_lab_record_object(self.handle, int(there))

    def ready(self) -> Iterator[int]:
        """Images with bytes to take, or that are over."""
        index = 0
        while (index := self._lib.hs_lab_record_ready(self.handle, index)) != _NONE:
            yield int(index)
            index += 1

    #: hs_lab_record_image_t of an image.
    image = struct_of("hs_lab_record_image")

    def program(self, index: int) -> str:
        raw = ffi.string(self._lib.hs_lab_record_program(self.handle, index))
        return str(raw.decode("utf-8", "replace"))

    def take(self, index: int) -> Iterator[bytes]:
        """The finished bytes of an image's trace that were not taken yet."""
        while count := self._lib.hs_lab_record_take(self.handle, index, self._buffer, _TAKE):
            yield bytes(ffi.buffer(self._buffer, count))

    def stack(self, index: int, number: int) -> tuple[int, ...]:
        """Return addresses of a stack (from 1), innermost first."""
        count = self._lib.hs_lab_record_stack(self.handle, index, number, self._frames, _FRAMES)
        return tuple(ffi.unpack(self._frames, count)) if count else ()

    #: How many of modules() were known when a stack of an image was.
    stack_modules = number_of("hs_lab_record_stack_modules")

    def modules(self, index: int) -> tuple[ModuleRow, ...]:
        out = ffi.new("hs_lab_record_module_t *")
        rows = []
        for number in range(self.image(index).modules):
            raw = ffi.string(self._lib.hs_lab_record_module(self.handle, index, number, out))
            path = raw.decode("utf-8", "surrogateescape")
            rows.append(
                ModuleRow(path=path, start=out.start, size=out.size, file_offset=out.file_offset)
            )
        return tuple(rows)

    def name_site(self, index: int, site: int, name: bytes) -> None:
        self._lib.hs_lab_record_site(self.handle, index, site, name, len(name))

    def fact(self, index: int, key: str, value: str) -> None:
        """A fact for the metadata of an image's trace; before most of its events."""
        raw = value.encode("utf-8", "replace")
        self._lib.hs_lab_record_fact(self.handle, index, key.encode("ascii"), raw)

    def finish(self, index: int) -> None:
        """Ends the image's trace; then take() has the rest of it."""
        self._lib.hs_lab_record_finish(self.handle, index)

    def release(self, index: int) -> None:
        self._lib.hs_lab_record_release(self.handle, index)
