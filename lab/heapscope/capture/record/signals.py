"""The signals that a recorder gets, and its program should have."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from heapscope.base.child_process import Child
from heapscope.native.recorder import interrupts, watch_interrupts

_KEYBOARD = (signal.SIGINT, signal.SIGQUIT)


class Signals:
    """Ctrl-C and Ctrl-\\ reach the program from the terminal: they end it, not the recording. A
    signal that a process sends to this one alone is handed on, and what came before the program was
    there too."""

    def __init__(self) -> None:
        self.seen: list[int] = []
        self._process: Child | None = None
        self._early: list[int] = []

    def of(self, process: Child) -> None:
        self._process = process
        for number in self._early:
            process.send_signal(number)

    def look(self) -> None:
        """Now and then: interrupts of the keyboard, and of processes."""
        self.seen += interrupts(of_process=False)
        for number in interrupts(of_process=True):
            self.hand_on(number, None)

    def hand_on(self, number: int, frame: FrameType | None) -> None:
        self.seen.append(number)
        if self._process is None:
            self._early.append(number)
        else:
            self._process.send_signal(number)  # nothing where it has ended


@contextmanager
def watched_signals() -> Iterator[Signals]:
    """From before the program's start to its end."""
    signals = Signals()
    if threading.current_thread() is not threading.main_thread():
        yield signals  # signals are another's affair
        return
    ends = [
        number
        for number in (signal.SIGTERM, signal.SIGHUP)
        if signal.getsignal(number) != signal.SIG_IGN  # by nohup, for the program, too
    ]
    before = {number: signal.getsignal(number) for number in (*_KEYBOARD, *ends)}
    for number in ends:
        signal.signal(number, signals.hand_on)
    watch_interrupts()
    signals.look()  # none that is older
    signals.seen.clear()
    try:
        yield signals
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
