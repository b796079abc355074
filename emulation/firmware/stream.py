"""The firmware's second serial port as a connection on the loopback, and who hears it."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

__all__ = ["Listener", "Stream", "hear"]

#: Connects to a port of the loopback and writes the recording that it hears there into a file, until
#: the other side ends.
Listener = Callable[[int, Path], None]


def hear(port: int, recording: Path) -> None:
    """A listener that writes every byte as it comes."""
    with socket.create_connection(("127.0.0.1", port)) as line, recording.open("wb") as file:
        while got := line.recv(1 << 16):
            file.write(got)


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
        """Of QEMU's -chardev."""
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
