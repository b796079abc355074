"""The code, symbols, lines and debug information of one 64-bit program or library."""

from __future__ import annotations

import bisect
import re
import struct
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from elftools.common.exceptions import ELFError
from elftools.dwarf.locationlists import LocationParser
from elftools.elf.elffile import ELFFile
from elftools.elf.relocation import RelocationSection

from heapscope.base.elf import DEBUG_DAMAGED, bound_entries, check_sections, origin, reading
from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.capture.translate.layouts import Entry, name_of

_NEEDS = "build it with -g, on this machine, as it was when it was recorded"
_MERGES = re.compile(r"^GNU .* -(?:O[2-9s]|Ofast|fipa-icf)(?: |$)")
_X86_64 = "EM_X86_64"


@dataclass(frozen=True)
class Lines:
    """A piece of code that one line of a source made."""

    begin: int
    end: int
    path: str
    line: int


@dataclass(frozen=True)
class CodeScope:
    """A function, an inlined one, or a block, with its pieces of code."""

    entry: Entry
    pieces: tuple[tuple[int, int], ...]
    inner: tuple[CodeScope, ...]

    def holds(self, address: int) -> bool:
        return any(begin <= address < end for begin, end in self.pieces)


class ProgramFile:
    """Use as a context manager: it holds the file open. InputError: it tells nothing."""

    def __init__(self, path: Path) -> None:
        self.path = path
        shown = printable(str(path), limit=400)
        try:
            self._stream = path.open("rb")
        except OSError as error:
            raise InputError(
                f"{shown}: {error.strerror or error}", remedy="name the program that was recorded"
            ) from None
        try:
            with reading(shown, DEBUG_DAMAGED, remedy=_NEEDS):
                self._read(shown)
        except BaseException:
            self._stream.close()
            raise

    def _read(self, shown: str) -> None:
        try:
            self.elf = ELFFile(self._stream)
        except ELFError as error:
            raise InputError(f"{shown}: no ELF file: {error}", remedy=_NEEDS) from None
        if self.elf["e_machine"] != _X86_64 or self.elf.elfclass != 64:
            raise InputError(
                f"{shown}: not a program of x86-64",
                remedy="name the 64-bit program that was recorded",
            )
        if not self.elf.has_dwarf_info():
            raise InputError(f"{shown}: it has no debug information", remedy=_NEEDS)
        self.time = self.path.stat().st_mtime
        check_sections(self.elf, self.path.stat().st_size)
        self.dwarf: Any = self.elf.get_dwarf_info()
        bound_entries(self.dwarf)
        self._sections = [
            (section["sh_addr"], section["sh_size"], section.data())
            for section in self.elf.iter_sections()
            if section["sh_flags"] & 4 and section["sh_type"] == "SHT_PROGBITS"
        ]
        self._name_functions()
        self._name_slots()
        self._units = _unit_ranges(self.dwarf)
        self._scopes: dict[int, tuple[CodeScope, ...]] = {}
        self._lines: dict[tuple[str, int], list[Lines]] | None = None
        self._paths: dict[str, set[str]] | None = None
        self._globals: dict[int, Entry] | None = None
        self._frames: list[Any] | None = None
        lists = self.dwarf.location_lists()
        self._locations = None if lists is None else LocationParser(lists)

    def __enter__(self) -> ProgramFile:
        return self

    def __exit__(self, *_: object) -> None:
        self._stream.close()

    # ---- code and symbols ----

    def code(self, address: int, most: int) -> bytes:
        for start, size, data in self._sections:
            if start <= address < start + size:
                return bytes(data[address - start : address - start + most])
        return b""

    def _name_functions(self) -> None:
        self.functions: dict[int, str] = {}
        self.merged: set[int] = set()  # where a linker has put several functions
        for kind in (".dynsym", ".symtab"):
            table = self.elf.get_section_by_name(kind)
            if table is None or not hasattr(table, "iter_symbols"):
                continue
            for symbol in table.iter_symbols():
                if symbol["st_info"]["type"] == "STT_FUNC" and symbol["st_value"]:
                    name = symbol.name.partition("@")[0]
                    if self.functions.setdefault(symbol["st_value"], name) != name:
                        self.merged.add(symbol["st_value"])
        self.own_functions = frozenset(self.functions)

    def _name_slots(self) -> None:
        """Which function's address the loader puts where, and the stubs that jump to it."""
        self.slots: dict[int, str] = {}
        for section in self.elf.iter_sections():
            if not isinstance(section, RelocationSection) or section["sh_link"] == 0:
                continue
            symbols = self.elf.get_section(section["sh_link"])
            if not hasattr(symbols, "get_symbol"):
                continue
            for each in section.iter_relocations():
                if each["r_info_sym"]:
                    name = symbols.get_symbol(each["r_info_sym"]).name
                    self.slots[each["r_offset"]] = name.partition("@")[0]
        for section in self.elf.iter_sections():
            if section.name.startswith(".plt"):
                start, data = section["sh_addr"], section.data()
                for entry in range(0, len(data), 8):
                    place = data.find(b"\xff\x25", entry, entry + 16)
                    if place < 0:
                        continue
                    step = struct.unpack_from("<i", data, place + 2)[0]
                    name = self.slots.get(start + place + 6 + step)
                    if name:
                        self.functions.setdefault(start + entry, name)

    def called(self, end: int, place: int | None, base: int | None, offset: int) -> str | None:
        """The name of the function that a call ending at an address goes to; empty: nobody knows,
        as a pointer has it. None: the call goes to no function."""
        if place is not None:
            return self.functions.get(place)
        if base == -1:
            return self.slots.get(end + offset, "")
        return ""

    # ---- lines ----

    def lines(self, file: str, line: int) -> list[Lines]:
        """The code of a line in a source of that name."""
        if self._lines is None:
            self._lines = defaultdict(list)
            for unit in self.dwarf.iter_CUs():
                for piece in self._unit_lines(unit):
                    self._lines[Path(piece.path).name, piece.line].append(piece)
        return self._lines.get((file, line), [])

    def paths(self, name: str) -> set[str]:
        """The sources of that name."""
        if self._paths is None:
            self._paths = defaultdict(set)
            for unit in self.dwarf.iter_CUs():
                for path in self.files(unit):
                    self._paths[Path(path).name].add(path)
        return self._paths.get(name, set())

    def _unit_lines(self, unit: Any) -> Iterator[Lines]:
        program = self.dwarf.line_program_for_CU(unit)
        if program is None:
            return
        paths = self.files(unit)
        begun: list[Any] = []  # of one address: who asks for a name may have taken any of them
        for each in program.get_entries():
            state = each.state
            if state is None:
                continue
            if begun and begun[0].address < state.address:
                for one in begun:
                    path = paths[one.file] if one.file < len(paths) else ""
                    yield Lines(one.address, state.address, path, one.line)
                begun = []
            if state.end_sequence:
                begun = []
            else:
                begun.append(state)

    def files(self, unit: Any) -> list[str]:
        """The paths of a unit's sources, by the numbers that lines and entries have."""
        program = self.dwarf.line_program_for_CU(unit)
        if program is None:
            return []
        top = unit.get_top_DIE()
        base = Path(_text(top, "DW_AT_comp_dir"))
        header, version = program.header, program.header["version"]
        folders = [base / _decoded(one) for one in header["include_directory"]]
        if version < 5:
            folders.insert(0, base)
        built = []
        for one in header["file_entry"]:
            folder = folders[one.dir_index] if one.dir_index < len(folders) else base
            built.append(str(folder / _decoded(one.name)))
        return built if version >= 5 else ["", *built]

    # ---- scopes ----

    def scopes(self, address: int) -> list[CodeScope]:
        """The function that holds an address, and what in it does, the outermost first."""
        unit = self._unit(address)
        if unit is None:
            return []
        code_scopes: list[CodeScope] = []
        inner = self._unit_scopes(unit)
        while True:
            held = next((one for one in inner if one.holds(address)), None)
            if held is None:
                return code_scopes
            code_scopes.append(held)
            inner = held.inner

    def _unit(self, address: int) -> Any:
        place = bisect.bisect_right(self._units, address, key=lambda each: each[0]) - 1
        if place >= 0 and self._units[place][0] <= address < self._units[place][1]:
            return self._units[place][2]
        return None

    def _unit_scopes(self, unit: Any) -> tuple[CodeScope, ...]:
        if unit.cu_offset not in self._scopes:
            self._scopes[unit.cu_offset] = self._scopes_in(unit.get_top_DIE())
        return self._scopes[unit.cu_offset]

    def _scopes_in(self, entry: Entry) -> tuple[CodeScope, ...]:
        code_scopes: list[CodeScope] = []
        for each in entry.iter_children():
            if each.tag in ("DW_TAG_namespace", "DW_TAG_structure_type", "DW_TAG_class_type"):
                code_scopes += self._scopes_in(each)
            if each.tag not in (
                "DW_TAG_subprogram",
                "DW_TAG_inlined_subroutine",
                "DW_TAG_lexical_block",
            ):
                continue
            pieces = tuple(_pieces(self.dwarf, each))
            if pieces:
                code_scopes.append(CodeScope(each, pieces, self._scopes_in(each)))
        return tuple(code_scopes)

    # ---- variables ----

    def location(self, entry: Entry, address: int) -> tuple[int, bytes] | None:
        """Where a variable is while the code at an address runs: from which address on, and the
        expression. None: nowhere, or nobody says."""
        result = entry.attributes.get("DW_AT_location")
        if result is None or (self._locations is None and result.form != "DW_FORM_exprloc"):
            return None
        if result.form == "DW_FORM_exprloc":
            return 0, bytes(result.value)
        version = entry.cu["version"]
        if self._locations is None or not self._locations.attribute_has_location(result, version):
            return None
        base = _number(entry.cu.get_top_DIE(), "DW_AT_low_pc")
        from_attribute: Any = self._locations.parse_from_attribute(result, version, entry)
        for one in from_attribute:
            if hasattr(one, "base_address"):
                base = one.base_address
                continue
            if not hasattr(one, "begin_offset"):
                continue
            shift = 0 if getattr(one, "is_absolute", False) else base
            if one.begin_offset + shift <= address < one.end_offset + shift:
                return one.begin_offset + shift, bytes(one.loc_expr)
        return None

    def global_type(self, address: int) -> Entry | None:
        """The variable at an address of the program's data."""
        if self._globals is None:
            self._globals = {}
            for unit in self.dwarf.iter_CUs():
                for entry in unit.iter_DIEs():
                    place = entry.attributes.get("DW_AT_location")
                    if (
                        entry.tag == "DW_TAG_variable"
                        and place is not None
                        and place.form == "DW_FORM_exprloc"
                        and len(place.value) == 9
                        and place.value[0] == 0x03
                    ):
                        at = int.from_bytes(bytes(place.value[1:]), "little")
                        self._globals[at] = entry
        return self._globals.get(address)

    def frame(self, address: int) -> tuple[int, int] | None:
        """The register and offset by which the caller's stack pointer is known there."""
        if self._frames is None:
            entries = self.dwarf.EH_CFI_entries() if self.dwarf.has_EH_CFI() else []
            matches = [one for one in entries if "initial_location" in getattr(one, "header", ())]
            self._frames = sorted(matches, key=lambda each: each["initial_location"])
        place = bisect.bisect_right(
            self._frames, address, key=lambda each: each["initial_location"]
        )
        each = self._frames[place - 1] if place else None
        if each is None or address >= each["initial_location"] + each["address_range"]:
            return None
        rule = None
        for row in each.get_decoded().table:
            if row["pc"] > address:
                break
            rule = row["cfa"]
        return None if rule is None or rule.reg is None else (rule.reg, rule.offset)


