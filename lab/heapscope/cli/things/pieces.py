"""The pieces that answers are made of."""

from __future__ import annotations

from dataclasses import dataclass

from heapscope.base.wording import digits
from heapscope.trace.things.answer import NextCommand, ThingFigure


@dataclass(frozen=True, kw_only=True)
class ThingOptions:
    """The options that were given beside the things; None or none: not given."""

    need: tuple[int | str, ...] = ()
    chip: str | None = None
    idf: str | None = None

    @property
    def device(self) -> tuple[str, ...]:
        """The words of a command for the same."""
        chip = () if self.chip is None else ("--chip", self.chip)
        return (*chip, *(() if self.idf is None else ("--idf", self.idf)))


def in_bytes(name: str, value: int) -> ThingFigure:
    return ThingFigure(name=name, value=value, unit="B", text=f"{value:,} B")


def counted(name: str, value: int) -> ThingFigure:
    return ThingFigure(name=name, value=value, unit="", text=f"{value:,}")


def measured(name: str, value: float, unit: str) -> ThingFigure:
    return ThingFigure(name=name, value=value, unit=unit, text=f"{digits(value)} {unit}")


def word(name: str, text: str) -> ThingFigure:
    return ThingFigure(name=name, value=None, unit="", text=text)


def command(*words: str, why: str) -> NextCommand:
    return NextCommand(words=words, why=why)
