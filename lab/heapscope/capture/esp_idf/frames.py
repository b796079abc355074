"""Code addresses that a monitor has put names to, in the lines after those that hold them.

0x400d276d: leak_some_memory at /path/blink.c:27              idf_monitor up to v5.0
--- 0x4037a832: heap_caps_malloc_default at /path/heap_caps.c:122
#1  0x400d3e1d in app_main at src/main.cpp:64 (discriminator 2)      PlatformIO
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from heapscope.capture.esp_idf.lines import LogLine
from heapscope.trace.call_sites import site_name

_FRAME = re.compile(
    rb"(?:^|[\s>\]])0x([0-9a-f]{8})(?:: | in )(.{1,200}?) at (.{1,400}?):(\d{1,7}|\?)(?:\s|$)",
    re.IGNORECASE,
)
_FRAMES_MAX = 100_000


class Frames:
    """Addresses to names. A name is bytes out of the log: untrusted."""

    def __init__(self) -> None:
        self._names: dict[int, bytes] = {}

    def __len__(self) -> int:
        return len(self._names)

    def feed(self, line: LogLine) -> bool:
        found = _FRAME.search(line.text)
        if found is None or not line.ended:
            return False
        if len(self._names) < _FRAMES_MAX:
            file = re.split(rb"[\\/]", found[3])[-1]
            self._names[int(found[1], 16)] = b"%s (%s:%s)" % (found[2], file, found[4])
        return True

    def site(self, callers: Sequence[int]) -> bytes:
        """The name of a call site in a trace. Callers come innermost first; they are addresses
        where no name is known."""
        if not callers:
            return b"unknown"
        return site_name([self._names.get(caller, b"0x%08x" % caller) for caller in callers])