def merges_functions(unit: Any) -> bool:
    """The compiler makes one of functions with the same code (-fipa-icf of GCC), unless it says
    that it does not."""
    stated = _text(unit.get_top_DIE(), "DW_AT_producer")
    return _MERGES.search(stated) is not None and "-fno-ipa-icf" not in stated


def _unit_ranges(dwarf: Any) -> list[tuple[int, int, Any]]:
    results = []
    for unit in dwarf.iter_CUs():
        for begin, end in _pieces(dwarf, unit.get_top_DIE()):
            results.append((begin, end, unit))
    return sorted(results, key=lambda each: each[:2])


def _pieces(dwarf: Any, entry: Entry) -> Iterator[tuple[int, int]]:
    attributes = entry.attributes
    if "DW_AT_ranges" in attributes:
        lists, result = dwarf.range_lists(), attributes["DW_AT_ranges"]
        if lists is None:
            return
        base = _number(entry.cu.get_top_DIE(), "DW_AT_low_pc")
        for one in lists.get_range_list_at_offset(result.value, cu=entry.cu):
            if hasattr(one, "base_address"):
                base = one.base_address
                continue
            shift = 0 if getattr(one, "is_absolute", False) else base
            if one.begin_offset < one.end_offset:
                yield one.begin_offset + shift, one.end_offset + shift
    elif "DW_AT_low_pc" in attributes and "DW_AT_high_pc" in attributes:
        low, high = attributes["DW_AT_low_pc"].value, attributes["DW_AT_high_pc"]
        end = high.value if high.form == "DW_FORM_addr" else low + high.value
        if low < end:
            yield low, end


def _number(entry: Entry, name: str) -> int:
    result = entry.attributes.get(name)
    return result.value if result is not None and isinstance(result.value, int) else 0


def _text(entry: Entry, name: str) -> str:
    result = entry.attributes.get(name)
    return "" if result is None else _decoded(result.value)


def _decoded(value: bytes | str) -> str:
    return value if isinstance(value, str) else value.decode("utf-8", "surrogateescape")


def function_name(scope: CodeScope) -> str:
    """Empty for a block."""
    return "" if scope.entry.tag == "DW_TAG_lexical_block" else name_of(origin(scope.entry))
