"""Figures without a word: nothing in a log names a heap, and a number of its lines, or the numbers
of a row, may be free bytes by their alignment. The answer begins with that condition."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from heapscope.base.printable import printable

_NUMBER = re.compile(r"(?<![\w.+:/-])\d{4,8}(?![\w.:%/-]|,\d| ?[^\W\d]| ?[%°])")
_ANY = re.compile(r"\d+")
#: The end of the text before a number that no word names: empty, or a mark that divides.
_DIVIDED = re.compile(r"(?:^|->|=>|→|[,;|\t]|\W{3}) ?$")
_ROW = re.compile(r"\s*\d{4,8}(?:\s*(?:->|=>|→|,|;|\|)\s*\d{4,8}){3,}\s*$")
_LEAST, _MOST = 1 << 10, 1 << 23  # bytes that are free
_RANGE = 4  # the largest one by the least
_BITS = 9  # of evidence: that so many sizes are multiples of 4 or 8 has a chance of 1 in 512
_ROUND = 100  # a number of which all are multiples is one of people
_LINES = 3
_LINE_MAX = 400  # bytes
_PATTERN_MAX = 200  # bytes


@dataclass(frozen=True, kw_only=True)
class UnnamedFigure:
    """`pattern`: reads it from a line; `in_rows`: several are on a line."""

    pattern: str
    in_rows: bool
    quote: str
    unit: int  # all are multiples of it

    @property
    def sentence(self) -> str:
        return (
            "No word names a heap: what follows holds if numbers as in "
            f"'{printable(self.quote, limit=80)}' are free bytes. The only evidence is that all "
            f"of them are multiples of {self.unit}; --figure names another one."
        )


def unnamed(head: bytes) -> UnnamedFigure | None:
    """`head`: the first bytes of a log. None: no numbers are like the sizes of an allocator."""
    whole = head[: head.rfind(b"\n") + 1] or head
    lines = [line for line in whole.decode("utf-8", "replace").splitlines() if line.strip()]
    rows = [line for line in lines if _ROW.match(line)]
    if rows and len(rows) == len(lines):
        unit = _unit([int(number) for row in rows for number in _ANY.findall(row)])
        pattern = r"^(?P<free>\d+)$"
        quote = rows[0].strip()
        return (
            UnnamedFigure(pattern=pattern, in_rows=True, quote=quote, unit=unit) if unit else None
        )
    values: dict[str, list[int]] = defaultdict(list)
    quotes: dict[str, str] = {}
    for line in lines:
        for match in _NUMBER.finditer(line) if len(line) <= _LINE_MAX else ():
            before = line[: match.start()]
            if _DIVIDED.search(before):
                words = _ANY.sub("0", before)
                values[words].append(int(match[0]))
                quotes[words] = line.strip()
    units = {words: unit for words, held in values.items() if (unit := _unit(held))}
    if len(units) != 1:
        return None  # none, or nobody knows which
    [(words, unit)] = units.items()
    pattern = f"^{re.escape(words).replace('0', chr(92) + 'd+')}(?P<free>\\d+)"
    pattern = pattern.replace("\\ ", " ").replace("\\\t", "\\t")
    if len(pattern) > _PATTERN_MAX:
        return None
    return UnnamedFigure(pattern=pattern, in_rows=False, quote=quotes[words], unit=unit)


def _unit(values: Sequence[int]) -> int:
    """The number that divides all of them; 0: they may be anything, as a counter or a time is."""
    known = set(values)
    rises = sorted(values) == list(values)
    if len(values) < _LINES or rises or not _LEAST <= min(known) <= max(known) <= _MOST:
        return 0
    if max(known) > _RANGE * min(known) or all(value % _ROUND == 0 for value in known):
        return 0
    for unit, bits in ((8, 3), (4, 2)):
        if all(value % unit == 0 for value in known):
            return unit if bits * len(known) >= _BITS else 0
    return 0


def one_a_line(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The numbers of rows, each on a line."""
    for number in _ANY.findall(b"".join(pieces).decode("utf-8", "replace")):
        yield f"{number}\n".encode()
