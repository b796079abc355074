"""Writes an ELF of 32 bits with code, constants, variables and symbols, for tests of readers."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from pathlib import Path

XTENSA, RISCV, ARM = 94, 243, 40
_SECTION = struct.Struct("<10I")
_WRITE, _ALLOC, _EXEC = 1, 2, 4


@dataclass
class SmallElf:
    """Code begins at 0x1000, constants at 0x8000, variables at 0x20000000."""

    machine: int
    code: bytearray = field(default_factory=bytearray)
    constants: bytearray = field(default_factory=bytearray)
    variables: bytearray = field(default_factory=bytearray)
    symbols: list[tuple[str, int, int, int, int]] = field(default_factory=list)

    CODE, CONSTANTS, VARIABLES = 0x1000, 0x8000, 0x2000_0000

    def function(self, name: str, code: bytes, *, align: int = 4) -> int:
        """Its address."""
        self.code += bytes(-len(self.code) % align)
        start = self.CODE + len(self.code)
        self.code += code
        self.symbols.append((name, start | (self.machine == ARM), len(code), 2, 1))
        return start

    def constant(self, name: str, data: bytes) -> int:
        start = self.CONSTANTS + len(self.constants)
        self.constants += data + bytes(-len(data) % 4)
        self.symbols.append((name, start, len(data), 1, 2))
        return start

    def absolute(self, name: str, value: int) -> None:
        self.symbols.append((name, value, 0, 0, 0xFFF1))

    def write(self, path: Path) -> Path:
        names = b"\0.text\0.rodata\0.data\0.symtab\0.strtab\0.shstrtab\0"
        texts, rows = b"\0", struct.pack("<3I2BH", 0, 0, 0, 0, 0, 0)
        for name, value, size, kind, section in self.symbols:
            rows += struct.pack("<3I2BH", len(texts), value, size, 0x10 | kind, 0, section)
            texts += name.encode() + b"\0"
        contents = [
            (b".text", 1, _ALLOC | _EXEC, self.CODE, bytes(self.code)),
            (b".rodata", 1, _ALLOC, self.CONSTANTS, bytes(self.constants)),
            (b".data", 1, _ALLOC | _WRITE, self.VARIABLES, bytes(self.variables)),
            (b".symtab", 2, 0, 0, rows),
            (b".strtab", 3, 0, 0, texts),
            (b".shstrtab", 3, 0, 0, names),
        ]
        body, headers = bytearray(), bytearray(_SECTION.size)
        for name, kind, flags, address, data in contents:
            link = 5 if kind == 2 else 0
            at = names.index(name)
            offset = 52 + len(body)
            one = (at, kind, flags, address, offset, len(data), link, 1, 4, 16 if kind == 2 else 0)
            headers += _SECTION.pack(*one)
            body += data
        head = b"\x7fELF\1\1\1" + bytes(9)
        head += struct.pack(
            "<2H5I6H", 2, self.machine, 1, 0, 0, 52 + len(body), 0, 52, 0, 0, 40, 7, 6
        )
        path.write_bytes(head + bytes(body) + bytes(headers))
        return path
