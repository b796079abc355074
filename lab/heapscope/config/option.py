"""The facts of an option: type, range, defaults, dependencies, choice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from heapscope.config.expression import Expression
from heapscope.config.value import Kind, Value


@dataclass(frozen=True, kw_only=True)
class Where:
    """For which builds a row counts; empty: all."""

    sdks: tuple[str, ...] = ()
    chips: tuple[str, ...] = ()
    when: Expression | None = None  # None: always

    def covers(self, *, chip: str, sdk: str) -> bool:
        return (not self.sdks or sdk in self.sdks) and (not self.chips or chip in self.chips)


@dataclass(frozen=True, kw_only=True)
class DefaultIf(Where):
    """A default under a condition. `value`: of a choice, the member's name."""

    value: Value
    source: str


@dataclass(frozen=True, kw_only=True)
class Range(Where):
    """`rule`: the rule that an excess breaks; "range": none of the published ones."""

    low: int
    high: int
    rule: str
    source: str


@dataclass(frozen=True, kw_only=True)
class Option:
    """`defaults`: what a default build of each chip has; chips on which it is not visible there are
    not in it. `since`: the first SDK known to have it. `depends`: Kconfig leaves the option out
    where it is false; None: none, or not known."""

    name: str
    kind: Kind
    defaults: Mapping[str, Value]
    source: str  # file of ESP-IDF, with the line where that is known
    since: str = ""
    depends: Expression | None = None
    depends_text: str = ""
    ranges: tuple[Range, ...] = ()  # the first that holds counts
    defaults_if: tuple[DefaultIf, ...] = ()  # likewise, before `defaults`
    choice: str = ""


@dataclass(frozen=True, kw_only=True)
class Choice:
    """Bools of which one is y. `defaults`: the member by chip."""

    name: str
    members: tuple[str, ...]
    defaults: Mapping[str, str]
    defaults_if: tuple[DefaultIf, ...]
    source: str
