"""mbedTLS 2.28 on dynamic buffers, with OpenSSL at the other end of the line."""

from __future__ import annotations

import os
import re
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from needs import need_program

sys.path.append(str(Path(__file__).resolve().parents[1]))
sys.path.append(str(Path(__file__).resolve().parents[3]))
sys.path.append(str(Path(__file__).resolve().parents[3] / "studies" / "workloads"))

from mbedtls.build import program
from mbedtls.server import Server, client_context, pattern, served

pytestmark = pytest.mark.slow  # it builds mbedTLS

SECONDS = 600
#: Every allocation and thousands of connections, not a sample: minutes.
WHOLE = os.environ.get("HEAPSCOPE_WHOLE") == "1"
SUITES = {
    "ECDHE, GCM": "TLS-ECDHE-RSA-WITH-AES-128-GCM-SHA256",
    "RSA, GCM": "TLS-RSA-WITH-AES-128-GCM-SHA256",
    "RSA, CBC": "TLS-RSA-WITH-AES-256-CBC-SHA256",
    "ECDHE, CBC": "TLS-ECDHE-RSA-WITH-AES-256-CBC-SHA384",
}
FAST = SUITES["RSA, GCM"]


@pytest.fixture(scope="module")
def scenes() -> Path:
    return program()


@pytest.fixture(scope="module")
def credentials(scenes: Path) -> str:
    return play(scenes, "credentials", 0)


@pytest.fixture
def server(tmp_path: Path, credentials: str) -> Iterator[Server]:
    with served(tmp_path, credentials) as server:
        yield server


def play(scenes: Path, scene: str, port: int, *arguments: str | int) -> str:
    """Runs a scene and returns its output; its checks hold and nothing leaks."""
    command = [str(scenes), scene, str(port), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("suite", SUITES)
def test_records_of_any_size_pass_both_ways(scenes: Path, server: Server, suite: str) -> None:
    play(scenes, "exchange", server.port, SUITES[suite], 2)
    assert server.failures == []
    assert server.connections == 2
    assert server.largest == 16384  # of a record; more is more than one


@pytest.mark.parametrize("scene", ["chopped", "parts", "scarce"])
@pytest.mark.parametrize("suite", ["ECDHE, GCM", "RSA, CBC"])
def test_a_call_that_has_to_be_repeated_loses_nothing(
    scenes: Path, server: Server, scene: str, suite: str
) -> None:
    play(scenes, scene, server.port, SUITES[suite])
    assert server.failures == []


def test_the_server_closes(scenes: Path, server: Server) -> None:
    play(scenes, "closed", server.port)
    assert server.connections == 2


@pytest.mark.parametrize("suite", ["ECDHE, GCM", "RSA, CBC"])
def test_the_other_end_is_reported_of_a_bad_record(
    scenes: Path, server: Server, suite: str
) -> None:
    play(scenes, "tampered", server.port, SUITES[suite])
    assert len(server.failures) == 1
    assert "alert bad record mac" in server.failures[0].lower()


def test_an_alert_of_the_other_end_is_an_error(scenes: Path, server: Server) -> None:
    play(scenes, "alerted", server.port)
    assert "bad record mac" in server.failures[0].lower()


def test_a_handshake_that_the_other_end_refuses(scenes: Path, server: Server) -> None:
    play(scenes, "refused", server.port)
    assert "peer did not return a certificate" in server.failures[0]


@pytest.mark.parametrize(
    ("left_out", "missing"),
    [("include", "hs_tls_idle_included"), ("wrap", "__real_mbedtls_ssl_setup")],
)
def test_a_build_that_forgets_a_step_does_not_link(
    scenes: Path, left_out: str, missing: str
) -> None:
    with pytest.raises(RuntimeError, match=f"undefined reference to `{missing}'"):
        program(left_out)


def test_datagrams_are_refused(scenes: Path) -> None:
    play(scenes, "datagrams", 0)


def test_renegotiation_is_refused_from_either_end(
    scenes: Path, credentials: str, tmp_path: Path
) -> None:
    need_program("openssl", package="openssl", ask="version")
    blocks = ["-----BEGIN " + block for block in credentials.split("-----BEGIN ")[1:]]
    (tmp_path / "server.pem").write_text("".join(blocks[1:3]), "ascii")
    command = ["openssl", "s_server", "-accept", "0", "-naccept", "1", "-tls1_2"]
    command += ["-cert", str(tmp_path / "server.pem"), "-key", str(tmp_path / "server.pem")]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as other:
        assert other.stdin is not None
        assert other.stdout is not None
        port = wait_for(other, "ACCEPT").rpartition(":")[2].strip()
        with subprocess.Popen(
            [str(scenes), "renegotiate", port], stderr=subprocess.PIPE, text=True
        ) as client:
            wait_for(other, "still here")
            other.stdin.write("hello\n")
            other.stdin.flush()
            wait_for(other, "thanks")
            other.stdin.write("r\n")  # renegotiate
            other.stdin.flush()
            _, stated = client.communicate(timeout=60)
        other.stdin.close()
        rest = other.stdout.read()
        other.wait(60)
    assert client.returncode == 0, stated + rest
    assert "no renegotiation" in rest.lower()


def wait_for(process: subprocess.Popen[str], text: str) -> str:
    """The line with the text."""
    assert process.stdout is not None
    for line in process.stdout:
        if text in line:
            return line
    raise AssertionError(f"no {text!r}")


def test_an_allocation_that_fails_is_a_clean_error(scenes: Path, server: Server) -> None:
    first, step = (1, 1) if WHOLE else (3, 7)
    stated = play(scenes, "failing", server.port, FAST, first, step)
    match = re.fullmatch(r"requests (\d+) failed (\d+) spared (\d+) without (\d+)\n", stated)
    assert match is not None
    requests, failed, spared, without = map(int, match.groups())
    tried = (requests - first) // step + 1
    assert failed + spared >= tried - 3  # a connection may ask for less, by what the server sends
    assert spared <= tried // 5
    assert without <= tried // 10


def test_thousands_of_connections_want_credentials_again_and_leave_nothing(
    scenes: Path, server: Server
) -> None:
    turns = 2000 if WHOLE else 8
    play(scenes, "reconnect", server.port, FAST, turns)
    assert server.connections == 1 + turns + turns // 2  # every second one's are used twice


def test_a_server_on_dynamic_buffers(scenes: Path, credentials: str, tmp_path: Path) -> None:
    command = [str(scenes), "serves", "0", SUITES["ECDHE, GCM"], "3"]
    context = client_context(tmp_path, credentials)
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        try:
            port = int(server.stdout.readline().removeprefix("port "))
            for _ in range(3):
                echo(port, context)
            _, stated = server.communicate(timeout=60)
        finally:
            server.kill()
    assert server.returncode == 0, stated


def echo(port: int, context: ssl.SSLContext) -> None:
    with (
        socket.create_connection(("127.0.0.1", port), timeout=20) as plain,
        context.wrap_socket(plain, server_hostname="localhost") as line,
    ):
        size = 1
        while size <= 20000:
            line.sendall(pattern(size))
            got = b""
            while len(got) < size:
                part = line.recv(size - len(got))
                assert part
                got += part
            assert got == pattern(size)
            size = size * 3 + 1
        line.unwrap()
