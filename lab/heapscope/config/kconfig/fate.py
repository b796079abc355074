"""The fate of each line of a configuration, as the release's program reads it, and the reason."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from heapscope.config.kconfig.lines import ReadLine
from heapscope.config.kconfig.table import RELEASES
from heapscope.config.kconfig.values import OptionValues

#: Why the option does not have the value of its line in the end; "": it has.
Reason = Literal[
    "",
    "malformed",  # no assignment
    "unknown",  # no option of the release
    "elsewhere",  # an option that the release has on other chips only
    "kind",  # a value of another kind
    "unset",  # "is not set" for a number or a string
    "block",  # an old name in the section of old names
    "later",  # a later line counts
    "range",  # a number out of range
    "hidden",  # what the option depends on is off
    "fixed",  # no user can set it
    "selected",  # another option forces it to y
    "choice",  # the choice holds another member, or holds this one against "n"
    "mark",  # a default of Kconfig's, written down
]


@dataclass(frozen=True, kw_only=True)
class LineFate:
    """`warned`: the build prints a message about the line. `final`: the option's value in the
    end, "" if missing."""

    reason: Reason
    warned: bool = False
    final: str = ""

    @property
    def taken(self) -> bool:
        return not self.reason


def fates(lines: Sequence[ReadLine], values: OptionValues) -> Iterator[LineFate]:
    """One for each line, in their order. `values`: what all lines together made."""
    last: dict[str, int] = {}
    for place, line in enumerate(lines):
        if line.value is not None:
            last[line.option] = place
            if line.value == "y":
                last[_choice(line, values)] = place
    group = _group(values.table.release)
    for place, line in enumerate(lines):
        counts = last.get(line.option) == place
        if line.value == "y" and _choice(line, values):
            counts = last[_choice(line, values)] == place
        reason, final = _reason(line, values, counts)
        reported = bool(reason) and group in _WARNS.get(reason, "")
        if reason == "malformed" and group == "A":
            reported = False
        yield LineFate(reason=reason, warned=reported, final=final)


def _choice(line: ReadLine, values: OptionValues) -> str:
    """A key for the choice that the option is a member of; "": it is of none."""
    symbol = values.table.symbols.get(line.option)
    return f"@{symbol.choice}" if symbol is not None and symbol.choice else ""


#: The groups of releases whose program prints a message: A is 3.3 and 4.0, B 4.1 to 5.2, C 5.3 to
#: 5.5, D 6.0 and later.
_WARNS: Mapping[Reason, str] = {
    "malformed": "BCD",
    "unknown": "CD",
    "elsewhere": "CD",
    "kind": "ABCD",
    "range": "BCD",
    "later": "D",
    "choice": "CD",
}


def _group(release: str) -> str:
    place = RELEASES.index(release)
    starts = {"4.1.4": "B", "5.3.5": "C", "6.0.2": "D"}
    group = "A"
    for first, name in starts.items():
        if place >= RELEASES.index(first):
            group = name
    return group


def _reason(line: ReadLine, values: OptionValues, counts: bool) -> tuple[Reason, str]:
    symbol = values.table.symbols.get(line.option)
    if symbol is None and line.option in values.table.unsure:
        return "", ""
    if line.fault == "unknown" and line.option in values.table.elsewhere:
        return "elsewhere", ""
    if symbol is None or line.value is None:
        final = values.text(line.option) if symbol is not None else ""
        return line.fault or "unknown", final
    final = values.text(line.option)
    if _same(final, line.value, symbol.kind):
        return "", final
    if not counts:
        return "later", final
    if line.option in values.table.unsure:
        return "", line.value
    if line.marked:
        return "mark", final
    if symbol.prompt is None:
        return "fixed", final
    if not values.can_set(line.option):
        return "hidden", final
    if symbol.choice:
        return "choice", final
    if symbol.kind == "bool":
        return "selected", final
    return "range", final


def _same(one: str, other: str, kind: str) -> bool:
    if one == other or kind in ("bool", "string"):
        return one == other
    try:
        base = 16 if kind == "hex" else 10
        return int(one, base) == int(other, base)
    except ValueError:
        return False
