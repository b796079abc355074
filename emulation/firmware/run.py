"""Runs the firmware on an emulated board, with a server to talk to; keeps its recording."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from emulation.firmware import sources
from emulation.firmware.boards import Board
from emulation.firmware.peer import Peer
from emulation.firmware.server import Server
from emulation.firmware.stream import Listener, Stream, hear
from emulation.places import MissingError

__all__ = ["Ran", "run_firmware"]

#: QEMU says this before the listener is there.
WAITS = re.compile(r"^\S+: -chardev .*info: QEMU waiting for connection on: .*\n", re.MULTILINE)
SECONDS = 120  #: after which a run is stopped; it takes a few


@dataclass(frozen=True)
class Ran:
    console: str
    recording: Path


def run_firmware(
    board: Board,
    image: Path,
    recording: Path,
    *,
    sessions: int = 3,
    seed: int = 1,
    listener: Listener = hear,
    peer: Peer | None = None,
) -> Ran:
    """Until the firmware switches the machine off. `peer`: a host that it has to hear beside the
    server. MissingError: no QEMU. RuntimeError: it failed,
    with what the console said."""
    if shutil.which(board.qemu) is None:
        raise MissingError(f"{board.qemu}; Debian package: {board.package}")
    keys = sources.mbedtls() / "tests" / "data_files"
    with (
        Server(keys / "server2-sha256.crt", keys / "server2.key") as server,
        tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as console,
    ):
        command = [board.qemu, *board.machine, "-kernel", str(image), "-display", "none"]
        command += ["-monitor", "none"]
        for i, word in enumerate((server.port, sessions, seed)):
            place = f"addr={board.given + 4 * i:#x},data={word},data-len=4"
            command += ["-device", f"loader,{place}"]
        command += peer.options if peer is not None else []
        with Stream(listener, recording) as stream:
            code = run_until(command, stream, console)
        console.seek(0)
        text = WAITS.sub("", console.read())
    if code != 0:
        raise RuntimeError(f"the firmware on {board.name} ended with {code}:\n{text}")
    if stream.failure is not None:
        raise stream.failure
    return Ran(text, recording)


def run_until(command: list[str], stream: Stream, console: IO[str]) -> int | str:
    """The code with which QEMU ended, or why it is missing."""
    try:
        return subprocess.run(
            [*command, "-chardev", stream.option],
            stdin=subprocess.DEVNULL,
            stdout=console,
            stderr=subprocess.STDOUT,
            timeout=SECONDS,
            check=False,
            pass_fds=(stream.descriptor,),
        ).returncode
    except subprocess.TimeoutExpired:
        return f"stopped after {SECONDS} s"
