"""Native rows to rows of a result: by name, with the library's stand-ins resolved."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, TypeVar

from heapscope.base.rows.row import Row, hints
from heapscope.native.structs import NEVER

Built = TypeVar("Built", bound=Row)


def take(kind: type[Built], native: object, /, **given: object) -> Built:
    """A row of `kind`: fields in `given`, the others from the native row's field of that name.

    NEVER becomes None and 0 or 1 a truth value where `kind` says so.
    """
    values = dict(given)
    types = hints(kind)
    for field in fields(kind):
        if field.name not in given:
            values[field.name] = _value(getattr(native, field.name), types[field.name])
    return kind(**values)


def _value(value: int, hint: Any) -> int | None:
    if hint is bool:
        return bool(value)
    return None if value == NEVER and hint == (int | None) else value
