"""Names of a firmware's addresses: out of its ELF, or as nm prints them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.trace.whole import read_whole

_FILE_MAX = 64 << 20
_NAME_MAX = 400
#: nm's two forms: by default, and --format=posix; with -l a tab and the line follow.
_BSD = re.compile(
    r"(?P<address>[0-9a-fA-F]{8,16})(?: (?P<size>[0-9a-fA-F]{8,16}))? (?P<kind>[A-Za-z?-]) "
    r"(?P<name>[^\t]+).*"
)
_POSIX = re.compile(
    r"(?P<name>\S+) (?P<kind>[A-Za-z?-]) (?P<address>[0-9a-fA-F]+)(?: (?P<size>[0-9a-fA-F]+))? *"
)
_REMEDY = "give what nm -S prints of the firmware's ELF, or the ELF with --elf"


class FirmwareSymbol(NamedTuple):
    """`size`: 0 where it is unknown."""

    address: int
    size: int
    name: str

    @property
    def end(self) -> int:
        return self.address + self.size


class FirmwareSymbols:
    """By address and by name. `file`: whose they are, as the user named it."""

    def __init__(self, symbols: Iterable[FirmwareSymbol], *, file: str) -> None:
        self.file = file
        self.rows = tuple(sorted(set(symbols)))
        self._addresses = [one.address for one in self.rows]
        self._named: dict[str, list[FirmwareSymbol]] = {}
        for one in self.rows:
            self._named.setdefault(one.name, []).append(one)

    def __len__(self) -> int:
        return len(self.rows)

    def named(self, name: str) -> tuple[FirmwareSymbol, ...]:
        """All of exactly this name: a static variable may be in several files."""
        return tuple(self._named.get(name, ()))

    def address(self, name: str) -> int | None:
        """None: there is no such name, or it has several addresses."""
        found = self._named.get(name, [])
        return found[0].address if len({one.address for one in found}) == 1 else None

    def at(self, address: int) -> FirmwareSymbol | None:
        """The nearest one that covers the address; one without a size covers its own alone."""
        index = bisect_right(self._addresses, address) - 1
        last = max(-1, index - _NESTED)
        while index > last:
            one = self.rows[index]
            if address < one.end or address == one.address:
                return one
            index -= 1
        return None


_NESTED = 16  # symbols that begin inside another one, before the address


def read_nm(path: str) -> FirmwareSymbols:
    """InputError: it cannot be read, or no line of it is nm's."""
    file = read_whole(path, limit=_FILE_MAX, what="a table of symbols", remedy=_REMEDY)
    result = FirmwareSymbols(_lines(file.data.decode("utf-8", "replace")), file=file.name)
    if not len(result):
        raise InputError(f"{file.name}: no line of it tells a symbol as nm does", remedy=_REMEDY)
    return result


def _lines(text: str) -> Iterator[FirmwareSymbol]:
    for line in text.splitlines():
        match = _BSD.fullmatch(line) or _POSIX.fullmatch(line)
        if match is None or match["kind"] in "Uw":
            continue
        address, size = int(match["address"], 16), int(match["size"] or "0", 16)
        if address + size <= 1 << 32:
            yield FirmwareSymbol(address, size, printable(match["name"], limit=_NAME_MAX))
