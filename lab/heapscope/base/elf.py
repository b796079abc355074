"""ELF files, whose content nobody vouches for: what reading a damaged one raises, in one place."""

from __future__ import annotations

import errno
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from elftools.common.exceptions import DWARFError, ELFError, ELFParseError
from elftools.construct import ConstructError

from heapscope.base.errors import InputError
from heapscope.base.printable import printable

#: pyelftools checks little: where headers or entries contradict each other, Python's own errors
#: come out of it and of whoever follows what the file says.
DAMAGE = (
    ELFError,
    DWARFError,
    ConstructError,
    ArithmeticError,
    AssertionError,
    AttributeError,
    EOFError,
    LookupError,
    NotImplementedError,
    RecursionError,
    TypeError,
    ValueError,
    struct.error,
    zlib.error,
)
DEBUG_DAMAGED = "its debug information is damaged"
_NO_PLACE = (errno.EINVAL, errno.EOVERFLOW)  # no file has bytes there
_UNPACKED_MAX = 1 << 30  # bytes of all sections that are compressed
_VISITS = 64  # of each entry of debug information, on average; a circle has no end
_VISITS_LEAST = 1_000_000


@contextmanager
def reading(name: str, what: str, *, remedy: str) -> Iterator[None]:
    """Around all that follows the content of a file. InputError: it is damaged; `what` of it."""
    try:
        yield
    except (*DAMAGE, OSError) as error:
        if isinstance(error, OSError) and error.errno not in _NO_PLACE:
            raise
        stated = printable(str(error), limit=200) or type(error).__name__
        raise InputError(f"{name}: ELF: {what}: {stated}", remedy=remedy) from error


def check_sections(elf: Any, size: int) -> None:
    """One of DAMAGE: a section is not in the file of this size, or unpacks to too much."""
    unpacked = 0
    for section in elf.iter_sections():
        header = section.header
        empty = header["sh_type"] in ("SHT_NOBITS", "SHT_NULL")
        if not empty and header["sh_offset"] + header["sh_size"] > size:
            raise ELFParseError(f"the section {printable(section.name)} ends after the file")
        if section.compressed or (empty and not header["sh_flags"] & 2):  # SHF_ALLOC
            unpacked += section.data_size
        if unpacked > _UNPACKED_MAX:
            raise ELFParseError(f"its sections unpack to more than {_UNPACKED_MAX >> 20:,} MiB")


def bound_entries(dwarf: Any) -> None:
    """No walk through the entries goes on for ever: each one names where the next one is."""
    section = dwarf.debug_info_sec
    left = _VISITS_LEAST + _VISITS * (0 if section is None else section.size)

    def bounded(read: Any) -> Any:
        def entry(offset: int) -> Any:
            nonlocal left
            left -= 1
            if left < 0:
                raise DWARFError("its entries form a circle")
            return read(offset)

        return entry

    for unit in dwarf.iter_CUs():
        unit._get_cached_DIE = bounded(unit._get_cached_DIE)


def origin(entry: Any) -> Any:
    """The entry that has the name and type of an inlined or outlined one, or itself."""
    for _ in range(4):
        for name in ("DW_AT_abstract_origin", "DW_AT_specification"):
            if name in entry.attributes:
                entry = entry.get_DIE_from_attribute(name)
                break
        else:
            return entry
    return entry
