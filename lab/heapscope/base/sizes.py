"""Numbers of bytes as people write them."""

from __future__ import annotations

import math
import re
from fractions import Fraction

from heapscope.base.errors import InputError
from heapscope.base.printable import printable

_SIZE = re.compile(
    r"(?:(?P<hex>0x[0-9a-f]{1,12})|(?P<whole>[0-9]+(?:_[0-9]+)*)(?P<part>\.[0-9]{1,6})?)"
    r" *(?P<unit>b|kb|kib|k|mb|mib|m)?",
    re.ASCII | re.I,
)
_UNITS = {"": 1, "b": 1, "k": 1 << 10, "m": 1 << 20}
_DIGITS = 15


def parse_size(text: int | str, *, what: str) -> int:
    """The bytes of 65536, "65_536", "0x10000", "64KB" or "16.5KB"; KB and KiB are 1024 bytes, and a
    part of a byte counts as one. `what` is for the error."""
    text = str(text)
    match = _SIZE.fullmatch(text.strip())
    value = None if match is None else _bytes(match)
    if value is None:
        raise InputError(
            f"{what}: '{printable(text)}' is not a number of bytes",
            remedy="write it as 65536, 0x10000, 64KB or 16.5KB (KB: 1024 bytes)",
        )
    return value


def _bytes(match: re.Match[str]) -> int | None:
    """None: too many digits, or a part of a number of bytes without KB or MB."""
    factor = _UNITS[(match["unit"] or "")[:1].lower()]
    if match["hex"]:
        return int(match["hex"], 16) * factor
    if len(match["whole"]) > _DIGITS or (match["part"] and factor == 1):
        return None
    return math.ceil(Fraction(match["whole"] + (match["part"] or "")) * factor)
