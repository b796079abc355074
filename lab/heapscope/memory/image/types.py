"""The types of a program's variables, as its debug information tells them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

BASE, POINTER, STRUCT, UNION, ARRAY, OTHER = "base", "pointer", "struct", "union", "array", "other"
_ALIASES = 64  # more are a circle
_NESTED = 8
_SLACK = 64  # bytes that an allocator adds at most


@dataclass(frozen=True)
class Member:
    """`bits`: it is a bit field, which holds no pointer."""

    name: str
    offset: int
    type: int
    bits: bool = False


@dataclass(frozen=True, kw_only=True)
class Type:
    """`size`: in bytes, 0: not told. `of`: what a pointer points at, an array has elements of, or
    another name stands for; 0: void. `count`: of an array's elements, all dimensions together.
    `alias`: it is a typedef, or a const or volatile of `of`."""

    kind: str
    name: str = ""
    size: int = 0
    of: int = 0
    count: int = 0
    members: tuple[Member, ...] = ()
    alias: bool = False


_VOID = Type(kind=OTHER)


@dataclass(frozen=True)
class Variable:
    """`type`: of what lies at the address."""

    name: str
    address: int
    type: int


@dataclass(frozen=True)
class StackValue:
    """A variable that a register holds. `type`: of the value."""

    name: str
    value: int
    type: int


@dataclass(frozen=True)
class Types:
    """`by_id`: 0 is void, which is not in it. `values`: of variables without an address."""

    by_id: Mapping[int, Type]
    variables: tuple[Variable, ...]
    values: tuple[StackValue, ...] = ()

    def plain(self, number: int) -> Type:
        """Aliases taken off; a structure that is declared alone is the one of its name."""
        return self.by_id.get(self._plain_id(number), _VOID)

    def _plain_id(self, number: int) -> int:
        for _ in range(_ALIASES):
            found = self.by_id.get(number)
            if found is None:
                return 0
            if not found.alias:
                if found.kind == STRUCT and not found.size:
                    return self._structures.get(found.name, number)
                return number
            number = found.of
        return 0

    @cached_property
    def _structures(self) -> Mapping[str, int]:
        return {
            one.name: number
            for number, one in self.by_id.items()
            if one.kind == STRUCT and one.size and one.name
        }

    @cached_property
    def _typedefs(self) -> Mapping[int, str]:
        """The name that a typedef gives to a structure."""
        result: dict[int, str] = {}
        for one in self.by_id.values():
            target = self.by_id.get(one.of)
            if one.alias and one.name and target is not None and target.kind in (STRUCT, UNION):
                result.setdefault(self._plain_id(one.of), one.name)
        return result

    def name(self, number: int) -> str:
        """The name that a programmer writes; "": it has none."""
        found, plain = self.by_id.get(number), self._plain_id(number)
        if found is not None and found.alias and found.name:
            return found.name
        named = self._typedefs.get(plain)
        if named:
            return named
        kind = self.by_id.get(plain, _VOID)
        if kind.kind == POINTER:
            return f"{self.name(kind.of) or 'void'} *"
        return f"struct {kind.name}" if kind.kind == STRUCT and kind.name else kind.name

    def structure(self, name: str) -> int:
        """0: no structure has this name."""
        return self._structures.get(name, 0)

    def size(self, number: int) -> int:
        found = self.plain(number)
        if found.kind == ARRAY and not found.size:
            return found.count * self.size(found.of)
        return found.size

    def open_ended(self, number: int) -> bool:
        """Its last member is an array without a size, so that a block holds one object alone."""
        members = self.plain(number).members
        if not members:
            return False
        last = self.plain(members[-1].type)
        return last.kind == ARRAY and not last.count

    def holder(self, number: int, offset: int, most: int) -> int:
        """The one structure that has an object of this type at this offset and fits into `most`
        bytes, or the one of those that hardly leaves any; 0: none, or several."""
        held = self._plain_id(number)
        fitting = dict(one for one in self._holders.get((held, offset), ()) if one[1] <= most)
        if len(fitting) > 1:
            fitting = {holder: size for holder, size in fitting.items() if most < size + _SLACK}
        return next(iter(fitting)) if len(fitting) == 1 else 0

    @cached_property
    def _holders(self) -> Mapping[tuple[int, int], list[tuple[int, int]]]:
        result: dict[tuple[int, int], list[tuple[int, int]]] = {}
        for number, one in self.by_id.items():
            if one.kind == STRUCT and one.size:
                for held, offset in self._inside(number, 0):
                    if offset:
                        result.setdefault((held, offset), []).append((number, one.size))
        return result

    def _inside(self, number: int, depth: int) -> Iterator[tuple[int, int]]:
        """The structures inside one, with their offsets."""
        for member in self.plain(number).members:
            inner = self._plain_id(member.type)
            if self.by_id.get(inner, _VOID).kind == STRUCT and depth < _NESTED:
                yield inner, member.offset
                for held, offset in self._inside(inner, depth + 1):
                    yield held, member.offset + offset
