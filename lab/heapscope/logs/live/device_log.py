"""The device's own log, as lines that are safe to show, with addresses named."""

from __future__ import annotations

import re

from heapscope.base.printable import printable
from heapscope.logs.reader.addresses import Addresses

LINE_MAX = 1000  #: characters of a line that are shown
_HELD_MAX = 4096  # bytes of a line without an end that are held

#: Colours of ESP-IDF's log: they would be shown as text.
_COLOURS = re.compile(rb"\x1b\[[0-9;]{0,20}m")
_ENDS = re.compile(rb"\r*\n|\r(?=[^\n])")


class DeviceLog:
    """Bytes in, whole lines out. Escapes of a terminal come out as text."""

    def __init__(self, addresses: Addresses) -> None:
        self._addresses = addresses
        self._held = b""

    def push(self, text: bytes) -> list[str]:
        *whole, self._held = _ENDS.split(self._held + text)
        if len(self._held) > _HELD_MAX:
            whole.append(self._held)
            self._held = b""
        return [self._shown(line) for line in whole]

    def flush(self) -> list[str]:
        """A line without an end, after which it was quiet."""
        held, self._held = self._held.rstrip(b"\r"), b""
        return [self._shown(held)] if held else []

    def _shown(self, line: bytes) -> str:
        return self._addresses.named(printable(_COLOURS.sub(b"", line), limit=LINE_MAX))
