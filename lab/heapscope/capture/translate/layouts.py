"""The size of a type in a 64-bit program, and on a 32-bit chip (RISC-V ilp32, Xtensa).

The rules of both are the same: a member is aligned to its own alignment, which is its size for a
scalar. Pointers and `long` have 4 bytes there; `long long` and `double` have 8 and are aligned to
8. Each structure is laid out for 64 bit first. Only if that gives the very offsets and size that
the debug information has, the same rules are believed for 32 bit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

#: A debugging information entry of pyelftools.
Entry = Any

#: Says why a named type of a source may be another one on a chip; empty: nothing says so.
Doubts = Callable[[Entry, tuple[str, ...]], str]

_POINTERS = ("DW_TAG_pointer_type", "DW_TAG_reference_type", "DW_TAG_rvalue_reference_type")
_QUALIFIERS = (
    "DW_TAG_const_type",
    "DW_TAG_volatile_type",
    "DW_TAG_restrict_type",
)
_STRUCTURES = ("DW_TAG_structure_type", "DW_TAG_class_type", "DW_TAG_union_type")
_ADDRESS, _BOOLEAN, _FLOAT, _SIGNED, _SIGNED_CHAR, _UNSIGNED, _UNSIGNED_CHAR, _UTF = (
    1,
    2,
    4,
    5,
    6,
    7,
    8,
    0x10,
)
_WHOLE = (_BOOLEAN, _SIGNED, _SIGNED_CHAR, _UNSIGNED, _UNSIGNED_CHAR, _UTF)
_LONGS = ("long int", "long unsigned int", "long", "unsigned long")
_DEPTH = 40  #: types within types at most

#: Types of C libraries whose size on a chip is known by their name: 64 bits, or a word.
_FIXED = frozenset(
    f"{before}{sign}int{least}{bits}_t"
    for before in ("", "__")
    for sign in ("", "u")
    for least in ("", "_least")
    for bits in (8, 16, 32, 64)
) | {"intmax_t", "uintmax_t", "__intmax_t", "__uintmax_t"}
_WORDS = frozenset({"size_t", "ssize_t", "ptrdiff_t", "intptr_t", "uintptr_t", "__intptr_t"}) | {
    "__ssize_t"
}
_UNKNOWN_NAMES = frozenset({"wchar_t", "wint_t"})


@dataclass(frozen=True)
class TypeSize:
    """A type's size and alignment, in 64-bit words and on the chip. `doubt`: why those of the chip
    are not sure; empty: they are. `open`: it ends with an array whose length the type leaves
    out."""

    wide: int
    wide_align: int
    narrow: int
    narrow_align: int
    doubt: str = ""
    open: bool = False


def _doubtful(wide: int, doubt: str) -> TypeSize:
    return TypeSize(wide, max(min(wide, 8), 1), wide, max(min(wide, 8), 1), doubt)


@dataclass(frozen=True)
class _Member:
    name: str
    layout: TypeSize
    at: int | None  # bits from the start, by the debug information; a union's are at 0
    bits: int | None  # of a bit-field


@dataclass
class _NextMember:
    """Where the next member comes, as the rules of one word size have it."""

    wide: bool
    packed: bool
    bit: int = 0
    align: int = 1
    places: list[int] = field(default_factory=list)

    def add(self, member: _Member, *, union: bool) -> None:
        layout = member.layout
        size, align = (
            (layout.wide, layout.wide_align) if self.wide else (layout.narrow, layout.narrow_align)
        )
        align = 1 if self.packed else align
        start = 0 if union else self.bit
        if member.bits is None:
            start = _up(start, 8 * align)
            end = start + 8 * size
        else:
            if (
                not self.packed
                and size
                and start // (8 * size) != (start + member.bits - 1) // (8 * size)
            ):
                start = _up(start, 8 * align)
            end = start + member.bits
        self.places.append(start)
        self.bit = max(self.bit, end)
        self.align = max(self.align, align)

    @property
    def size(self) -> int:
        return _up(-(-self.bit // 8), self.align)


def _up(value: int, step: int) -> int:
    return -(-value // step) * step


class Layouts:
    """Layouts of a program's types, each made once."""

    def __init__(self, doubts: Doubts) -> None:
        self._doubts = doubts
        self._built: dict[int, TypeSize] = {}

    def layout(self, entry: Entry | None, depth: int = 0) -> TypeSize:
        if entry is None:
            return _doubtful(0, "void has no size")
        if depth > _DEPTH:
            return _doubtful(0, "types within types go too deep")
        if entry.offset not in self._built:
            self._built[entry.offset] = self._layout(entry, depth)
        return self._built[entry.offset]

    def _layout(self, entry: Entry, depth: int) -> TypeSize:
        tag = entry.tag
        if tag in _POINTERS:
            return TypeSize(8, 8, 4, 4)
        if tag in _QUALIFIERS:
            return self.layout(type_of(entry), depth + 1)
        if tag == "DW_TAG_typedef":
            return self._typedef(entry, depth)
        if tag == "DW_TAG_base_type":
            return _base(entry)
        if tag == "DW_TAG_enumeration_type":
            size = _number(entry, "DW_AT_byte_size") or 0
            doubt = "" if size == 4 else "an enumeration that is not of 4 bytes"
            return replace(TypeSize(size, size or 1, size, size or 1), doubt=doubt)
        if tag == "DW_TAG_array_type":
            return self._array(entry, depth)
        if tag in _STRUCTURES:
            return self._structure(entry, depth)
        size = _number(entry, "DW_AT_byte_size") or 0
        return _doubtful(size, f"{tag.removeprefix('DW_TAG_')} is not known here")

    def _typedef(self, entry: Entry, depth: int) -> TypeSize:
        name = name_of(entry)
        below = self.layout(type_of(entry), depth + 1)
        if name in _FIXED:
            size = below.wide
            return TypeSize(size, size, size, size)
        if name in _WORDS and below.wide == 8:
            return TypeSize(8, 8, 4, 4)
        if name in _UNKNOWN_NAMES:
            return replace(below, doubt=f"{name} is not the same in every C library")
        if below.doubt:
            return below
        return replace(below, doubt=self._doubts(entry, ()))

    def _array(self, entry: Entry, depth: int) -> TypeSize:
        element = self.layout(type_of(entry), depth + 1)
        number, left_out = 1, False
        for each in entry.iter_children():
            if each.tag != "DW_TAG_subrange_type":
                continue
            count, upper = _number(each, "DW_AT_count"), _number(each, "DW_AT_upper_bound")
            if count is None and upper is None:
                count, left_out = 0, True
            number *= count if count is not None else upper + 1 if upper is not None else 0
        return replace(
            element,
            wide=element.wide * number,
            narrow=element.narrow * number,
            open=left_out or number == 0,
        )

    def _structure(self, entry: Entry, depth: int) -> TypeSize:
        size = _number(entry, "DW_AT_byte_size")
        if size is None:
            return _doubtful(0, "its definition is not in this part of the program")
        union = entry.tag == "DW_TAG_union_type"
        self._built[entry.offset] = _doubtful(size, "a type within itself")
        members = list(self._members(entry, depth))
        wide = _laid_out(members, wide=True, packed=False, union=union)
        packed = _laid_out(members, wide=True, packed=True, union=union)
        narrow = _laid_out(members, wide=False, packed=False, union=union)
        doubt = next((one.layout.doubt for one in members if one.layout.doubt), "")
        if not doubt and not _met(wide, members, size):
            doubt = "its members do not lie where they would by themselves"
            if _met(packed, members, size):
                doubt = "it is packed"
        doubt = doubt or self._entry_doubt(entry, members)
        return TypeSize(
            wide=size,
            wide_align=wide.align,
            narrow=narrow.size,
            narrow_align=narrow.align,
            doubt=doubt,
            open=bool(members) and members[-1].layout.open,
        )

    def _entry_doubt(self, entry: Entry, members: list[_Member]) -> str:
        if "DW_AT_alignment" in entry.attributes:
            return "its alignment is stated"
        if any(one.tag == "DW_TAG_inheritance" for one in entry.iter_children()):
            return "a class with a base"
        return self._doubts(entry, tuple(one.name for one in members if one.name))

    def _members(self, entry: Entry, depth: int) -> Iterator[_Member]:
        for each in entry.iter_children():
            if each.tag == "DW_TAG_inheritance":
                yield _Member("", self.layout(type_of(each), depth + 1), _bit_place(each), None)
            if each.tag != "DW_TAG_member" or "DW_AT_external" in each.attributes:
                continue
            layout = self.layout(type_of(each), depth + 1)
            if "DW_AT_alignment" in each.attributes:
                layout = replace(layout, doubt="the alignment of a member is stated")
            bits = _number(each, "DW_AT_bit_size")
            name = "" if "DW_AT_artificial" in each.attributes else name_of(each)
            yield _Member(name, layout, _bit_place(each), bits)


