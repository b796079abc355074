"""A log that still comes in: what happens in it is reported before it ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import IO

import pytest

import heapscope as hs
from heapscope.base.errors import InputError
from heapscope.logs.reader.happenings import Happening
from heapscope.logs.reader.incoming import Incoming

COMMAND = [sys.executable, "-m", "heapscope", "log"]
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="signals and pseudo-terminals of POSIX")

EVENTS = (
    ("I (1000) app: Free heap: 90000\n", ""),
    ("I (2000) app: Free heap: 80000\n", "line 2, 2.000 s: a new minimum: free 80,000 B"),
    ("I (3000) app: Free heap: 85000\n", ""),
    ("Mem alloc fail. size 0x000006a0 caps 0x00001800\n", "line 4: a request of 1,696 B"),
    ("rst:0xc (SW_CPU_RESET),boot:0x33\n", "line 5: the program starts anew (SW_CPU_RESET)"),
    ("CORRUPT HEAP: Bad tail at 0x3fcd6ce4. Expected 0xbaad5678 got 0x0\n", "line 6: the heap is"),
    ("Guru Meditation Error: Core  0 panic'ed (StoreProhibited)\n", "line 7: the program stops"),
)


@contextmanager
def following(*options: str) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [*COMMAND, *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        yield process
        process.kill()


def say(stream: IO[str] | None, text: str) -> None:
    assert stream is not None
    stream.write(text)
    stream.flush()


def heard(stream: IO[str] | None) -> str:
    assert stream is not None
    return stream.readline()


def test_what_happens_is_reported_before_the_input_ends() -> None:
    with following("-") as process:
        for line, wanted in EVENTS:
            say(process.stdin, line)
            if wanted:
                assert heard(process.stdout).startswith(wanted)
        assert process.stdin is not None
        process.stdin.close()
        assert heard(process.stdout).startswith("The heap is overwritten at 0x3fcd6ce4")
        assert process.wait() == 0


def test_json_has_standard_output_for_itself() -> None:
    with following("-", "--json", "-") as process:
        say(process.stdin, "Free heap: 9000\nFree heap: 8000\n")
        assert heard(process.stderr) == "line 2: a new minimum: free 8,000 B\n"
        assert process.stdin is not None
        process.stdin.close()
        assert process.stdout is not None
        assert json.load(process.stdout)["answer"]["free"] == 8000


@POSIX
def test_ctrl_c_ends_the_input_and_the_answer_comes() -> None:
    with following("-") as process:
        say(process.stdin, "Free heap: 9000\nFree heap: 8000\n")
        assert "8,000" in heard(process.stdout)
        process.send_signal(signal.SIGINT)
        assert heard(process.stdout).startswith("In the last state: 8,000 B are free")
        assert process.wait() == 0


def test_what_happens_is_left_to_the_answer_where_the_input_ends_within_the_delay() -> None:
    patient = (
        "import runpy, heapscope.cli.happenings as happenings\n"
        "happenings.DELAY = 600\n"  # a busy machine takes longer than the product's
        "runpy.run_module('heapscope', run_name='__main__')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", patient, "log", "-"],
        input="Free heap: 9000\nFree heap: 8000\n",
        capture_output=True,
        text=True,
    )
    assert done.stdout.startswith("In the last state: 8,000 B are free")


@POSIX
def test_a_line_without_an_end_is_reported_when_nothing_follows(tmp_path: Path) -> None:
    path = tmp_path / "fifo"
    os.mkfifo(path)
    happenings: list[Happening] = []
    writer = subprocess.Popen(
        [sys.executable, "-c", f"import time\nwith open({str(path)!r}, 'w') as f:\n"
         " f.write('Free heap: 9000\\nFree heap: 8000'); f.flush(); time.sleep(60)\n"]
    )  # fmt: skip
    try:
        result = hs.log(path, on_happening=happenings.append, stop=lambda: bool(happenings))
    finally:
        writer.kill()
        writer.wait()
    assert [(one.kind, one.line) for one in happenings] == [("minimum", 2)]
    assert result.answer.series_free == (9000, 8000)


@POSIX
def test_a_serial_port_is_followed() -> None:
    import pty
    import tty

    device, port = pty.openpty()
    tty.setraw(port)
    happenings: list[Happening] = []
    with Incoming(f"serial:{os.ttyname(port)}", stop=lambda: bool(happenings)) as incoming:
        os.write(device, b"Free heap: 9000\r\nFree heap: 8000\r\n")
        pieces = iter(incoming)
        received = b""
        while received.count(b"\n") < 2:
            received += next(pieces)
    assert received == b"Free heap: 9000\r\nFree heap: 8000\r\n"


class ClosedInBetween:
    """A serial port that is closed after it was asked what waits, and before that is read."""

    in_waiting = 1
    is_open = True

    def read(self, size: int) -> bytes:
        raise TypeError("'NoneType' object cannot be interpreted as an integer")

    def close(self) -> None:
        self.is_open = False


@pytest.mark.parametrize("closed", [True, False])
def test_a_port_that_is_closed_while_it_is_read_ends_quietly(
    closed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = ClosedInBetween()
    port.is_open = not closed
    faults: list[object] = []
    monkeypatch.setattr(
        import_module("heapscope.logs.reader.incoming"), "open_serial", lambda *_, **__: port
    )
    monkeypatch.setattr("threading.excepthook", lambda fault: faults.append(fault.exc_type))
    with Incoming("serial:COM999") as incoming:
        incoming._thread.join()
    assert faults == ([] if closed else [TypeError])


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("COM999", "COM999: no such port|needs pyserial"),
        ("/dev/ttyNOTHING", "^/dev/ttyNOTHING: no such port$|needs pyserial"),
        ("serial:/dev/ttyNOTHING@921600", "^/dev/ttyNOTHING: no such port$|needs pyserial"),
        ("/dev/ttyNOTHING@fast", "'fast' is not a speed"),
        ("tcp:192.168.4.1:3333", "a file, a pipe or a serial port, and no tcp port"),
        ("udp:3333", "a file, a pipe or a serial port, and no udp port"),
        ("tcp:", "'' is not a port number"),
    ],
)
def test_a_port_that_cannot_be_read_is_named(source: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        hs.log(source)
