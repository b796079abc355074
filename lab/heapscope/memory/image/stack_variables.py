"""The variables of the functions that a task is in, out of an ELF's debug information."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from elftools.dwarf.locationlists import (
    BaseAddressEntry,
    LocationEntry,
    LocationExpr,
    LocationParser,
)
from elftools.elf.elffile import ELFFile

from heapscope.base.elf import DEBUG_DAMAGED, bound_entries, origin, reading
from heapscope.base.printable import printable
from heapscope.memory.image.call_frames import CONVENTIONS, CallFrame, CallFrames
from heapscope.memory.image.dwarf_types import REMEDY, DebugReader, name_of, signed_leb128, tag_of
from heapscope.memory.image.memory_image import MemoryImage
from heapscope.memory.image.types import StackValue, Types, Variable

_REGISTER, _BASED, _FRAME, _FRAME_BASE = 0x50, 0x70, 0x91, 0x9C  # DW_OP_reg0, breg0, fbreg, ...
_REGISTERS = 32
_NESTED = 24
_INNER = ("lexical_block", "inlined_subroutine")


def with_stacks(
    path: str, types: Types, image: MemoryImage, tasks: Mapping[str, Mapping[str, int]]
) -> Types:
    """The types with the variables on the stacks of the tasks, too. `path`: of the ELF; `tasks`:
    the registers of each where it stopped. InputError: the ELF is damaged."""
    convention = CONVENTIONS.get(image.machine)
    if convention is None or not tasks:
        return types
    shown = printable(path, limit=400)
    with Path(path).open("rb") as file, reading(shown, DEBUG_DAMAGED, remedy=REMEDY):
        elf = ELFFile(file)
        if not elf.has_dwarf_info():
            return types
        dwarf = elf.get_dwarf_info()
        bound_entries(dwarf)
        frames = CallFrames(dwarf, convention)
        calls = [
            (name, frame)
            for name, registers in tasks.items()
            for frame in frames.of(image, registers)
        ]
        reader = _LocalReader(dwarf)
        functions = list(_functions(dwarf, [frame.address for _, frame in calls]))
        variables: list[Variable] = []
        values: list[StackValue] = []
        for name, frame in calls:
            for entry in functions:
                if _covers(dwarf, entry, frame.address):
                    prefix = f"task {name}: {name_of(origin(entry))}"
                    for one in reader.locals(entry, frame, prefix):
                        if isinstance(one, Variable):
                            variables.append(one)
                        else:
                            values.append(one)
        reader.types.read_rest()
        return replace(
            types,
            by_id={**types.by_id, **reader.types.types},
            variables=(*types.variables, *variables),
            values=tuple(values),
        )


def _functions(dwarf: Any, addresses: Sequence[int]) -> Iterator[Any]:
    for unit in dwarf.iter_CUs():
        for entry in unit.get_top_DIE().iter_children():
            has_code = tag_of(entry) == "subprogram" and "DW_AT_low_pc" in entry.attributes
            if has_code and any(_covers(dwarf, entry, address) for address in addresses):
                yield entry


def _covers(dwarf: Any, entry: Any, address: int) -> bool:
    """Whether the code of a function or block has this address; a block without a range is all of
    what it is in."""
    low, high = entry.attributes.get("DW_AT_low_pc"), entry.attributes.get("DW_AT_high_pc")
    if low is not None and high is not None:
        end = high.value if high.form == "DW_FORM_addr" else low.value + high.value
        return bool(low.value <= address < end)
    ranges = entry.attributes.get("DW_AT_ranges")
    if ranges is None:
        return True
    lists = dwarf.range_lists()
    top = entry.cu.get_top_DIE().attributes.get("DW_AT_low_pc")
    base = 0 if top is None else top.value
    for one in lists.get_range_list_at_offset(ranges.value, cu=entry.cu):
        if not hasattr(one, "begin_offset"):
            base = one.base_address
            continue
        add = 0 if getattr(one, "is_absolute", False) else base
        if one.begin_offset + add <= address < one.end_offset + add:
            return True
    return False


class _LocalReader:
    def __init__(self, dwarf: Any) -> None:
        self.types = DebugReader()
        self._dwarf = dwarf
        self._lists = LocationParser(dwarf.location_lists())

    def locals(
        self, function: Any, frame: CallFrame, prefix: str
    ) -> Iterator[Variable | StackValue]:
        base = self._place(function.attributes.get("DW_AT_frame_base"), function, frame, None)
        yield from self._inside(function, frame, prefix, None if base is None else base[0], 0)

    def _inside(
        self, scope: Any, frame: CallFrame, prefix: str, base: int | None, depth: int
    ) -> Iterator[Variable | StackValue]:
        for entry in scope.iter_children():
            tag = tag_of(entry)
            if tag in ("variable", "formal_parameter"):
                yield from self._variable(entry, frame, prefix, base)
            elif tag in _INNER and depth < _NESTED and _covers(self._dwarf, entry, frame.address):
                yield from self._inside(entry, frame, prefix, base, depth + 1)

    def _variable(
        self, entry: Any, frame: CallFrame, prefix: str, base: int | None
    ) -> Iterator[Variable | StackValue]:
        declared = origin(entry)
        name, number = name_of(declared), self.types.of(declared)
        place = self._place(entry.attributes.get("DW_AT_location"), entry, frame, base)
        if place is None or not name or not number:
            return
        where, is_value = place
        kind = StackValue if is_value else Variable
        yield kind(f"{prefix}.{name}", where, number)

    def _place(
        self, attribute: Any, entry: Any, frame: CallFrame, base: int | None
    ) -> tuple[int, bool] | None:
        """The address, or the value of a register (true); None: it is neither there."""
        if attribute is None or not LocationParser.attribute_has_location(
            attribute, entry.cu["version"]
        ):
            return None
        found = self._lists.parse_from_attribute(attribute, entry.cu["version"], entry)
        if isinstance(found, LocationExpr):
            return _evaluated(bytes(found.loc_expr), frame, base)
        top = entry.cu.get_top_DIE().attributes.get("DW_AT_low_pc")
        add = 0 if top is None else top.value
        for one in found:
            if isinstance(one, BaseAddressEntry):
                add = one.base_address
            if not isinstance(one, LocationEntry):
                continue
            start = 0 if one.is_absolute else add
            if one.begin_offset + start <= frame.address < one.end_offset + start:
                return _evaluated(bytes(one.loc_expr), frame, base)
        return None


def _evaluated(code: bytes, frame: CallFrame, base: int | None) -> tuple[int, bool] | None:
    """The place by an expression that is one operation alone."""
    first, rest = code[:1], code[1:]
    if not first:
        return None
    operation = first[0]
    if operation == _FRAME_BASE and not rest:
        return frame.base, False
    if _REGISTER <= operation < _REGISTER + _REGISTERS and not rest:
        value = frame.registers.get(operation - _REGISTER)
        return None if value is None else (value, True)
    start = base
    if _BASED <= operation < _BASED + _REGISTERS:
        start = frame.registers.get(operation - _BASED)
    elif operation != _FRAME:
        return None
    offset, rest = signed_leb128(rest)
    if start is None or rest:
        return None
    return start + offset & 0xFFFF_FFFF, False
