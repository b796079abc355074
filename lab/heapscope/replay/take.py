"""Native rows to rows of a result: by name, with the library's stand-ins resolved."""

from __future__ import annotations

import functools
import typing
from dataclasses import fields
from typing import Any, TypeVar

from heapscope.measure.record import Record
from heapscope.native.rows import NEVER

__all__ = ["take"]

Row = TypeVar("Row", bound=Record)


def take(kind: type[Row], native: object, /, **given: object) -> Row:
    """A row of `kind`: fields in `given`, the others from the native row's field of that name.

    NEVER becomes None and 0 or 1 a truth value where `kind` says so.
    """
    values = dict(given)
    for name, hint in _plain_fields(kind):  # type: ignore[arg-type]  # a class is hashable
        if name not in given:
            values[name] = _value(getattr(native, name), hint)
    return kind(**values)


@functools.cache
def _plain_fields(kind: type[Record]) -> tuple[tuple[str, Any], ...]:
    hints = typing.get_type_hints(kind)
    return tuple((f.name, hints[f.name]) for f in fields(kind))


def _value(value: int, hint: Any) -> int | None:
    if hint is bool:
        return bool(value)
    return None if value == NEVER and hint == (int | None) else value
