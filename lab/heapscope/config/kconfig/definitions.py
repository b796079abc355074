"""Options and choices as Kconfig files define them, one definition at a time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from heapscope.config.kconfig.condition import Condition
from heapscope.config.kconfig.words import ALWAYS, Word, both

Values = list[tuple[list[Word], Condition]]  #: the words of a value, and when it holds


class FileLine(NamedTuple):
    file: str
    line: int


class Fault(NamedTuple):
    """Something that is wrong, or not known."""

    place: FileLine
    message: str


@dataclass(eq=False)
class Choice:
    """`name`: "" until its first member is known, where it has none of its own."""

    place: FileLine
    name: str
    prompt: Condition | None = None
    depends: Condition = ALWAYS
    defaults: Values = field(default_factory=list)
    members: list[Entry] = field(default_factory=list)


@dataclass(eq=False)
class Entry:
    """One definition of an option. Conditions are without `depends` until the file is read.
    `unsure`: something of it is not known here."""

    place: FileLine
    name: str
    outer: Condition
    visible: Condition
    choice: Choice | None
    projbuild: bool
    kind: str = ""
    depends: Condition = ALWAYS
    prompt: Condition | None = None
    defaults: Values = field(default_factory=list)
    ranges: list[tuple[Word, Word, Condition]] = field(default_factory=list)
    selects: list[tuple[str, Condition]] = field(default_factory=list)
    implies: list[tuple[str, Condition]] = field(default_factory=list)
    unsure: bool = False


@dataclass
class Block:
    """A menu, an if, or a choice that is open, and what holds for all inside it."""

    kind: str
    place: FileLine
    outer: Condition
    visible: Condition
    choice: Choice | None = None
    depends: Condition = ALWAYS
    shown: Condition = ALWAYS

    def inner(self) -> Condition:
        if self.choice is not None:
            return "is", f"@{self.choice.name}"
        return both(self.outer, self.depends)