def _laid_out(members: list[_Member], *, wide: bool, packed: bool, union: bool) -> _NextMember:
    place = _NextMember(wide=wide, packed=packed)
    for member in members:
        place.add(member, union=union)
    return place


def _met(place: _NextMember, members: list[_Member], size: int) -> bool:
    results = [one.at for one in members]
    return place.size == size and all(
        at is None or at == built for at, built in zip(results, place.places, strict=True)
    )


def _bit_place(entry: Entry) -> int | None:
    """Bits from the structure's start; -1: by an expression, which no layout meets."""
    if "DW_AT_data_bit_offset" in entry.attributes:
        return _number(entry, "DW_AT_data_bit_offset")
    if "DW_AT_data_member_location" not in entry.attributes:
        return 0
    place = _number(entry, "DW_AT_data_member_location")
    if place is None or "DW_AT_bit_offset" in entry.attributes:
        return -1
    return 8 * place


def _base(entry: Entry) -> TypeSize:
    size = _number(entry, "DW_AT_byte_size") or 0
    encoding, name = _number(entry, "DW_AT_encoding"), name_of(entry)
    if name in _UNKNOWN_NAMES:
        return _doubtful(size, f"{name} is not the same in every C library")
    if name in _LONGS and size == 8:
        return TypeSize(8, 8, 4, 4)
    if encoding in _WHOLE and size in (1, 2, 4, 8):
        return TypeSize(size, size, size, size)
    if encoding == _FLOAT and size in (4, 8):
        return TypeSize(size, size, size, size)
    return _doubtful(size, f"{name or 'a base type'} is not the same on every chip")


