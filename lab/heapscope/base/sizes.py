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
    found = _SIZE.fullmatch(text.strip())
    value = None if found is None else _bytes(found)
    if value is None:
        raise InputError(
            f"{what}: '{printable(text)}' is not a number of bytes",
            remedy="write it as 65536, 0x10000, 64KB or 16.5KB (KB: 1024 bytes)",
        )
    return value


def _bytes(found: re.Match[str]) -> int | None:
    """None: too many digits, or a part of a number of bytes without KB or MB."""
    factor = _UNITS[(found["unit"] or "")[:1].lower()]
    if found["hex"]:
        return int(found["hex"], 16) * factor
    if len(found["whole"]) > _DIGITS or (found["part"] and factor == 1):
        return None
    return math.ceil(Fraction(found["whole"] + (found["part"] or "")) * factor)
