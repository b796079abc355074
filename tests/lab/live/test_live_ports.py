"""Real transports: a pseudo-terminal, sockets on the loopback, a file, pipes."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import heapscope as hs
from heapscope.errors import InputError
from heapscope.live.live_result import LiveResult
from heapscope.live.moment import LiveMoment
from heapscope.live.port import find_port

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals and pipes of POSIX")
BLOCKS = [(0x100 * i, 0x40) for i in range(8)]


class Listening:
    """`hs.live` in a thread, until `events` heap events were heard."""

    def __init__(self, port: str, *, events: int, after: str = "") -> None:
        self.opened = threading.Event()
        self.seen: list[str] = []
        self.where = ""
        self.moment: LiveMoment | None = None
        self._events = events
        self._after = after
        self._result: LiveResult | None = None
        self._thread = threading.Thread(target=self._run, args=(port,), daemon=True)
        self._thread.start()

    def _run(self, port: str) -> None:
        self._result = hs.live(
            port,
            out=None,
            seconds=60,
            on_open=self._open,
            on_moment=self._take,
            stop=lambda: self._done(),
        )

    def _open(self, where: str) -> None:
        self.where = where
        self.opened.set()

    def _take(self, moment: LiveMoment) -> None:
        self.seen += [one.kind for one in moment.happenings]
        self.moment = moment

    def _done(self) -> bool:
        enough = self.moment is not None and self.moment.events >= self._events
        return enough and (not self._after or self._after in self.seen)

    def address(self) -> tuple[str, int]:
        assert self.opened.wait(30)
        host, number = re.fullmatch(r"(.+), port (\d+)", self.where).groups()
        return host, int(number)

    def result(self) -> LiveResult:
        self._thread.join(60)
        assert self._result is not None
        assert self._result.ended_by == "stop"
        return self._result


def test_a_tcp_port_that_listens_takes_one_device_after_the_other(make_boot) -> None:
    listening = Listening("tcp:0", events=8)
    address = listening.address()
    assert address[0] == "127.0.0.1"
    for boot, blocks in ((1, BLOCKS[:2]), (2, BLOCKS)):
        with socket.create_connection(address) as device:
            device.sendall(b"".join(make_boot(boot, blocks)))
    assert [one.boot for one in listening.result().recordings] == ["1", "2"]
    told = [one for one in listening.seen if one in ("gone", "back")]
    assert told[:2] == ["gone", "back"]
    assert told.count("back") == 1, "it is back when somebody connects"


def test_a_device_that_listens_is_connected_to_again(make_boot) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        host, number = server.getsockname()
        listening = Listening(f"tcp:{host}:{number}", events=8, after="back")
        chunks = make_boot(1, BLOCKS)
        for part in (chunks[:2], chunks[2:]):
            connection, _ = server.accept()
            with connection:
                connection.sendall(b"".join(part))
        result = listening.result()
    assert [(one.events, one.missing) for one in result.recordings] == [(8, 0)]


def test_datagrams_of_one_device_are_heard(make_boot) -> None:
    listening = Listening("udp:0", events=8)
    address = listening.address()
    assert address[0] == "127.0.0.1"
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as device:
        for chunk in make_boot(1, BLOCKS):
            device.sendto(chunk, address)
    assert [(one.events, one.missing) for one in listening.result().recordings] == [(8, 0)]


@POSIX
def test_a_serial_port_with_a_log_between_the_chunks(make_boot) -> None:
    import pty
    import tty

    device, port = pty.openpty()
    tty.setraw(port)
    listening = Listening(f"serial:{os.ttyname(port)}@921600", events=8)
    wait_for(lambda: listening.moment is not None)  # opening a port empties it
    for chunk in make_boot(1, BLOCKS):
        os.write(device, b"I (1) app: hello\r\n" + chunk)
    (found,) = listening.result().recordings
    assert (found.events, found.missing) == (8, 0)
    os.close(device)
    os.close(port)


@POSIX
def test_a_serial_port_that_was_unplugged_is_opened_again(make_boot, tmp_path: Path) -> None:
    import pty
    import tty

    link = tmp_path / "ttyUSB"
    chunks = make_boot(1, BLOCKS)

    def plug() -> tuple[int, int]:
        device, port = pty.openpty()
        tty.setraw(port)
        link.unlink(missing_ok=True)
        link.symlink_to(os.ttyname(port))
        return device, port

    device, port = plug()
    listening = Listening(f"serial:{link}", events=8, after="back")
    wait_for(lambda: listening.moment is not None)
    os.write(device, b"".join(chunks[:2]))
    wait_for(lambda: listening.moment is not None and listening.moment.recording == 1)
    os.close(port)
    os.close(device)
    device, port = plug()
    wait_for(lambda: "back" in listening.seen)
    os.write(device, b"".join(chunks[2:]))
    assert [one.events for one in listening.result().recordings] == [8]
    assert "gone" in listening.seen
    os.close(device)
    os.close(port)


def wait_for(true: Callable[[], bool]) -> None:
    for _ in range(600):
        if true():
            return
        time.sleep(0.05)
    raise AssertionError("it never came")


@POSIX
def test_a_named_pipe_is_heard_to_its_end(make_boot, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    data = b"".join(make_boot(1, BLOCKS))
    writer = threading.Thread(target=pipe.write_bytes, args=(data,))
    writer.start()
    result = hs.live(pipe, out=None)
    writer.join()
    assert result.ended_by == "input"
    assert [one.events for one in result.recordings] == [8]


def test_standard_input_is_heard_to_its_end(make_boot) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "heapscope", "live", "-", "--no-files"],
        input=b"".join(make_boot(1, BLOCKS)),
        capture_output=True,
        check=True,
    )
    assert b"live 512 B in 8 blocks" in done.stdout


@pytest.mark.parametrize(
    ("port", "words"),
    [
        ("no/such/file", "cannot be read"),
        (".", "is a folder"),
        ("tcp:", "is not a port number"),
        ("udp:70000", "is not a port number"),
        ("tcp:127.0.0.1:x", "is not a port number"),
        ("serial:/dev/ttyUSB0@fast", "is not a speed"),
        ("serial:/dev/no-such-tty", "cannot be opened"),
    ],
)
def test_a_port_that_is_none_is_named_with_a_remedy(port: str, words: str) -> None:
    with pytest.raises(InputError, match=words) as caught:
        hs.live(port, out=None)
    assert caught.value.remedy


def test_sockets_listen_on_the_loopback_unless_told_otherwise() -> None:
    for port in ("tcp:0", "udp:0"):
        assert find_port(port).detail.startswith("127.0.0.1, ")
    with pytest.raises(InputError, match="cannot listen"):
        find_port("tcp:0", listen_on="203.0.113.1")
