"""Code addresses that a monitor has put names to, in the lines after those that hold them."""

from __future__ import annotations

from collections.abc import Sequence

from heapscope.native.log import Fact
from heapscope.trace.call_sites import site_name

_FRAMES_MAX = 100_000


class Frames:
    """Addresses to names. A name is text out of the log: untrusted."""

    def __init__(self) -> None:
        self._names: dict[int, tuple[str, str]] = {}  # function, and file with line

    def __len__(self) -> int:
        return len(self._names)

    def feed(self, fact: Fact) -> None:
        """Takes every fact of a log in its order."""
        if fact.kind == "frame" and fact.address is not None and len(self) < _FRAMES_MAX:
            self._names[fact.address] = fact.name, fact.text

    def site(self, callers: Sequence[int]) -> bytes:
        """The name of a call site in a trace. Callers come innermost first; they are addresses
        where no name is known."""
        if not callers:
            return b"unknown"
        return site_name([self._frame(caller) for caller in callers])

    def _frame(self, caller: int) -> bytes:
        if caller not in self._names:
            return b"0x%08x" % caller
        function, place = self._names[caller]
        return f"{function} ({place})".encode()
