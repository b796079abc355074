"""The names that objects define and want of others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from emulation.targets import Target

__all__ = ["arithmetic", "undefined"]


@cache
def symbols(built: Path) -> tuple[frozenset[str], frozenset[str]]:
    """The names that an object defines for others, and those that it wants of others."""
    defined, wanted = set(), set()
    with built.open("rb") as file:
        for section in ELFFile(file).iter_sections():
            if isinstance(section, SymbolTableSection):
                for symbol in section.iter_symbols():
                    if symbol.name and symbol["st_info"]["bind"] != "STB_LOCAL":
                        outside = symbol["st_shndx"] == "SHN_UNDEF"
                        (wanted if outside else defined).add(symbol.name)
    return frozenset(defined), frozenset(wanted)


def undefined(built: Sequence[Path], keep: Iterable[str] = ()) -> set[str]:
    """The names that these objects and `keep` want and do not define."""
    every = [symbols(one) for one in built]
    return set(keep).union(*(own for _, own in every)).difference(*(own for own, _ in every))


def arithmetic(target: Target, built: Sequence[Path]) -> list[str]:
    """The linker's option for the arithmetic that the processor lacks. zig compiles its library for
    each processor anew, which takes longer than a program: only what may want it gets it."""
    if target.by_gcc:
        return ["-lgcc"]
    return ["-rtlib=compiler-rt"] if any(name[:2] == "__" for name in undefined(built)) else []
