"""The figures of a log that several devices write into, device by device."""

from __future__ import annotations

from collections.abc import Sequence

from heapscope.logs.reader.figures import LoggedFigures
from heapscope.logs.reader.reading import LogReading
from heapscope.logs.reader.senders import device_of_line
from heapscope.memory.layout.program_starts import ProgramStarts
from heapscope.native.log import Fact


class DividedReading(LogReading):
    """Takes the facts of the log a second time. `names`: those that tell the lines apart; figures
    of lines with none of them are left out."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__()
        self._names = tuple(names)
        self.parts = {name: LoggedFigures() for name in self._names}
        self._starts = {name: ProgramStarts() for name in self._names}

    def take(self, fact: Fact) -> None:
        if fact.kind != "figures":
            return
        name = device_of_line(fact, self._names)
        if name:
            starts = self._starts[name]
            starts.take(fact)
            self.parts[name].take(fact, starts.count)
