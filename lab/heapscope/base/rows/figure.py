"""The description of one figure, kept in the field that holds it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import MISSING, Field, dataclass, field
from typing import Any, TypeVar

#: The largest number of 32 bits: the `most` of an address or a size on a chip.
WORD = 0xFFFF_FFFF

_KEY = "figure"
_Method = TypeVar("_Method", bound=Callable[[Any], Any])


@dataclass(frozen=True, kw_only=True)
class Figure:
    """The description of one figure.

    `text` is its sentence. `unit` is "B", "events" or the like. `heading` stands over a column of
    it; empty: tables leave it out. `wide`: a narrow terminal leaves it out. `rest`: how a row that
    stands for others has it, their "sum", "least" or "most"; empty: not at all. `least` and `most`
    limit a number; None: there is no limit. `step`: it is a multiple of that. `digits`: behind the
    point, in the JSON; None: all of them. `pattern` is a
    regular expression that a text meets, `encoding` how it holds bytes ("base64"), and `choices`
    are the texts that it can be. `entries` is the least and the largest number of entries of a
    list; None: there is no limit. `bound`: what it says of a whole run after a loss of events
    (heapscope.base.rows.bound). `absent`: None is left out of the JSON. `beside`: the
    entries of a mapping stand beside the row's other keys. `hidden`: it is never in the JSON.
    `last`: a computed figure that stands after the fields.
    """

    text: str
    unit: str = ""
    heading: str = ""
    wide: bool = False
    rest: str = ""
    least: float | None = 0
    most: float | None = None
    step: int = 0
    digits: int | None = None
    pattern: str = ""
    encoding: str = ""
    choices: Iterable[str] = ()
    entries: tuple[int, int | None] = (0, None)
    bound: str = ""
    absent: bool = False
    beside: bool = False
    hidden: bool = False
    last: bool = False

    @property
    def may_be_withheld(self) -> bool:
        """A loss of events may leave nothing to say: then it is null in the JSON."""
        return self.bound in ("before_loss", "withheld")


def figure(
    text: str, unit: str = "", heading: str = "", *, default: Any = MISSING, **more: Any
) -> Any:
    """A field of a Row with its Figure, which names what `more` can be. `default`: the value where
    a caller gives none."""
    reported = Figure(text=text, unit=unit, heading=heading, **more)
    return field(default=default, metadata={_KEY: reported})


def in_bytes(text: str, heading: str = "", **more: Any) -> Any:
    """A figure in bytes of a chip, whose sizes have 32 bits."""
    return figure(text, "B", heading, most=WORD, **more)


def computed(
    text: str, unit: str = "", heading: str = "", **more: Any
) -> Callable[[_Method], _Method]:
    """Marks the function of a property: its value is in the JSON, before the fields or after
    them; `hidden`: only in tables. It is not read from a file, since the fields tell it."""
    reported = Figure(text=text, unit=unit, heading=heading, **more)

    def mark(method: _Method) -> _Method:
        setattr(method, _KEY, reported)
        return method

    return mark


def figure_of(described: Field[Any] | property) -> Figure | None:
    """None: nothing describes it."""
    if isinstance(described, property):
        return getattr(described.fget, _KEY, None)
    result = described.metadata.get(_KEY)
    return result if isinstance(result, Figure) else None
