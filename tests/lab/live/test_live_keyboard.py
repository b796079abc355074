"""`live -` in a terminal: the bytes come from standard input, the keys from the terminal."""

from __future__ import annotations

import os
import select
import struct
import subprocess
import sys
from pathlib import Path

import pytest

if sys.platform != "win32":
    import fcntl
    import pty
    import termios

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals of POSIX")

COMMAND = [sys.executable, "-m", "heapscope", "live", "-", "--no-files"]
BLOCKS = [(0x100 * i, 0x40) for i in range(8)]


def screen_until(terminal: int, words: bytes) -> bytes:
    """The bytes that draw, until they have the words."""
    drawn = b""
    while words not in drawn:
        assert select.select([terminal], [], [], 60)[0], drawn[-2000:]
        try:
            drawn += os.read(terminal, 1 << 16)
        except OSError:  # the other side is closed
            raise AssertionError(drawn[-2000:]) from None
    return drawn


def test_keys_come_from_the_terminal_while_bytes_come_in(make_boot, tmp_path: Path) -> None:
    terminal, line = pty.openpty()
    fcntl.ioctl(line, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 160, 0, 0))
    process = subprocess.Popen(
        COMMAND,
        stdin=subprocess.PIPE,
        stdout=line,
        stderr=line,
        env={**os.environ, "TERM": "xterm-256color"},
        preexec_fn=lambda: _controls(line),
        cwd=tmp_path,
    )
    os.close(line)
    assert process.stdin is not None
    chunks = make_boot(7, BLOCKS)
    process.stdin.write(b"\xffq\x80" + b"".join(chunks[:3]))  # a q of the stream is data
    process.stdin.flush()
    screen_until(terminal, b"boot 7")
    process.stdin.write(b"".join(chunks[3:]))
    process.stdin.flush()
    screen_until(terminal, b"8 blocks")
    os.write(terminal, b"q")
    screen_until(terminal, b"heard for")
    assert process.wait(60) == 0
    process.stdin.close()
    os.close(terminal)


def _controls(line: int) -> None:
    """A session of its own, whose terminal is this one."""
    os.setsid()
    fcntl.ioctl(line, termios.TIOCSCTTY, 0)


def test_without_a_terminal_there_are_lines(make_boot, tmp_path: Path) -> None:
    """Standard output is a terminal, but not that of the session."""
    terminal, line = pty.openpty()
    process = subprocess.Popen(
        COMMAND,
        stdin=subprocess.PIPE,
        stdout=line,
        stderr=line,
        start_new_session=True,
        cwd=tmp_path,
    )
    os.close(line)
    assert process.stdin is not None
    process.stdin.write(b"".join(make_boot(7, BLOCKS)))
    process.stdin.close()
    assert b"live 512 B in 8 blocks" in screen_until(terminal, b"heard for")
    assert process.wait(60) == 0
    os.close(terminal)
