"""Figures of a heap in a program's own words, as series over time."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from heapscope.native.log import Fact

_POINTS = 4096  # kept of a series; beyond, every second one goes
_MOST = 256  # series
_WORDS = re.compile(r"\w+")
SAMPLE = "sample"  #: the memory of figures that a pattern of the user names
_NAMES = ("free", "largest", "min", "total", "used", "peak")


@dataclass(frozen=True, slots=True)
class LoggedFigure:
    """A number, and where it stands."""

    value: int
    line: int
    uptime: int | None = None
    clock: int | None = None
    boot: int = 1


@dataclass(kw_only=True)
class FigureSeries:
    """One figure of one memory. `step`: one of so many is kept; the least, the first and the last
    are always exact."""

    first: LoggedFigure
    last: LoggedFigure
    least: LoggedFigure
    most: LoggedFigure
    quote: str = ""  # of the last line
    count: int = 0
    step: int = 1
    points: list[LoggedFigure] = field(default_factory=list)

    def add(self, figure: LoggedFigure) -> None:
        self.last = figure
        self.least = min(self.least, figure, key=lambda one: one.value)
        self.most = max(self.most, figure, key=lambda one: one.value)
        if self.count % self.step == 0:
            self.points.append(figure)
        self.count += 1
        if len(self.points) > _POINTS:
            self.points = self.points[::2]
            self.step *= 2


class LoggedFigures:
    """Takes the facts in order; keeps what each kind of memory was reported to have."""

    def __init__(self) -> None:
        self.series: dict[tuple[str, str], FigureSeries] = {}  # by memory and name
        self.invalid: list[LoggedFigure] = []
        self.largest_words = ""  # the last line that tells a largest block
        self.arduino = False  # a line has the prefix of Arduino's log
        self.sure = False  # some words can mean nothing but a heap
        self.sensor = False  # lines of ESPHome's sensors tell them
        self.rounded = 1  # the largest unit of the figures as printed

    def take(self, fact: Fact, boot: int) -> None:
        for name in _NAMES:
            value = getattr(fact, name)
            if value is None:
                continue
            figure = LoggedFigure(value, fact.line, fact.uptime, fact.clock, boot)
            if is_invalid(value):
                self.invalid.append(figure)
            else:
                self.add(fact.memory, name, figure, fact.quote)
        if fact.largest is not None:
            self.largest_words = fact.quote
        self.sure |= not fact.weak
        self.rounded = max(self.rounded, fact.unit)
        self.arduino |= fact.arduino
        self.sensor |= "Sending state" in fact.quote

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

    def memories(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(memory for memory, _ in self.series))


def is_invalid(value: int) -> bool:
    """A size that no heap has: below 0, or 0xAAAAAAAA and numbers near it, which are read where
    PSRAM does not answer (esp-idf issue 5137)."""
    return value < 0 or value >> 24 in (0xAA, 0xFE) or value >= 1 << 32
