"""Code and variables of heap components: as compiled and measured, or as a linker map tells."""

from __future__ import annotations

import csv
import functools
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import resources

from heapscope.base.errors import InputError
from heapscope.memory.static.use import StaticUse

#: The archive of ESP-IDF's component, and of ours, which has its name.
ARCHIVE = "libheap.a"
#: The share by which another version of the compiler makes other code. An assumption: the tables'
#: compiler is not the one of an SDK (data/heap_code/README.md).
OTHER_COMPILER = 0.1


@dataclass(frozen=True)
class Between:
    """Bytes that are known to lie between two bounds."""

    least: int
    most: int

    def __add__(self, other: Between) -> Between:
        return Between(self.least + other.least, self.most + other.most)

    def __sub__(self, other: Between) -> Between:
        return Between(self.least - other.most, self.most - other.least)

    def __or__(self, other: Between) -> Between:
        """The range that has both."""
        return Between(min(self.least, other.least), max(self.most, other.most))

    def wider(self, share: float) -> Between:
        return Between(math.floor(self.least * (1 - share)), math.ceil(self.most * (1 + share)))


NONE = Between(0, 0)


@dataclass(frozen=True, kw_only=True)
class HeapCode:
    """`iram`: code and constants that are to be had while the flash cache is off; `ram`:
    variables."""

    iram: Between
    ram: Between

    def of(self, part: str) -> Between:
        """ "code" or "variables"."""
        return self.iram if part == "code" else self.ram


@dataclass(frozen=True, kw_only=True)
class Compiled:
    """How a firmware is compiled. `level`: "size", "debug" or "perf"."""

    level: str
    asserts: bool


@functools.cache
def _table(name: str) -> tuple[Mapping[str, str], ...]:
    file = resources.files("heapscope.data") / "heap_code" / f"{name}.csv"
    return tuple(csv.DictReader(file.read_text(encoding="utf-8").splitlines()))


def sdk_code(
    arch: str, idf: str, compiled: Compiled, *, poisoning: str, in_rom: bool
) -> HeapCode | None:
    """ESP-IDF's own component. `idf`: the minor. None: no such build was measured."""
    wanted = {
        **{"arch": arch, "idf": idf, "level": compiled.level, "poisoning": poisoning},
        **{"asserts": str(int(compiled.asserts)), "rom": str(int(in_rom))},
    }
    for row in _table("sdk"):
        if all(row[key] == value for key, value in wanted.items()):
            iram, ram = (
                Between(int(row[f"{memory}_least"]), int(row[f"{memory}_most"]))
                for memory in ("iram", "ram")
            )
            return HeapCode(iram=iram.wider(OTHER_COMPILER), ram=ram)
    return None


def own_code(
    arch: str, idf: str, compiled: Compiled, *, poisoning: str, owners: bool, in_flash: bool
) -> HeapCode | None:
    """Our component in its place. Builds with options that were not measured together lie between
    those with fewer and with more."""
    rows = {
        row["options"]: row
        for row in _table("drop_in_linked")
        if row["chip_kind"] == arch and row["idf"] == idf
    }
    fewer = "light"
    if poisoning == "none":
        fewer = "tracking" if owners else "plain"
    more = "all" if poisoning == "comprehensive" or (owners and poisoning != "none") else fewer
    if fewer not in rows or more not in rows or "flash" not in rows:
        return None
    iram = _column(rows, "iram_bytes", fewer, more)
    if compiled.level != "size":
        iram = Between(iram.least, math.ceil(iram.most * _growth(arch, compiled.level)))
    if in_flash:
        most = "flash" if more == "plain" else more
        return HeapCode(iram=NONE, ram=_column(rows, "ram_bytes", "flash", most))
    ram = _column(rows, "ram_bytes", fewer, more)
    return HeapCode(iram=iram.wider(OTHER_COMPILER), ram=ram)


def _column(rows: Mapping[str, Mapping[str, str]], name: str, least: str, most: str) -> Between:
    first, second = int(rows[least][name]), int(rows[most][name])
    return Between(min(first, second), max(first, second))


@functools.cache
def _growth(arch: str, level: str) -> float:
    """The most times that any build of ESP-IDF's component is as large as its like for size."""
    sizes: dict[str, dict[tuple[str, ...], int]] = {"size": {}, level: {}}
    for row in _table("sdk"):
        if row["arch"] == arch and row["level"] in sizes:
            like = tuple(row[key] for key in ("idf", "asserts", "poisoning", "rom"))
            sizes[row["level"]][like] = int(row["iram_most"])
    return max(sizes[level][like] / small for like, small in sizes["size"].items())


def releases_measured() -> tuple[str, ...]:
    return tuple(dict.fromkeys(row["idf"] for row in _table("sdk")))


def code_in_map(use: StaticUse) -> HeapCode:
    """The heap component of a firmware, out of its linker map. InputError: the file tells none, or
    it is ours already."""
    shown = use.file
    pieces = [piece for piece in use.pieces if piece.component == ARCHIVE]
    if not pieces:
        raise InputError(
            f"{shown}: nothing of {ARCHIVE} in its RAM",
            remedy="give the firmware's linker map, build/PROJECT.map, of a build whose heap is in "
            "RAM; without --map the measured figures are taken",
        )
    if any(piece.symbol.startswith(("hs_", "heapscope_")) for piece in pieces):
        raise InputError(
            f"{shown}: a firmware that has Heapscope's heap already",
            remedy="give the map of the firmware with ESP-IDF's own heap",
        )
    return HeapCode(iram=_bytes(use, {"code"}), ram=_bytes(use, {"data", "bss"}))


def _bytes(use: StaticUse, roles: Iterable[str]) -> Between:
    number = sum(
        piece.size
        for piece in use.pieces
        if piece.component == ARCHIVE
        and use.sections[piece.section].role in roles
        and use.sections[piece.section].kind != "SPIRAM"
    )
    return Between(number, number)
