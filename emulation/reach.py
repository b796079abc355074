"""The reach of functions in compiled objects, by the relocations of their sections,
each function and each variable having one of its own (-ffunction-sections, -fdata-sections)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from elftools.elf.elffile import ELFFile

__all__ = ["Code", "reached", "read"]

Place = tuple[str, int]  #: an object and the number of a section of it

NAMED = re.compile(r"\.(?:text\.unlikely|text|literal|s?rodata)\.([A-Za-z_]\w*)")


@dataclass
class Code:
    """The sections of some objects."""

    names: dict[Place, str] = field(default_factory=dict)
    refers: dict[Place, list[Place | str]] = field(default_factory=dict)  #: outside, by name
    homes: dict[str, Place] = field(default_factory=dict)  #: of functions and variables

    def functions(self) -> set[str]:
        """All of them, as `object:name`."""
        named = ((self.names[place], self.name_of(place)) for place in self.names)
        return {one for section, one in named if one is not None and section.startswith(".text")}

    def name_of(self, place: Place) -> str | None:
        """`object:name` of a section of code or of constants. A part that the compiler made of a
        function has the function's name."""
        match = NAMED.match(self.names[place])
        return f"{place[0]}:{match[1]}" if match is not None else None


def read(objects: Iterable[Path]) -> Code:
    """ValueError: two objects have one name, so that a linker fragment cannot tell them apart."""
    code = Code()
    for path in sorted(objects):
        name = path.name.split(".")[0]
        if (name, 0) in code.names:
            raise ValueError(f"two objects are named {name}")
        with path.open("rb") as file:
            read_object(ELFFile(file), name, code)
    return code


def read_object(elf: ELFFile, name: str, code: Code) -> None:
    symbols = list(elf.get_section_by_name(".symtab").iter_symbols())
    for symbol in symbols:
        if isinstance(symbol["st_shndx"], int) and symbol.name:
            code.homes.setdefault(symbol.name, (name, symbol["st_shndx"]))
    for index, section in enumerate(elf.iter_sections()):
        code.names[name, index] = section.name
        code.refers.setdefault((name, index), [])
        if section["sh_type"] in ("SHT_REL", "SHT_RELA"):
            to = code.refers.setdefault((name, section["sh_info"]), [])
            for relocation in section.iter_relocations():
                symbol = symbols[relocation["r_info_sym"]]
                inside = isinstance(symbol["st_shndx"], int)
                to.append((name, symbol["st_shndx"]) if inside else symbol.name)


def reached(code: Code, roots: Iterable[str]) -> set[str]:
    """Functions and constants, as `object:name`, that these functions reach, and they
    themselves."""
    seen: set[Place] = set()
    todo = [code.homes[root] for root in roots if root in code.homes]
    while todo:
        at = todo.pop()
        if at not in seen:
            seen.add(at)
            for to in code.refers[at]:
                if isinstance(to, tuple) or to in code.homes:
                    todo.append(to if isinstance(to, tuple) else code.homes[to])
    return {one for place in seen if (one := code.name_of(place)) is not None}
