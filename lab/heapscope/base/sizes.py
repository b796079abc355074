"""Numbers of bytes as people write them."""

from __future__ import annotations

import re

from heapscope.base.errors import InputError
from heapscope.base.printable import printable

SIZE = re.compile(r"(0x[0-9a-f]{1,12}|[0-9]{1,15}) *(b|kb|kib|k|mb|mib|m)?", re.ASCII | re.I)
UNITS = {"": 1, "b": 1, "k": 1 << 10, "m": 1 << 20}


def parse_size(text: int | str, *, what: str) -> int:
    """The bytes that 65536, "0x10000" or "64KB" says; KB and KiB are 1024 bytes. `what` is for the
    error."""
    text = str(text)
    found = SIZE.fullmatch(text.strip())
    if found is None:
        raise InputError(
            f"{what}: '{printable(text)}' is not a number of bytes",
            remedy="write it as 65536, 0x10000 or 64KB (KB: 1024 bytes)",
        )
    number, unit = found[1].lower(), (found[2] or "").lower()
    value = int(number, 16) if number.startswith("0x") else int(number)
    return value * UNITS[unit[:1]]
