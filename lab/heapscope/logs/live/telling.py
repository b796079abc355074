"""Log lines and happenings since the last moment, in the order in which they came."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from heapscope.logs.live.moment import LiveEvent

LOG_MAX = 1000  #: lines of a moment
HAPPENINGS_MAX = 1000  #: of a moment


@dataclass(frozen=True, kw_only=True)
class Happened:
    """Happenings know the number of log lines before them."""

    log: tuple[str, ...]
    log_left_out: int
    happenings: tuple[LiveEvent, ...]


class Telling:
    """Bounded: of a device that tells more, lines are counted, and happenings by their kind."""

    def __init__(self) -> None:
        self._empty()

    def _empty(self) -> None:
        self._log: list[str] = []
        self._log_left_out = 0
        self._happenings: list[LiveEvent] = []
        self._more: Counter[str] = Counter()

    def log(self, lines: list[str]) -> None:
        room = LOG_MAX - len(self._log)
        self._log += lines[:room]
        self._log_left_out += max(0, len(lines) - room)

    def happened(self, kind: str, text: str, *, count: int = 1) -> None:
        if len(self._happenings) >= HAPPENINGS_MAX:
            self._more[kind] += count
            return
        self._happenings.append(
            LiveEvent(kind=kind, text=text, count=count, after_lines=len(self._log))
        )

    def take(self) -> Happened:
        """Everything since the last call."""
        more = [
            LiveEvent(
                kind=kind,
                text=f"{count:,} more of the kind '{kind}'",
                count=count,
                after_lines=len(self._log),
            )
            for kind, count in self._more.items()
        ]
        reported = Happened(
            log=tuple(self._log),
            log_left_out=self._log_left_out,
            happenings=(*self._happenings, *more),
        )
        self._empty()
        return reported
