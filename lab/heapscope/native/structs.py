"""The structs of the library as Python sees them. Their fields and types are read from its headers,
so that none of them is written down here."""

from __future__ import annotations

import functools
import struct
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from heapscope.native.library import ffi, load

#: HS_LAB_NEVER: "it did not happen", in fields that hold an event number.
NEVER = 0xFFFF_FFFF_FFFF_FFFF

Read = TypeVar("Read")
Rows = NDArray[np.void]  #: structs as a numpy array; its dtype has the names of their fields


class Struct(SimpleNamespace):
    """The values of a struct by the names of its fields; the headers say what they mean."""


def read_struct(call: Callable[..., Any], *given: Any) -> Struct:
    """The struct that `call(*given, struct)` fills."""
    out = ffi.new(ffi.typeof(call).args[-1])
    call(*given, out)
    return values(out)


def read_structs(call: Callable[..., int], *given: Any) -> tuple[Struct, ...]:
    """All structs of `call(*given, structs, count)`, which returns how many there are."""
    kind = ffi.typeof(call).args[-2].item
    count = call(*given, ffi.NULL, 0)
    rows = ffi.new(ffi.getctype(kind, "[]"), count)
    call(*given, rows, count)
    names = field_names(kind.cname)
    return tuple(_values(row, names) for row in rows)


def read_array(call: Callable[..., int], *given: Any, most: int | None = None) -> Rows:
    """The same as an array. `most`: asks for so many without asking how many there are."""
    kind = ffi.typeof(call).args[-2].item
    count = call(*given, ffi.NULL, 0) if most is None else most
    rows = np.zeros(count, dtype=dtype(kind.cname))
    given_back = call(*given, ffi.from_buffer(ffi.getctype(kind, "[]"), rows), count)
    return rows if most is None else rows[:given_back]


class _Method(Generic[Read]):
    """A method of a native object that asks the library's function of this name."""

    def __init__(self, read: Callable[..., Read], function: str) -> None:
        self._read = read
        self._function = function

    def __get__(self, owner: Any, _: object = None) -> Callable[..., Read]:
        return functools.partial(self._read, getattr(load(), self._function), owner.handle)


def struct_of(function: str) -> _Method[Struct]:
    """The struct that it fills."""
    return _Method(read_struct, function)


def structs_of(function: str) -> _Method[tuple[Struct, ...]]:
    """All structs that it has, or has of the index that is given."""
    return _Method(read_structs, function)


def number_of(function: str) -> _Method[int]:
    """The number that it returns."""
    return _Method(lambda call, *given: int(call(*given)), function)


@functools.cache
def dtype(name: str) -> np.dtype[np.void]:
    """The struct called `name` as numpy has it."""
    return _dtype(ffi.typeof(name))


def _dtype(struct: Any) -> np.dtype[np.void]:
    built = np.dtype([(name, _kind(field.type)) for name, field in struct.fields], align=True)
    if built.itemsize != ffi.sizeof(struct):
        raise TypeError(f"{struct.cname} is laid out in another way than numpy's")
    return built


def _kind(kind: Any) -> Any:
    if kind.kind == "struct":
        return _dtype(kind)
    if kind.kind == "array":
        return (_kind(kind.item), (kind.length,))
    return np.dtype(kind.cname.removesuffix("_t"))


@functools.cache
def packing(name: str) -> struct.Struct:
    """How Python's `struct` unpacks the struct called `name`: its fields in their order."""
    fields = [field.type for _, field in ffi.typeof(name).fields]
    built = struct.Struct("@" + "".join(map(_packed, fields)))
    if built.size != ffi.sizeof(name):
        raise TypeError(f"{name} is laid out in another way than struct's")
    return built


def _packed(kind: Any) -> str:
    return f"{kind.length}s" if kind.kind == "array" else np.dtype(_kind(kind)).char


@functools.cache
def enum_values(enum: str, prefix: str) -> dict[str, int]:
    """The numbers of an enumeration by their names in lower case, without this prefix."""
    elements = ffi.typeof(enum).elements
    return {elements[number].removeprefix(prefix).lower(): number for number in sorted(elements)}


def values(given: Any) -> Struct:
    """The values of a struct, or of a pointer to one."""
    kind = ffi.typeof(given)
    return _values(given, field_names((kind.item if kind.kind == "pointer" else kind).cname))


@functools.cache
def field_names(name: str) -> tuple[str, ...]:
    """The fields of the struct called `name`."""
    return tuple(field for field, _ in ffi.typeof(name).fields)


def _values(struct: Any, names: tuple[str, ...]) -> Struct:
    return Struct(**{name: getattr(struct, name) for name in names})
