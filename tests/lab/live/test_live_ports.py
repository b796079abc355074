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
from typing import Any

import pytest

import heapscope as hs
from heapscope.base.errors import InputError
from heapscope.logs.live.connection import Note
from heapscope.logs.live.live_result import LiveResult
from heapscope.logs.live.moment import LiveMoment
from heapscope.logs.live.network import _Datagrams
from heapscope.logs.live.port import find_port

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals and pipes of POSIX")
BLOCKS = [(0x100 * i, 0x40) for i in range(8)]


class Listening:
    """`hs.live` in a thread, until `events` heap events were heard."""

    def __init__(self, port: str, *, events: int, after: str = "") -> None:
        self.opened = threading.Event()
        self.seen: list[str] = []
        self.log: list[str] = []
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
        self.log += moment.log
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
    matches = [one for one in listening.seen if one in ("gone", "back")]
    assert matches[:2] == ["gone", "back"]
    assert matches.count("back") == 1, "it is back when somebody connects"


@pytest.mark.parametrize("greeting", [b"", b"I (1) app: hello\n"])
def test_a_peer_that_vanished_without_a_word_does_not_hold_the_port(
    greeting: bytes, make_boot
) -> None:
    listening = Listening("tcp:0", events=8)
    address = listening.address()
    with socket.create_connection(address) as vanished:
        vanished.sendall(greeting)
        wait_for(lambda: listening.moment is not None and (not greeting or bool(listening.log)))
        with socket.create_connection(address) as device:
            device.sendall(b"".join(make_boot(7, BLOCKS)))
            assert [one.boot for one in listening.result().recordings] == ["7"]
    assert ("gone" in listening.seen) == bool(greeting), "there is a line that says so"


def test_connections_that_say_nothing_neither_end_the_line_nor_pile_up(make_boot) -> None:
    listening = Listening("tcp:0", events=8)
    address = listening.address()
    chunks = make_boot(7, BLOCKS)
    with socket.create_connection(address) as device:
        device.sendall(b"".join(chunks[:2]))
        wait_for(lambda: listening.moment is not None and listening.moment.recording == 1)
        silent = [socket.create_connection(address) for _ in range(20)]
        device.sendall(b"".join(chunks[2:]))
        listening.result()
        for one in silent:
            one.close()
    assert "gone" not in listening.seen


def test_a_connection_whose_peer_lost_its_power_is_noticed_by_the_system() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        connection: Any = find_port("tcp:{}:{}".format(*server.getsockname())).open()
        assert connection._socket.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
        connection.close()


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


class Wire:
    """A socket that got these datagrams."""

    def __init__(self, came: list[tuple[str, bytes]]) -> None:
        self.left = [(data, (sender, 3333)) for sender, data in came]

    def recvfrom(self, most: int) -> tuple[bytes, tuple[str, int]]:
        if not self.left:
            raise TimeoutError
        return self.left.pop(0)


def damaged(chunk: bytes) -> bytes:
    return chunk[:-1] + bytes([chunk[-1] ^ 1])


@pytest.mark.parametrize(
    ("came", "heard", "strays"),
    [
        # By sender: the numbers of chunks of its boot, "x" for a stray byte, "!" for damage.
        ("a0 a1 a2", "a0 a1 a2", 0),
        ("bx a0 a1", "bx a0 a1", 0),
        ("b! a0 a1", "b! a0 a1", 0),
        ("a0 bx a1 b! a2", "a0 a1 a2", 2),
        ("a0 a1 b1 b2 a2", "a0 a1 a2", 2),
        ("a1 b2 a2", "a1 a2", 1),
        ("a0 a1 b0 b1 a2", "a0 a1 b0 b1", 1),
        ("ax bx a1 b1", "ax bx a1", 1),
    ],
)
def test_a_stray_datagram_makes_nobody_the_sender(
    came: str, heard: str, strays: int, make_boot
) -> None:
    def datagram(word: str) -> tuple[str, bytes]:
        chunks = make_boot({"a": 1, "b": 2}[word[0]], BLOCKS)
        known = {"x": b"x", "!": damaged(chunks[0])}
        return word[0], known[word[1]] if word[1] in known else chunks[int(word[1])]

    receiving = _Datagrams(Wire([datagram(word) for word in came.split()]), "here")
    results = [receiving.read() for _ in range(30)]
    data = [one for one in results if isinstance(one, bytes) and one]
    notes = [one for one in results if isinstance(one, Note)]
    assert data == [datagram(word)[1] for word in heard.split()]
    assert receiving.strays == strays
    assert any(one.kind == "stray" for one in notes) == bool(strays)
    assert any(one.kind == "back" for one in notes) == ("b0" in heard)


@pytest.mark.skipif(sys.platform == "darwin", reason="one loopback address")
def test_a_stray_datagram_does_not_keep_the_device_from_being_heard(make_boot) -> None:
    listening = Listening("udp:0", events=8)
    address = listening.address()
    chunks = make_boot(1, BLOCKS)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
        stranger.bind(("127.0.0.2", 0))
        stranger.sendto(b"x", address)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as device:
            device.sendto(chunks[0], address)
            wait_for(lambda: listening.moment is not None and listening.moment.recording == 1)
            stranger.sendto(b"x", address)
            wait_for(lambda: "stray" in listening.seen)
            for chunk in chunks[1:]:
                device.sendto(chunk, address)
            result = listening.result()
    assert [(one.events, one.missing) for one in result.recordings] == [(8, 0)]
    assert result.times("stray") == 1


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
    (result,) = listening.result().recordings
    assert (result.events, result.missing) == (8, 0)
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
        ("serial:/dev/ttyNOTHING", "^/dev/ttyNOTHING: no such port$"),
        ("serial:/dev/ttyNOTHING@921600", "^/dev/ttyNOTHING: no such port$"),
    ],
)
def test_a_port_that_is_none_is_named_with_a_remedy(port: str, words: str) -> None:
    with pytest.raises(InputError, match=words) as caught:
        hs.live(port, out=None)
    assert caught.value.remedy


def test_sockets_listen_on_the_loopback_unless_otherwise() -> None:
    for port in ("tcp:0", "udp:0"):
        assert find_port(port).detail.startswith("127.0.0.1, ")
    with pytest.raises(InputError, match="cannot listen"):
        find_port("tcp:0", listen_on="203.0.113.1")
