"""Ctrl-C, SIGTERM and SIGHUP: exit code 130, 143 or 129, no traceback, and neither half an output
nor a temporary file left behind.

Python runs a handler between two of its own instructions, and raises KeyboardInterrupt wherever
that is. Three things stand beside it: while the command still imports itself there is nobody to
catch it, so the process ends there and then; a native loop does not let the handler run, so a
thread that the signal wakes ends the process when the loop has not come back in time; and what a
verb prints is held until it is complete."""

from __future__ import annotations

import _thread
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tempfile import TemporaryDirectory

_SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)
_GRACE = 0.6  # seconds that the command has to end by itself
_DESCRIPTORS = 512  # as many as a Windows process has, unless it asks for more

_answered = _SIGNALS  # those that are not to be ignored, as nohup has SIGHUP ignored
_seen = 0  # the signal that came first
_spared = 0  # signals that only end an input, and that the watching thread has not seen yet
_temporary: set[str] = set()
_making = _thread.allocate_lock()


def arm() -> None:
    """From here on a signal ends the process at once. In the main thread, before anything that
    takes time is imported."""
    global _answered
    _answered = tuple(
        number
        for number in _SIGNALS
        if number == signal.SIGINT or signal.getsignal(number) != signal.SIG_IGN
    )
    _handle_all(_end_at_once)
    woken, wake = os.pipe()
    if hasattr(os, "set_blocking"):  # Windows has it from Python 3.12 on, and demands it nowhere
        os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    _thread.start_new_thread(_watch, (woken,))
    shown = sys.unraisablehook
    sys.unraisablehook = lambda what: None if _is_interrupt(what) else shown(what)


def raises() -> None:
    """From here on the first signal raises KeyboardInterrupt, and the second one ends all."""
    if signal.getsignal(signal.SIGINT) is _end_at_once:
        _handle_all(_raise)


@contextmanager
def ends_the_input() -> Iterator[Callable[[], bool]]:
    """Within, the first signal only makes the yielded function say True: whoever follows an
    input without an end stops, and the verb goes on to its answer. The second one ends all."""
    global _spared
    requested = False

    def end(number: int, frame: FrameType | None) -> None:
        nonlocal requested
        requested = True
        _handle_all(_end_at_once)

    if signal.getsignal(signal.SIGINT) is not _raise:  # no command: its caller has their own
        yield lambda: False
        return
    _spared = 1
    _handle_all(end)
    try:
        yield lambda: requested
    finally:
        _handle_all(_end_at_once if requested else _raise)
        if not requested:
            _spared = 0


def ends_at_once() -> None:
    """The verb is over, and only its output is still to be written."""
    if signal.getsignal(signal.SIGINT) is _raise:
        _handle_all(_end_at_once)


def seen() -> bool:
    """Whether a signal has come. A library may have made another error of it."""
    return _seen != 0


def exit_code() -> int:
    """128 and the number of the signal that ended the command, as shells have it."""
    return 128 + (_seen or signal.SIGINT)


def end() -> None:
    """The process ends as the signal asked, and what is held is not printed. Python's own exit ends
    with SIGINT where KeyboardInterrupt passed through text that was executed, whoever caught it."""
    _end(_seen)


def disarm() -> None:
    """All is done: a signal comes too late to change anything."""
    _handle_all(signal.SIG_IGN)
    signal.set_wakeup_fd(-1)


@contextmanager
def temporary(path: str, remove: Callable[[], None]) -> Iterator[None]:
    """A file that is not to outlive a signal: it is opened, renamed or removed within."""
    with _making:
        _temporary.add(path)
    try:
        yield
    except BaseException:
        remove()
        raise
    finally:
        _temporary.discard(path)


def scratch_folder(*, within: str | None = None) -> TemporaryDirectory[str]:
    """A folder for files that nobody is to see, which does not outlive a signal."""
    from tempfile import TemporaryDirectory

    with _making:
        folder = TemporaryDirectory(prefix="heapscope-", dir=within)
        _temporary.add(folder.name)
    return folder


def _handle_all(handler: Any) -> None:
    for number in _answered:
        signal.signal(number, handler)


def _raise(number: int, frame: FrameType | None) -> None:
    global _seen
    _seen = _seen or number
    _handle_all(_end_at_once)
    raise KeyboardInterrupt


def _end_at_once(number: int, frame: FrameType | None) -> None:
    _end(number)


def _end(number: int) -> None:
    _making.acquire(timeout=0.1)  # never given back: no new file is made any more
    if sys.platform == "win32" and _temporary:  # it keeps the names of files that are open
        os.closerange(3, _DESCRIPTORS)
    for path in list(_temporary):
        _remove(path)
    os._exit(128 + (_seen or number))


def _remove(path: str) -> None:
    """The file, or the folder with all that is in it. pathlib may not be there yet."""
    for folder, folders, files in os.walk(path, topdown=False):
        for name in files:
            _try(os.unlink, os.path.join(folder, name))  # noqa: PTH118
        for name in folders:
            _try(os.rmdir, os.path.join(folder, name))  # noqa: PTH118
    _try(os.rmdir if os.path.isdir(path) else os.unlink, path)  # noqa: PTH112


def _try(remove: Callable[[str], None], path: str) -> None:
    try:
        remove(path)
    except OSError:
        return


def _watch(woken: int) -> None:
    """Ends the process where the handler has not run, or nobody let its exception through. It may
    look before or after the handler of ends_the_input() has run, which changes whose handler it
    finds: so it counts."""
    global _spared
    while numbers := os.read(woken, 64):
        came = [number for number in numbers if number in _answered]
        spared = min(len(came), _spared)
        _spared -= spared
        if len(came) > spared and signal.getsignal(came[-1]) in (_raise, _end_at_once):
            time.sleep(_GRACE)
            _end(came[-1])


def _is_interrupt(unraisable: Any) -> bool:
    return isinstance(unraisable.exc_value, KeyboardInterrupt)
