"""Events that are worth a word while a log still comes in: a failed request, a start, a new
minimum, an overwritten heap, a panic."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from heapscope.base import capabilities
from heapscope.base.printable import printable
from heapscope.base.wording import size
from heapscope.logs.reader.figures import FigureSeries
from heapscope.logs.reader.reading import LogReading
from heapscope.native.log import Fact

_FAILED = {
    "failed", "abort_request", "python_error", "wifi_buffer", "wifi_frame", "wifi_rx",
    "task_failed", "tls_error", "error",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Happening:
    """`kind`: failed, reset, minimum, corrupt or panic."""

    kind: str
    line: int
    text: str
    uptime: int | None = None

    def sentence(self) -> str:
        """ "line 812, 12.345 s: a request of 1,696 B failed" """
        when = "" if self.uptime is None else f", {self.uptime / 1000:,.3f} s"
        return f"line {self.line:,}{when}: {self.text}"


class Watcher:
    """Gives facts to a reading and says what each one changed."""

    def __init__(self, reading: LogReading) -> None:
        self._reading = reading
        self._failures = 0
        self._starts = 1

    def take(self, fact: Fact) -> Iterator[Happening]:
        self._reading.take(fact)
        for kind, text in self._reports(fact):
            yield Happening(kind=kind, line=fact.line, text=text, uptime=fact.uptime)

    def _reports(self, fact: Fact) -> Iterator[tuple[str, str]]:
        reading = self._reading
        if reading.boots.count != self._starts:
            self._starts = reading.boots.count
            how = reading.boots.current.reset
            yield "reset", f"the program starts anew{f' ({printable(how)})' if how else ''}"
        if fact.kind in _FAILED and reading.failures.count != self._failures:
            self._failures = reading.failures.count
            yield "failed", _failure(fact)
        if fact.kind == "corrupt":
            yield "corrupt", f"the heap is overwritten: {printable(fact.quote, limit=200)}"
        if fact.kind == "panic":
            yield "panic", f"the program stops: {printable(fact.name)}"
        if fact.kind == "stack":
            of = f" of {printable(fact.name)}" if fact.name else ""
            yield "panic", f"a stack{of} overflowed"
        if fact.kind == "brownout":
            yield "panic", "the supply fell (brown-out)"
        if fact.kind == "watchdog" and fact.text == "task":
            yield "panic", "a watchdog ran out"
        for (memory, name), series in reading.figures.series.items():
            if _is_new_least(series, name, fact):
                what = "free" if name == "free" else "the minimum"
                of = "" if memory == "any" else f" ({memory})"
                yield "minimum", f"a new minimum: {what}{of} {size(series.last.value)}"


def _is_new_least(series: FigureSeries, name: str, fact: Fact) -> bool:
    return (
        name in ("free", "min")
        and series.last.line == fact.line
        and series.count > 1
        and series.least is series.last
    )


def _failure(fact: Fact) -> str:
    what = "a request" if fact.size is None else f"a request of {size(fact.size)}"
    caps = "" if fact.caps is None else f" with {capabilities.format(fact.caps)}"
    return f"{what}{caps} failed: {printable(fact.quote, limit=200)}"
