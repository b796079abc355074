"""Where each instruction of an image comes from, by its DWARF: a line and all functions that it was
inlined into."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from elftools.dwarf.compileunit import CompileUnit
from elftools.dwarf.die import DIE
from elftools.dwarf.dwarfinfo import DWARFInfo
from elftools.elf.elffile import ELFFile

from emulation.bounds_code import CodeError

__all__ = ["Frame", "Lines"]


@dataclass(frozen=True)
class Frame:
    """A line of a function, whose name is empty where the image's symbols have it."""

    path: Path
    line: int
    function: str


@dataclass(frozen=True)
class Scope:
    """A function, or one that was inlined into it at `called`."""

    name: str
    ranges: tuple[tuple[int, int], ...]
    called: tuple[Path, int] | None
    inner: tuple[Scope, ...]


class Lines:
    """`unit(address)`: the C file that was compiled. `frames(address)`: the innermost first."""

    def __init__(self, image: Path) -> None:
        self._starts: list[int] = []
        self._frames: dict[int, Sequence[Frame]] = {}
        self._lines: list[tuple[Path, int, Path] | None] = []
        self._scopes: list[tuple[int, int, Scope]] = []
        with image.open("rb") as file:
            elf = ELFFile(file)
            if not elf.has_dwarf_info():
                raise CodeError(f"{image.name} has no lines; it is built with -gline-tables-only")
            dwarf = elf.get_dwarf_info()
            rows = [row for unit in dwarf.iter_CUs() for row in self._read(dwarf, unit)]
        self._scopes.sort(key=lambda one: one[:2])
        self._begins = [one[0] for one in self._scopes]
        for start, where in sorted(rows, key=lambda row: (row[0], row[1] is not None)):
            if self._starts and self._starts[-1] == start:
                self._lines[-1] = where
            else:
                self._starts.append(start)
                self._lines.append(where)

    def _read(
        self, dwarf: DWARFInfo, unit: CompileUnit
    ) -> Iterator[tuple[int, tuple[Path, int, Path] | None]]:
        top = unit.get_top_DIE()
        folder = Path(text(top, "DW_AT_comp_dir"))
        source = folder / text(top, "DW_AT_name")
        program = dwarf.line_program_for_CU(unit)
        if program is None:
            return
        header = program.header
        old = header["version"] < 5
        folders = [one.decode() for one in header["include_directory"]]
        paths = {}
        for number, entry in enumerate(header["file_entry"], start=1 if old else 0):
            index = entry["dir_index"] - (1 if old else 0)
            where = folder / folders[index] if index >= 0 else folder
            paths[number] = where / entry["name"].decode()
        base = top.attributes["DW_AT_low_pc"].value if "DW_AT_low_pc" in top.attributes else 0
        for die in top.iter_children():
            if die.tag == "DW_TAG_subprogram":
                scope = scope_of(dwarf, die, base, paths)
                for start, end in scope.ranges:
                    self._scopes.append((start, end, scope))
        for entry in program.get_entries():
            state = entry.state
            if state is None:
                continue
            yield (
                state.address,
                None if state.end_sequence else (paths[state.file], state.line, source),
            )

    def _scope(self, address: int) -> Scope | None:
        at = bisect_right(self._begins, address) - 1
        if at < 0 or not self._scopes[at][0] <= address < self._scopes[at][1]:
            return None
        return self._scopes[at][2]

    def _line(self, address: int) -> tuple[Path, int, Path] | None:
        at = bisect_right(self._starts, address) - 1
        return self._lines[at] if at >= 0 else None

    def unit(self, address: int) -> Path:
        """CodeError: it is not known."""
        result = self._line(address)
        if result is None:
            raise CodeError(f"{address:#x}: no C file is known to be behind it")
        return result[2]

    def frames(self, address: int) -> Sequence[Frame]:
        """Line 0: the compiler says none, as of what it merged."""
        if address not in self._frames:
            self._frames[address] = self._find(address)
        return self._frames[address]

    def _find(self, address: int) -> Sequence[Frame]:
        result = self._scope(address)
        where = self._line(address)
        path, line = where[:2] if where is not None else (Path(), 0)
        if result is None:  # nothing was inlined into that function
            return [Frame(path, line, "")]
        chain = [result]
        while True:
            inner = [one for one in chain[-1].inner if holds(one, address)]
            if not inner:
                break
            chain.append(inner[0])
        built = []
        for scope in reversed(chain):
            built.append(Frame(path, line, scope.name))
            path, line = scope.called or (Path(), 0)
        return built


def holds(scope: Scope, address: int) -> bool:
    return any(start <= address < end for start, end in scope.ranges)


def text(die: DIE, name: str) -> str:
    result = die.attributes.get(name)
    return result.value.decode() if result is not None else ""


def name_of(die: DIE) -> str:
    while "DW_AT_name" not in die.attributes and "DW_AT_abstract_origin" in die.attributes:
        die = die.get_DIE_from_attribute("DW_AT_abstract_origin")
    return text(die, "DW_AT_name")


def ranges_of(dwarf: DWARFInfo, die: DIE, base: int) -> tuple[tuple[int, int], ...]:
    if "DW_AT_low_pc" in die.attributes and "DW_AT_high_pc" in die.attributes:
        start = die.attributes["DW_AT_low_pc"].value
        high = die.attributes["DW_AT_high_pc"]
        return ((start, high.value if high.form == "DW_FORM_addr" else start + high.value),)
    if "DW_AT_ranges" not in die.attributes:
        return ()
    lists = dwarf.range_lists()
    built = []
    entries: list[Any] = lists.get_range_list_at_offset(die.attributes["DW_AT_ranges"].value)
    for entry in entries:
        if hasattr(entry, "base_address"):
            base = entry.base_address
        else:
            at = 0 if getattr(entry, "is_absolute", False) else base
            built.append((at + entry.begin_offset, at + entry.end_offset))
    return tuple(built)


def scope_of(dwarf: DWARFInfo, die: DIE, base: int, paths: dict[int, Path]) -> Scope:
    called = None
    if "DW_AT_call_line" in die.attributes:
        file = die.attributes["DW_AT_call_file"].value
        called = (paths[file], die.attributes["DW_AT_call_line"].value)
    return Scope(
        name=name_of(die),
        ranges=ranges_of(dwarf, die, base),
        called=called,
        inner=tuple(inner_of(dwarf, die, base, paths)),
    )


def inner_of(dwarf: DWARFInfo, die: DIE, base: int, paths: dict[int, Path]) -> Iterator[Scope]:
    for child in die.iter_children():
        if child.tag == "DW_TAG_inlined_subroutine":
            yield scope_of(dwarf, child, base, paths)
        elif child.tag == "DW_TAG_lexical_block":
            yield from inner_of(dwarf, child, base, paths)
