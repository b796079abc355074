"""The structs of the library as Python sees them. Their fields and types are read from its headers,
so that none of them is written down here."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heapscope.native.library import ffi

#: HS_LAB_NEVER: "it did not happen", in fields that hold an event number.
NEVER = 0xFFFF_FFFF_FFFF_FFFF

Rows = NDArray[np.void]  #: structs as a numpy array; its dtype has the names of their fields


class Struct(SimpleNamespace):
    """The values of a struct by the names of its fields; the headers say what they mean."""


def read_struct(call: Callable[..., Any], name: str, *given: Any) -> Struct:
    """The struct called `name` that `call(*given, struct)` fills."""
    out = ffi.new(f"{name} *")
    call(*given, out)
    return _values(out, field_names(name))


def read_structs(call: Callable[..., int], name: str, *given: Any) -> tuple[Struct, ...]:
    """All structs of `call(*given, structs, count)`, which returns how many there are."""
    count = call(*given, ffi.NULL, 0)
    rows = ffi.new(f"{name}[]", count)
    call(*given, rows, count)
    names = field_names(name)
    return tuple(_values(row, names) for row in rows)


def read_array(call: Callable[..., int], name: str, *given: Any, most: int | None = None) -> Rows:
    """The same as an array. `most`: asks for so many without asking how many there are."""
    count = call(*given, ffi.NULL, 0) if most is None else most
    rows = np.zeros(count, dtype=dtype(name))
    given_back = call(*given, ffi.from_buffer(f"{name}[]", rows), count)
    return rows if most is None else rows[:given_back]


@functools.cache
def dtype(name: str) -> np.dtype[np.void]:
    """The struct called `name` as numpy has it."""
    return _dtype(ffi.typeof(name))


def _dtype(struct: Any) -> np.dtype[np.void]:
    made = np.dtype([(name, _kind(field.type)) for name, field in struct.fields], align=True)
    if made.itemsize != ffi.sizeof(struct):
        raise TypeError(f"{struct.cname} is laid out in another way than numpy's")
    return made


def _kind(kind: Any) -> Any:
    if kind.kind == "struct":
        return _dtype(kind)
    if kind.kind == "array":
        return (_kind(kind.item), (kind.length,))
    return np.dtype(kind.cname.removesuffix("_t"))


def values(struct: Any) -> Struct:
    """The values of a struct, or of a pointer to one."""
    kind = ffi.typeof(struct)
    return _values(struct, field_names((kind.item if kind.kind == "pointer" else kind).cname))


@functools.cache
def field_names(name: str) -> tuple[str, ...]:
    """The fields of the struct called `name`."""
    return tuple(field for field, _ in ffi.typeof(name).fields)


def _values(struct: Any, names: tuple[str, ...]) -> Struct:
    return Struct(**{name: getattr(struct, name) for name in names})
