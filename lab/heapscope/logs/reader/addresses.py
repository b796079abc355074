"""Addresses in code as functions and lines of an ELF file."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from heapscope.base.errors import InputError
from heapscope.base.extras import need as need_extra
from heapscope.base.printable import printable

_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{8}\b")
_APART = "leave --elf out, and decode addresses with addr2line"
_KEPT = 4096  # addresses whose names are kept


class Addresses:
    """Without a file every text stays as it is. InputError: the file cannot be read as an ELF
    program."""

    def __init__(self, elf: str | Path | None = None) -> None:
        self._code: list[tuple[int, int]] = []
        self._names: dict[int, str] = {}
        self._symbols: Any = None
        self.elf = None if elf is None else Path(elf)
        if self.elf is not None:
            self._open(self.elf)

    def _open(self, elf: Path) -> None:
        name = printable(str(elf), limit=400)
        if sys.platform != "linux":
            raise InputError(
                f"{name}: --elf needs symbolic, which there is for Linux", remedy=_APART
            )
        need_extra("record", f"{name}: --elf", instead=_APART)
        from elftools.elf.elffile import ELFFile

        from heapscope.base.elf import reading
        from heapscope.capture.record.symbols import Symbols
        from heapscope.native.recorder import ModuleRow

        remedy = "give the .elf file that the firmware was made from"
        try:
            with elf.open("rb") as file, reading(name, "its headers are damaged", remedy=remedy):
                segments = [
                    (one["p_vaddr"], one["p_memsz"], one["p_flags"] & 1)
                    for one in ELFFile(file).iter_segments("PT_LOAD")
                ]
        except OSError as error:
            raise InputError(f"{name}: {error.strerror or error}", remedy=remedy) from None
        self._code = [(start, start + size) for start, size, runs in segments if runs]
        start = min((start for start, _, _ in segments), default=0)
        end = max((start + size for start, size, _ in segments), default=0)
        module = ModuleRow(path=str(elf), start=start, size=end - start, file_offset=0)
        self._symbols = Symbols([module], str(elf))

    def named(self, text: str) -> str:
        """The text with the function behind each address of code: 0x42001234 (work (a.c:12))."""
        return text if self._symbols is None else _ADDRESS.sub(self._with_name, text)

    def function(self, address: int) -> str:
        """ "work (a.c:12)", an inlined function before the one that has it; empty: not known."""
        if self._symbols is None:
            return ""
        return self._and_name(f"{address:#010x}").partition(" (")[2].removesuffix(")")

    def _with_name(self, match: re.Match[str]) -> str:
        return self._and_name(match[0])

    def _and_name(self, text: str) -> str:
        address = int(text, 16)
        if not any(start <= address < end for start, end in self._code):
            return text
        if address not in self._names:
            if len(self._names) >= _KEPT:
                self._names.clear()
            frames = self._symbols.frames(address, 1)
            known = [printable(frame, limit=120) for frame in frames if "+0x" not in frame]
            self._names[address] = f" ({', in '.join(known)})" if known else ""
        return text + self._names[address]
