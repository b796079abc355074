"""The keyboard of the terminal, where standard input is the data."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_TERMINAL = "/dev/tty"
_INPUT = 0  # the descriptor that a view takes keys from


@contextmanager
def keyboard(*, data: bool) -> Iterator[bool]:
    """Whether keys can be read. `data`: bytes are read from standard input; within, sys.stdin still
    has them, and the descriptor of standard input is the terminal."""
    if not data:
        yield True
        return
    try:
        terminal = os.open(_TERMINAL, os.O_RDWR)
    except OSError:  # no terminal, or Windows
        yield False
        return
    before = sys.stdin
    kept = os.dup(_INPUT)
    os.dup2(terminal, _INPUT)
    os.close(terminal)
    sys.stdin = open(kept, encoding="utf-8", errors="replace", closefd=False)  # noqa: SIM115
    try:
        yield True
    finally:
        sys.stdin = before
        os.dup2(kept, _INPUT)
