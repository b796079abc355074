"""Variables and their types out of an ELF's debug information."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from elftools.elf.elffile import ELFFile

from heapscope.base.elf import DEBUG_DAMAGED, bound_entries, reading
from heapscope.base.printable import printable
from heapscope.memory.image.types import (
    ARRAY,
    BASE,
    OTHER,
    POINTER,
    STRUCT,
    UNION,
    Member,
    Type,
    Types,
    Variable,
)

_ADDRESS = 0x03  # DW_OP_addr
_INDEXED = 0xA1  # DW_OP_addrx
_PLUS = 0x23  # DW_OP_plus_uconst
_NAME_MAX = 120
REMEDY = "give the ELF that the build wrote, build/PROJECT.elf, whole"
_SCOPES = ("namespace", "subprogram", "lexical_block", "inlined_subroutine")
_KINDS = {
    "base_type": BASE,
    "enumeration_type": BASE,
    "pointer_type": POINTER,
    "reference_type": POINTER,
    "rvalue_reference_type": POINTER,
    "structure_type": STRUCT,
    "class_type": STRUCT,
    "union_type": UNION,
    "array_type": ARRAY,
}
_ALIASES = ("typedef", "const_type", "volatile_type", "atomic_type", "restrict_type")
_WORD = 4
_NESTED = 64


def read_types(path: str | Path) -> Types:
    """The variables that have an address, by what they are. Without debug information there are
    no variables. InputError: the file is damaged, or is not an ELF."""
    name = printable(str(path), limit=400)
    with Path(path).open("rb") as file, reading(name, DEBUG_DAMAGED, remedy=REMEDY):
        elf = ELFFile(file)
        if not elf.has_dwarf_info():
            return Types({}, ())
        dwarf = elf.get_dwarf_info()
        bound_entries(dwarf)
        reader = DebugReader()
        variables = tuple(
            variable
            for unit in dwarf.iter_CUs()
            for variable in reader.variables(unit.get_top_DIE())
        )
        reader.read_rest()
        return Types(reader.types, variables)


class DebugReader:
    """The types that variables lead to, by their place in the debug information."""

    def __init__(self) -> None:
        self.types: dict[int, Type] = {}
        self._waiting: list[Any] = []
        self._known: set[int] = set()

    def variables(self, scope: Any, depth: int = 0) -> Iterator[Variable]:
        for entry in scope.iter_children():
            tag = tag_of(entry)
            if tag == "variable":
                variable = self._variable(entry)
                if variable is not None:
                    yield variable
            elif tag in _SCOPES and depth < _NESTED:
                yield from self.variables(entry, depth + 1)
            elif (
                tag in ("structure_type", "class_type")
                and "DW_AT_declaration" not in entry.attributes
            ):
                self._number(entry)  # the whole of what elsewhere is only declared

    def _variable(self, entry: Any) -> Variable | None:
        address = _address(entry)
        if address is None:
            return None
        declared = entry
        if "DW_AT_specification" in entry.attributes:
            declared = entry.get_DIE_from_attribute("DW_AT_specification")
        if "DW_AT_type" not in declared.attributes:
            declared = entry
        number = self.of(declared)
        name = name_of(declared) or name_of(entry)
        return Variable(name, address, number) if number and name else None

    def of(self, entry: Any) -> int:
        """The number of the type that an entry has; 0: void."""
        if "DW_AT_type" not in entry.attributes:
            return 0
        return self._number(entry.get_DIE_from_attribute("DW_AT_type"))

    def _number(self, entry: Any) -> int:
        number: int = entry.offset
        if number not in self._known:
            self._known.add(number)
            self._waiting.append(entry)
        return number

    def read_rest(self) -> None:
        while self._waiting:
            entry = self._waiting.pop()
            self.types[entry.offset] = self._type(entry)

    def _type(self, entry: Any) -> Type:
        tag = tag_of(entry)
        if tag in _ALIASES:
            return Type(kind=OTHER, name=name_of(entry), of=self.of(entry), alias=True)
        kind = _KINDS.get(tag, OTHER)
        size = _number_of(entry, "DW_AT_byte_size")
        if kind == POINTER:
            return Type(kind=kind, size=size or _WORD, of=self.of(entry))
        if kind == ARRAY:
            return Type(kind=kind, size=size, of=self.of(entry), count=_count(entry))
        members = tuple(self._members(entry)) if kind in (STRUCT, UNION) else ()
        return Type(kind=kind, name=name_of(entry), size=size, members=members)

    def _members(self, entry: Any) -> Iterator[Member]:
        for child in entry.iter_children():
            tag = tag_of(child)
            if tag not in ("member", "inheritance") or "DW_AT_external" in child.attributes:
                continue
            at = _member_offset(child)
            if at is not None:
                bits = "DW_AT_bit_size" in child.attributes
                yield Member(name_of(child), at, self.of(child), bits)


def tag_of(entry: Any) -> str:
    return str(entry.tag).removeprefix("DW_TAG_")


def name_of(entry: Any) -> str:
    attribute = entry.attributes.get("DW_AT_name")
    return (
        ""
        if attribute is None
        else printable(attribute.value.decode("utf-8", "replace"), limit=_NAME_MAX)
    )


def _number_of(entry: Any, name: str) -> int:
    attribute = entry.attributes.get(name)
    value = 0 if attribute is None else attribute.value
    return value if isinstance(value, int) and 0 <= value < 1 << 32 else 0


def _address(entry: Any) -> int | None:
    """None: it has none, or one that the program computes."""
    location = entry.attributes.get("DW_AT_location")
    if location is None or not isinstance(location.value, list):
        return None
    code, rest = location.value[0] if location.value else 0, bytes(location.value[1:])
    if code == _ADDRESS and len(rest) >= _WORD:
        address, rest = int.from_bytes(rest[:_WORD], "little"), rest[_WORD:]
    elif code == _INDEXED:
        index, rest = _leb128(rest)
        address = int(entry.dwarfinfo.get_addr(entry.cu, index))
    else:
        return None
    if rest[:1] == bytes([_PLUS]):
        more, rest = _leb128(rest[1:])
        address += more
    return None if rest else address


def _leb128(data: bytes) -> tuple[int, bytes]:
    """The number that begins them, and the bytes behind it."""
    value = 0
    for place, byte in enumerate(data):
        value |= (byte & 127) << 7 * place
        if byte < 128:
            return value, data[place + 1 :]
    return value, b""


def signed_leb128(data: bytes) -> tuple[int, bytes]:
    """The same of a number with a sign."""
    value, rest = _leb128(data)
    bits = 7 * (len(data) - len(rest))
    return (value - (1 << bits) if bits and value >> bits - 1 else value), rest


def _member_offset(entry: Any) -> int | None:
    """None: it is computed when the program runs, as that of a virtual base."""
    attribute = entry.attributes.get("DW_AT_data_member_location")
    if attribute is None:
        return 0
    if isinstance(attribute.value, int):
        return attribute.value
    expression = bytes(attribute.value)
    if expression[:1] != bytes([_PLUS]):
        return None
    return _leb128(expression[1:])[0]


def _count(entry: Any) -> int:
    """Elements of all dimensions together; 0: as many as there is room for."""
    result = 1
    for child in entry.iter_children():
        if tag_of(child) != "subrange_type":
            continue
        count = child.attributes.get("DW_AT_count")
        upper = child.attributes.get("DW_AT_upper_bound")
        if count is not None and isinstance(count.value, int):
            result *= count.value
        elif upper is not None and isinstance(upper.value, int):
            result *= upper.value + 1
        else:
            return 0
    return result
