"""A device's log, read once from its beginning to its end in bounded memory."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from heapscope.capture.esp_idf.boot import Boot
from heapscope.capture.esp_idf.lines import LogClock, LogLine, log_lines
from heapscope.layout.boot_lines import read_line

#: In every line that any of the readers wants, and in few others. One pattern: a search for each
#: word on its own takes six times as long.
_WANTED = re.compile(
    rb"eap|0x|free|trace|otal|ail|emory|MEM|CAP_|LIVE|DELETED|Caps|====|ESP-|ets |cpu_|boot|pool"
)
_BOOTS_MAX = 1000  # described one by one; all are counted


@dataclass(frozen=True, kw_only=True)
class LogContents:
    """`boot`: the boot that counts; `left_out`: what the others hold, a sentence each."""

    lines: int
    boots: int
    boot: Boot
    left_out: tuple[str, ...]
    ended: bool  # the last line has its end


class _Boots:
    """Divides a log into boots and keeps the one that counts: the last that tells of its heap more
    than the regions, or else the last that has any."""

    def __init__(self) -> None:
        self.count = 0
        self.best: Boot | None = None
        self.current = Boot(number=1, line=1)
        self._left_out: list[tuple[int, str]] = []

    def begin(self, line: int) -> None:
        """The next boot is of the same device."""
        self.close()
        before = self.current
        self.current = Boot(number=self.count + 1, line=line)
        self.current.chip, self.current.loader_sdk = before.chip, before.sdk

    def close(self) -> None:
        boot, best = self.current, self.best
        boot.close()
        if boot.empty:
            return
        self.count += 1
        if best is None or boot.tells_of_heap or not best.tells_of_heap:
            self._leave_out(best)
            self.best = boot
        else:
            self._leave_out(boot)

    def left_out(self) -> tuple[str, ...]:
        return tuple(sentence for _, sentence in sorted(self._left_out))

    def _leave_out(self, boot: Boot | None) -> None:
        if boot is not None and len(self._left_out) < _BOOTS_MAX:
            what = f"boot {boot.number}, from line {boot.line:,}: {boot.inventory()}"
            self._left_out.append((boot.number, what))


def read_contents(blocks: Iterable[bytes]) -> LogContents:
    """Never raises for what is in the log."""
    clock, boots, line = LogClock(), _Boots(), None
    for line in log_lines(blocks):
        clock.see(line.text)
        if _WANTED.search(line.text):
            _feed(boots, clock, line)
    boots.close()
    return LogContents(
        lines=0 if line is None else line.number,
        boots=boots.count,
        boot=boots.best or boots.current,
        left_out=boots.left_out(),
        ended=line is None or line.ended,
    )


def _feed(boots: _Boots, clock: LogClock, line: LogLine) -> None:
    found = read_line(line.raw, line.number, ended=line.ended)
    if found.begins and not boots.current.empty:
        boots.begin(line.number)
        clock.restart()
        clock.see(line.text)
    boots.current.feed(line, clock.at(line), found)