# ---- entries ----


def type_of(entry: Entry) -> Entry | None:
    """None: void."""
    if "DW_AT_type" not in entry.attributes:
        return None
    return entry.get_DIE_from_attribute("DW_AT_type")


def plain_type(entry: Entry | None) -> Entry | None:
    """Without qualifiers and names."""
    for _ in range(_DEPTH):
        if entry is None or entry.tag not in (*_QUALIFIERS, "DW_TAG_typedef"):
            return entry
        entry = type_of(entry)
    return None


def pointee(entry: Entry | None) -> tuple[bool, Entry | None]:
    """Whether a type is a pointer, and to what; to None: to void."""
    plain = plain_type(entry)
    if plain is None or plain.tag != "DW_TAG_pointer_type":
        return False, None
    to = type_of(plain)
    while to is not None and to.tag in _QUALIFIERS:
        to = type_of(to)
    return True, to


def name_of(entry: Entry) -> str:
    result = entry.attributes.get("DW_AT_name")
    return "" if result is None else result.value.decode("utf-8", "replace")


def shown_name(entry: Entry | None) -> str:
    """A type as C writes it."""
    if entry is None:
        return "void"
    if entry.tag in _POINTERS:
        return f"{shown_name(type_of(entry))} *"
    if entry.tag in _QUALIFIERS:
        return shown_name(type_of(entry))
    kind = {"DW_TAG_structure_type": "struct ", "DW_TAG_union_type": "union "}.get(entry.tag, "")
    return kind + (name_of(entry) or "without a name")


def member_type(entry: Entry | None, place: int) -> Entry | None:
    """The type of the member of a structure that begins at a byte, within structures in it;
    None: none, or there are several."""
    for _ in range(_DEPTH):
        entry = plain_type(entry)
        if entry is None or entry.tag not in ("DW_TAG_structure_type", "DW_TAG_class_type"):
            return entry if place == 0 else None
        result, at = None, 0
        for each in entry.iter_children():
            if each.tag != "DW_TAG_member" or "DW_AT_external" in each.attributes:
                continue
            start = _bit_place(each)
            if start is None or start < 0 or start % 8:
                continue
            if start // 8 <= place and (result is None or start // 8 >= at):
                result, at = each, start // 8
        if result is None:
            return None
        entry, place = type_of(result), place - at
    return None


def _number(entry: Entry, name: str) -> int | None:
    result = entry.attributes.get(name)
    return result.value if result is not None and isinstance(result.value, int) else None
