"""Ctrl-C: exit code 130, no traceback, and neither half an output nor a temporary file left behind.

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
from typing import Any

INTERRUPTED = 130  # 128 and the signal's number, as shells have it

_GRACE = 0.6  # seconds that the command has to end by itself
_DESCRIPTORS = 512  # as many as a Windows process has, unless it asks for more

_seen = False
_spared = 0  # interrupts that only end an input, and that the watching thread has not seen yet
_temporary: set[str] = set()
_making = _thread.allocate_lock()


def arm() -> None:
    """From here on an interrupt ends the process at once. In the main thread, before anything that
    takes time is imported."""
    signal.signal(signal.SIGINT, _end_at_once)
    woken, wake = os.pipe()
    if hasattr(os, "set_blocking"):  # Windows has it from Python 3.12 on, and demands it nowhere
        os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    _thread.start_new_thread(_watch, (woken,))
    shown = sys.unraisablehook
    sys.unraisablehook = lambda what: None if _is_interrupt(what) else shown(what)


def raises() -> None:
    """From here on the first interrupt raises KeyboardInterrupt, and the second one ends all."""
    if signal.getsignal(signal.SIGINT) is _end_at_once:
        signal.signal(signal.SIGINT, _raise)


@contextmanager
def ends_the_input() -> Iterator[Callable[[], bool]]:
    """Within, the first interrupt only makes the yielded function say True: whoever follows an
    input without an end stops, and the verb goes on to its answer. The second one ends all."""
    global _spared
    before = signal.getsignal(signal.SIGINT)
    asked = False

    def end(number: int, frame: FrameType | None) -> None:
        nonlocal asked
        asked = True
        signal.signal(signal.SIGINT, _end_at_once)

    if before is not _raise:  # no command: its caller has a handler of their own
        yield lambda: False
        return
    _spared = 1
    signal.signal(signal.SIGINT, end)
    try:
        yield lambda: asked
    finally:
        signal.signal(signal.SIGINT, _end_at_once if asked else before)
        if not asked:
            _spared = 0


def ends_at_once() -> None:
    """The verb is over, and only its output is still to be written."""
    if signal.getsignal(signal.SIGINT) is _raise:
        signal.signal(signal.SIGINT, _end_at_once)


def seen() -> bool:
    """Whether one has come. A library may have made another error of it."""
    return _seen


def disarm() -> None:
    """All is done: an interrupt comes too late to change anything."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.set_wakeup_fd(-1)


@contextmanager
def temporary(path: str, remove: Callable[[], None]) -> Iterator[None]:
    """A file that is not to outlive an interrupt: it is opened, renamed or removed within."""
    with _making:
        _temporary.add(path)
    try:
        yield
    except BaseException:
        remove()
        raise
    finally:
        _temporary.discard(path)


def _raise(number: int, frame: FrameType | None) -> None:
    global _seen
    _seen = True
    signal.signal(signal.SIGINT, _end_at_once)
    raise KeyboardInterrupt


def _end_at_once(number: int, frame: FrameType | None) -> None:
    _end()


def _end() -> None:
    _making.acquire(timeout=0.1)  # never given back: no new file is made any more
    if sys.platform == "win32" and _temporary:  # it keeps the names of files that are open
        os.closerange(3, _DESCRIPTORS)
    for path in list(_temporary):
        try:
            os.unlink(path)  # noqa: PTH108 - pathlib may not be there yet
        except OSError:
            continue
    os._exit(INTERRUPTED)


def _watch(woken: int) -> None:
    """Ends the process where the handler has not run, or nobody let its exception through. It may
    look before or after the handler of ends_the_input() has run, which changes whose handler it
    finds: so it counts."""
    global _spared
    while numbers := os.read(woken, 64):
        came = numbers.count(signal.SIGINT)
        spared = min(came, _spared)
        _spared -= spared
        ours = signal.getsignal(signal.SIGINT) in (_raise, _end_at_once)
        if came > spared and ours:
            time.sleep(_GRACE)
            _end()


def _is_interrupt(unraisable: Any) -> bool:
    return isinstance(unraisable.exc_value, KeyboardInterrupt)
