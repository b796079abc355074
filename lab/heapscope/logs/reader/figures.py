"""Figures of a heap in a program's own words, as series over time."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from typing import NamedTuple

from heapscope.logs.reader.senders import Mixture, Senders
from heapscope.native.log import Fact

_POINTS = 4096  # kept of a series; beyond, every second one goes
_MOST = 256  # series
_MOMENT = 12  # lines
_MOMENT_MS = 15_000
_MOVES = 3  # values of a figure that a total does not have
_HEADERS = 1 / 100  # of the largest total
_OBJECT = 8  # lines of one record, at most
_KB = 1024
_KB_LEAST, _KB_MOST = 8 * _KB, 16 * _KB  # bytes before a change of unit; a number after it
_KB_NEAR = 0.03  # a share that both differ by
_WORDS = re.compile(r"\w+")
_NUMBER = re.compile(r"[-+]?\b\d[\w.,:]*")
SAMPLE = "sample"  #: the memory of figures that a pattern of the user names


class LoggedFigure(NamedTuple):
    """A number, and where it stands."""

    value: int
    line: int
    uptime: int | None = None
    clock: int | None = None
    boot: int = 1
    words: str = ""  # of its line, without numbers: which point of a round it tells of
    time: int | None = None  # ms by the line's own words, from any zero


@dataclass(kw_only=True)
class FigureSeries:
    """One figure of one memory. `step`: one of so many is kept; the least, the first and the last
    are always exact."""

    first: LoggedFigure
    last: LoggedFigure
    least: LoggedFigure
    most: LoggedFigure
    quote: str = ""  # of the last line
    before: LoggedFigure | None = None  # the last one of an earlier line
    lowest: LoggedFigure | None = None  # the least one since the last start
    count: int = 0
    step: int = 1
    points: list[LoggedFigure] = field(default_factory=list)

    def add(self, figure: LoggedFigure) -> None:
        if figure.line != self.last.line:
            self.before = self.last
        lowest = self.lowest
        if lowest is None or lowest.boot != figure.boot or figure.value < lowest.value:
            self.lowest = figure
        self.last = figure
        if figure.value < self.least.value:
            self.least = figure
        if figure.value > self.most.value:
            self.most = figure
        if self.count % self.step == 0:
            self.points.append(figure)
        self.count += 1
        if len(self.points) > _POINTS:
            self.points = self.points[::2]
            self.step *= 2

    def last_before(self, line: int) -> LoggedFigure | None:
        """The last point on an earlier line, of those that are kept."""
        earlier = (one for one in reversed(self.points) if one.line < line)
        return next(earlier, None)

    def rescale(self, unit: int) -> None:
        """The last figure counts units of so many bytes."""
        counted, whole = self.last, self.last._replace(value=self.last.value * unit)
        for name in ("first", "last", "least", "most", "lowest"):
            if getattr(self, name) == counted:
                setattr(self, name, whole)
        self.points = [whole if one == counted else one for one in self.points]


class LoggedFigures:
    """Takes the facts in order; keeps what each kind of memory was reported to have."""

    def __init__(self) -> None:
        self.series: dict[tuple[str, str], FigureSeries] = {}  # by memory and name
        self.invalid: list[LoggedFigure] = []
        self.largest_words = ""  # the last line that tells a largest block
        self.arduino = False  # a line has the prefix of Arduino's log
        self.sure = False  # some words can mean nothing but a heap
        self.sensor = False  # lines of ESPHome's sensors tell them
        self.in_kb: int | None = None  # the first line whose sizes began to count KB unsaid
        self._senders: dict[str, Senders] = {}  # by memory
        self._varying: set[str] = set()  # memories whose total is what is free
        self._units: dict[tuple[str, str], int] = {}  # of the last figures as printed

    def take(self, fact: Fact, boot: int) -> None:
        if fact.size and fact.kind == "figures":
            self._count_blocks(fact)
        quote = fact.quote
        words = sys.intern(_NUMBER.sub("#", quote))
        place = (fact.line, fact.uptime, fact.clock, boot, words, fact.time)
        for name, value in fact.sizes():
            if value < _KB_MOST and fact.unit == 1:
                value = self._in_bytes(fact, name, value)
            figure = LoggedFigure(value, *place)
            if name == "total" and fact.memory in self._varying:
                name = "free"
            self._units[fact.memory, name] = fact.unit
            if is_invalid(value):
                self.invalid.append(figure)
            else:
                self.add(fact.memory, name, figure, quote)
                if name == "total":
                    self._look_at_total(fact.memory)
        if fact.kind == "figures":
            self.compare(fact, boot)
        if fact.largest is not None:
            self.largest_words = quote
        self.sure |= not fact.weak
        self.arduino |= fact.arduino
        self.sensor |= "Sending state" in quote

    def _in_bytes(self, fact: Fact, name: str, value: int) -> int:
        """A number that is a 1024th of the one before is the same in KB: the program, or what
        prints for it, changed its unit."""
        series = self.series.get((fact.memory, name))
        last = 0 if series is None else series.last.value
        if last < _KB_LEAST or abs(value * _KB - last) > max(_KB_NEAR * last, _KB):
            return value
        if self.in_kb is None:
            self.in_kb = fact.line
        return value * _KB

    def _look_at_total(self, memory: str) -> None:
        """A heap's size does not change: the number of "heap size: 27336" that goes up and down is
        what is free, where no other figure is. It may change by the headers of its blocks."""
        series = self.series[memory, "total"]
        spread = series.most.value - series.least.value
        moves = len({point.value for point in series.points}) >= _MOVES
        alone = not {(memory, "free"), (memory, "used")} & self.series.keys()
        if alone and moves and spread > _HEADERS * series.most.value:
            self.series[memory, "free"] = self.series.pop((memory, "total"))
            self._varying.add(memory)

    def compare(self, fact: Fact, boot: int) -> None:
        """A line is compared with those of other devices."""
        senders = self._senders.get(fact.memory)
        if senders is None:
            senders = self._senders[fact.memory] = Senders()
        senders.take(fact, boot)

    def _count_blocks(self, fact: Fact) -> None:
        """The size of the blocks that the figures just above are counted in."""
        for (memory, _), series in self.series.items():
            last = series.last
            if memory == fact.memory and fact.size and fact.line - last.line <= _OBJECT:
                series.rescale(fact.size)

    def take_sample(self, fact: Fact, boot: int) -> None:
        """A number that the user asked for and that is not one of the known figures."""
        name = " ".join(_WORDS.findall(fact.name)) or "figure"
        if fact.size is not None and ((SAMPLE, name) in self.series or len(self.series) < _MOST):
            figure = LoggedFigure(fact.size, fact.line, fact.uptime, fact.clock, boot)
            self.add(SAMPLE, name, figure, fact.quote)

    def add(self, memory: str, name: str, figure: LoggedFigure, quote: str) -> None:
        figure_series = self.series.get((memory, name))
        if figure_series is None:
            figure_series = FigureSeries(first=figure, last=figure, least=figure, most=figure)
            self.series[memory, name] = figure_series
        figure_series.add(figure)
        figure_series.quote = quote

    def last(self, memory: str, name: str) -> int | None:
        result = self.series.get((memory, name))
        return None if result is None else result.last.value

    @property
    def rounded(self) -> int:
        """The largest unit of the last figures."""
        return max(self._units.values(), default=1)

    def mixture(self) -> Mixture | None:
        """The devices whose figures are mixed; None: they are of one."""
        return next((one for part in self._senders.values() if (one := part.mixture())), None)

    def memories(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(memory for memory, _ in self.series))

    def of_moment(self, moment: LoggedFigure, memory: str, name: str) -> LoggedFigure | None:
        """The last figure of this memory, if it was printed with the last free bytes."""
        series, free = self.series.get((memory, name)), self.series.get((memory, "free"))
        if series is None:
            return None
        one = series.last
        older = free is not None and free.before is not None and one.line <= free.before.line
        stale = older and one.line != moment.line
        return one if not stale and is_moment(one, moment) else None


def is_moment(one: LoggedFigure, other: LoggedFigure) -> bool:
    """Can both have been printed at one moment?"""
    if one.boot != other.boot:
        return False
    for clock in ("uptime", "clock"):
        times = getattr(one, clock), getattr(other, clock)
        if None not in times and abs(times[0] - times[1]) > _MOMENT_MS:
            return False
        if None not in times:
            return True
    return abs(one.line - other.line) <= _MOMENT


def is_invalid(value: int) -> bool:
    """A size that no heap has: below 0, or 0xAAAAAAAA and numbers near it, which are read where
    PSRAM does not answer (esp-idf issue 5137)."""
    return value < 0 or value >> 24 in (0xAA, 0xFE) or value >= 1 << 32
