"""A file of memory with the address of its first byte: FILE@ADDRESS, or a name that is one."""

from __future__ import annotations

import re
from pathlib import Path

from heapscope.base.errors import InputError
from heapscope.base.printable import printable

_AT = re.compile(r"(?P<file>.+)@(?P<address>0[xX][0-9a-fA-F]+|[0-9]+)", re.DOTALL)
_NAMED = re.compile(r"(?:0[xX])?(?P<address>[0-9a-fA-F]{8})(?:[-_.].*)?", re.DOTALL)
_END = 1 << 32


def placed(name: str) -> tuple[str, int | None]:
    """The file, and the address; None: the name tells none. A file of the whole name goes first.
    InputError: the address has more than 32 bits."""
    match = _AT.fullmatch(name)
    if match is not None and not _exists(name):
        address = int(match["address"], 0)
        if address >= _END:
            raise InputError(
                f"{printable(name, limit=400)}: {match['address']} has more than 32 bits",
                remedy="give the address of the file's first byte: FILE@0x3fc80000",
            )
        return match["file"], address
    named = _NAMED.fullmatch(Path(name).name)
    return name, None if named is None else int(named["address"], 16)


def _exists(name: str) -> bool:
    try:
        return Path(name).exists()
    except (OSError, ValueError):  # ValueError: a NUL in the path
        return False
