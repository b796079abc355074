"""The firmware's second serial port as a connection on the loopback, and who hears it."""

from __future__ import annotations

import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

__all__ = ["Listener", "Stream", "hear", "hear_live", "stated_file"]

#: Connects to a port of the loopback and writes the recording that it hears there into a file,
#: until the other side ends.
Listener = Callable[[int, Path], None]


def hear(port: int, recording: Path) -> None:
    """A listener that writes every byte as it comes."""
    with socket.create_connection(("127.0.0.1", port)) as line, recording.open("wb") as file:
        while got := line.recv(1 << 16):
            file.write(got)


def hear_live(port: int, recording: Path) -> None:
    """`heapscope live` as the listener; what it says is written beside the recording."""
    with tempfile.TemporaryDirectory(dir=recording.parent) as folder:
        command = [sys.executable, "-m", "heapscope", "live", f"tcp:127.0.0.1:{port}"]
        command += ["--headless", "--until", "gone", "--fail-on", "none", "--every", "1"]
        command += ["--need", "16717:DMA", "-o", str(Path(folder) / "heard")]
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
        )
        stated_file(recording).write_text(done.stdout, "utf-8")
        heard = list(Path(folder).glob("*.hst"))
        if done.returncode != 0 or len(heard) != 1:
            raise RuntimeError(
                f"heapscope live ended with {done.returncode}, {len(heard)} recordings:\n"
                f"{done.stdout}"
            )
        heard[0].replace(recording)


def stated_file(recording: Path) -> Path:
    """Where hear_live() leaves what was printed while a recording was heard."""
    return recording.with_suffix(".live.txt")


class Stream:
    """A socket that waits for one listener, as a character device of QEMU.

    The socket is given to QEMU as it is, so its port is one that was free. QEMU begins when the
    listener is there.
    """

    def __init__(self, listener: Listener, recording: Path) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=1)
        self.failure: Exception | None = None  #: of the listener
        self._listener = listener
        self._recording = recording
        self._thread = threading.Thread(target=self._listen)

    @property
    def descriptor(self) -> int:
        return self._socket.fileno()

    @property
    def option(self) -> str:
        """The value of QEMU's option -chardev."""
        return f"socket,id=stream,fd={self.descriptor},server=on,wait=on"

    def _listen(self) -> None:
        try:
            self._listener(self._socket.getsockname()[1], self._recording)
        except Exception as error:
            self.failure = error

    def __enter__(self) -> Stream:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._socket.close()
        self._thread.join()
