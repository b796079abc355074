"""The cost of parts: bytes of code, constants and memory of objects and of linked images."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from emulation.build import SMALL
from emulation.places import BUILD, ROOT
from emulation.program import HOSTED, link, objects
from emulation.targets import Target

__all__ = [
    "CORE",
    "LEAN",
    "WITH_CHECK",
    "Bytes",
    "heap_bytes",
    "measure",
    "object_bytes",
    "parts",
    "symbols_of",
    "with_entry",
]

ALLOCATED, WRITABLE = 2, 1  # sh_flags

#: The calls of a heap that any firmware needs, and with those that many need.
CORE = ("create", "malloc", "realloc", "free")
WITH_CHECK = (*CORE, "calloc", "aligned_alloc", "largest", "check")
LEAN = ("-DHS_LEAN=1", "-DHS_WIDE=0")  # the smallest heap that there is
NOTHING = "void entry(void);\nvoid entry(void)\n{\n}\n"


@dataclass(frozen=True)
class Bytes:
    """`flash`: code, constants and what variables begin with; `ram`: variables."""

    flash: int
    ram: int

    def __add__(self, other: Bytes) -> Bytes:
        return Bytes(self.flash + other.flash, self.ram + other.ram)

    def __sub__(self, other: Bytes) -> Bytes:
        return Bytes(self.flash - other.flash, self.ram - other.ram)


def parts() -> Mapping[str, list[Path]]:
    """The files of each part of device/src, by its folder."""
    folders = sorted(path for path in (ROOT / "device" / "src").iterdir() if path.is_dir())
    return {folder.name: sorted(folder.glob("*.c")) for folder in folders}


def measure(path: Path) -> Bytes:
    """Measures an object or an image by its sections' kinds, not by their names. Tables for
    unwinding and attributes are not loaded on a chip."""
    flash = ram = 0
    with path.open("rb") as file:
        for section in ELFFile(file).iter_sections():
            if not section["sh_flags"] & ALLOCATED or section.name.startswith(
                (".ARM.exidx", ".eh_frame")
            ):
                continue
            if section["sh_flags"] & WRITABLE:
                ram += section["sh_size"]
            if section["sh_type"] != "SHT_NOBITS":
                flash += section["sh_size"]
    return Bytes(flash, ram)


def object_bytes(
    target: Target, sources: Sequence[Path], *, level: str = SMALL, flags: Sequence[str] = ()
) -> Bytes:
    """Adds up all these files, whether anything uses them or not."""
    return total(measure(built) for built in objects(target, sources, level, flags))


def total(sizes: Iterable[Bytes]) -> Bytes:
    return sum(sizes, Bytes(0, 0))


def with_entry(
    target: Target, entry: Path, *, level: str = SMALL, flags: Sequence[str] = ()
) -> Path:
    """An image of a file with a function `entry` and what that needs of all of device/src: what a
    firmware that does the same has in flash."""
    every = [path for part in parts().values() for path in part]
    built = objects(target, [entry, *every, HOSTED / "bytes.c", HOSTED / "text.c"], level, flags)
    key = "-".join(path.parent.name[-8:] for path in built[:1])
    output = BUILD / f"entry-{entry.stem}-{target.name.replace(' ', '-')}-{key}.elf"
    link(target, built, output, "entry")
    return output


def heap_bytes(
    target: Target, calls: Sequence[str] = CORE, *, level: str = SMALL, flags: Sequence[str] = ()
) -> Bytes:
    """Links a heap of which a firmware uses these calls, named without hs_heap_, and nothing else;
    the linker leaves out the sections that they do not need."""
    BUILD.mkdir(parents=True, exist_ok=True)
    entry = BUILD / "nothing.c"
    entry.write_text(NOTHING, encoding="utf-8")
    built = objects(target, [entry, *parts()["heap"], HOSTED / "bytes.c"], level, flags)
    sizes = []
    for number, wanted in enumerate((calls, ())):
        output = built[1].parent / f"heap-{len(wanted)}-{number}.elf"
        link(target, built, output, "entry", *(f"-Wl,-u,hs_heap_{call}" for call in wanted))
        sizes.append(measure(output))
    return sizes[0] - sizes[1]


def symbols_of(image: Path) -> set[str]:
    with image.open("rb") as file:
        tables = [
            section
            for section in ELFFile(file).iter_sections()
            if isinstance(section, SymbolTableSection)
        ]
        return {symbol.name for table in tables for symbol in table.iter_symbols()}
