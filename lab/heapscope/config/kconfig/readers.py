"""Which options hang on which, as they were worked out once.

The value of an option hangs on nothing but what was read on the way to it. So when a user's value
of some options changes, only those can change that read one of them, or read what did: the way to
every other one is the same. Reading by the way that was taken, and not by all that a condition
names, keeps these few.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from heapscope.config.kconfig.table import OptionTable
from heapscope.config.kconfig.values import OptionValues, UserValues

T = TypeVar("T")


class ReadValues(OptionValues):
    """Values that remember who read them: options by their names, and what stands between."""

    def __init__(self, table: OptionTable, user: UserValues) -> None:
        super().__init__(table, user)
        self._readers: dict[str, set[str]] = {}
        self._reading: list[str] = []

    def text(self, name: str) -> str:
        return self._read(name, super().text, name)

    def can_set(self, name: str) -> bool:
        return self._read(f"prompt {name}", super().can_set, name)

    def holds(self, condition: str) -> bool:
        return self._read(f"if {condition}", super().holds, condition)

    def selection(self, choice: str) -> str | None:
        return self._read(f"choice {choice}", super().selection, choice)

    def reached(self, names: Iterable[str]) -> set[str]:
        """Options, of those whose text was asked for, that can change when a user gives others of
        these another value."""
        symbols = self.table.symbols
        choices = {symbols[name].choice for name in names if name in symbols}
        open_ones = [*names, *(f"choice {each}" for each in choices if each)]
        result = set(open_ones)
        while open_ones:
            more = self._readers.get(open_ones.pop(), set()) - result
            result |= more
            open_ones += more
        return result

    def _read(self, what: str, read: Callable[[str], T], name: str) -> T:
        if self._reading:
            self._readers.setdefault(what, set()).add(self._reading[-1])
        self._reading.append(what)
        try:
            return read(name)
        finally:
            self._reading.pop()
