"""Rows of a result: frozen data whose JSON keys are the field names."""

from __future__ import annotations

import functools
import types
import typing
from dataclasses import MISSING, dataclass, fields
from typing import Any, Self

from heapscope.errors import InputError
from heapscope.trace.names import printable

__all__ = ["Record", "malformed"]

#: Characters of a text in a file; whoever wrote the file chose them, so they are made safe to show.
TEXT_MAX = 1000


@dataclass(frozen=True, kw_only=True)
class Record:
    """Base of every row. `from_json(to_json(row)) == row`."""

    def to_json(self) -> dict[str, Any]:
        return {f.name: _plain(getattr(self, f.name)) for f in fields(self)}

    @classmethod
    def from_json(cls, data: object, *, where: str = "$") -> Self:
        """Rebuilds a row; keys it does not know are left alone, so newer files stay readable."""
        if not isinstance(data, dict):
            raise malformed(where, "an object")
        hints = _hints(cls)  # type: ignore[arg-type]  # mypy takes a row's hash for the class's
        values = {}
        for f in fields(cls):
            if f.name not in data:
                if f.default is not MISSING:
                    continue  # came with a later version
                raise malformed(f"{where}.{f.name}", "a value")
            values[f.name] = _typed(hints[f.name], data[f.name], f"{where}.{f.name}")
        return cls(**values)


def malformed(where: str, expected: str) -> InputError:
    """The error for JSON that is not what `heapscope replay --json` writes."""
    return InputError(
        f"not a result of 'heapscope replay --json': {where} should be {expected}",
        remedy="write it again with 'heapscope replay ... --json FILE'",
    )


@functools.cache
def _hints(cls: type) -> dict[str, Any]:
    return typing.get_type_hints(cls)


def _plain(value: Any) -> Any:
    if isinstance(value, Record):
        return value.to_json()
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return dict(value)
    return value


def _typed(hint: Any, value: object, where: str) -> Any:
    origin = typing.get_origin(hint)
    if origin is types.UnionType:
        return _optional(hint, value, where)
    if origin is tuple:
        return _tuple(typing.get_args(hint)[0], value, where)
    if origin is dict:
        return _texts(value, where)
    if issubclass(hint, Record):
        return hint.from_json(value, where=where)
    return _scalar(hint, value, where)


def _optional(hint: Any, value: object, where: str) -> Any:
    if value is None:
        return None
    (kind,) = (arg for arg in typing.get_args(hint) if arg is not types.NoneType)
    return _typed(kind, value, where)


def _tuple(kind: Any, value: object, where: str) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise malformed(where, "a list")
    return tuple(_typed(kind, item, f"{where}[{i}]") for i, item in enumerate(value))


def _texts(value: object, where: str) -> dict[str, str]:
    if not isinstance(value, dict) or not all(isinstance(v, str) for v in value.values()):
        raise malformed(where, "an object of strings")
    return {str(k): printable(v, limit=TEXT_MAX) for k, v in value.items()}


def _scalar(kind: type, value: object, where: str) -> Any:
    if isinstance(value, bool) is not (kind is bool) or not isinstance(value, kind):
        raise malformed(where, {int: "an integer", str: "a string"}.get(kind, "true or false"))
    return printable(value, limit=TEXT_MAX) if isinstance(value, str) else value
