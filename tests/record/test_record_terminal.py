"""`heapscope record` on a terminal: a line that shows how it goes, and Ctrl-C."""

from __future__ import annotations

import fcntl
import os
import pty
import signal
import subprocess
import sys
import termios
from pathlib import Path

from heapscope.native.reader import NativeReader
from heapscope.trace.feed import read_trace

#: Allocates now and then, until it is interrupted.
PROGRAM = "import time\nwhile True:\n    bytearray(100_000)\n    time.sleep(0.01)"


def owns_terminal() -> None:
    """The terminal that is its input sends it the signals of the keyboard."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def read_until(terminal: int, wanted: bytes) -> bytes:
    """All that was written up to then; up to its end for b""."""
    stated = b""
    while not wanted or wanted not in stated:
        try:
            piece = os.read(terminal, 4096)
        except OSError:  # nobody has the other side any more
            piece = b""
        if not piece:
            assert not wanted, stated
            return stated
        stated += piece
    return stated


def test_it_shows_how_it_goes_and_control_c_ends_the_program_not_the_file(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    words = [sys.executable, "-m", "heapscope", "record", "-o", "T.hst", "--"]
    run = subprocess.Popen(
        [*words, sys.executable, "-c", PROGRAM],
        cwd=tmp_path,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        preexec_fn=owns_terminal,
    )
    os.close(theirs)
    try:
        until = read_until(ours, b" B live")
        assert b"\rrecording: " in until.replace(b"\x1b[K", b"")
        os.write(ours, b"\x03")
        until = read_until(ours, b"")
        code = run.wait(timeout=60)
    finally:
        run.kill()
        os.close(ours)
    assert code == 128 + signal.SIGINT
    assert b"KeyboardInterrupt" in until  # the program's own end
    assert b"exit code 130" in until
    assert b"next: heapscope replay T.hst" in until
    with NativeReader() as reader:
        assert read_trace(tmp_path / "T.hst", reader).whole
