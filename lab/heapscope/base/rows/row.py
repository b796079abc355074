"""Rows of a result: frozen data whose JSON keys are the field names."""

from __future__ import annotations

import functools
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Literal, Self, dataclass_transform

from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.base.rows.figure import Figure, figure, figure_of
from heapscope.base.rows.withheld import withhold
from heapscope.base.verb_result import VerbResult

#: Characters of a text in a file; whoever wrote the file chose them, so they are made safe to show.
TEXT_MAX = 1000

_NAMES = {int: "an integer", float: "a number", str: "a string", bool: "true or false"}


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(figure, field))
@dataclass(frozen=True, kw_only=True, eq=False)
class Row:
    """Base of every row; a class that inherits from it is a frozen dataclass.
    `from_json(to_json(row)) == row`."""

    def __init_subclass__(cls, *, eq: bool = True) -> None:
        dataclass(frozen=True, kw_only=True, eq=eq)(cls)

    def to_json(self) -> dict[str, Any]:
        return self._json(None)

    def _json(self, digits: int | None) -> dict[str, Any]:
        """`digits`: those of the figure that this row is, for figures without their own."""
        values: dict[str, Any] = {}
        for name, reported in figures_of(type(self)).items():
            shown = plain(
                getattr(self, name), digits if reported.digits is None else reported.digits
            )
            if reported.beside:
                values |= shown
            elif not (reported.absent and shown is None):
                values[name] = shown
        return values

    @classmethod
    def from_json(cls, data: object, *, where: str = "$") -> Self:
        """Rebuilds a row; keys that it does not know are left alone."""
        if not isinstance(data, dict):
            raise malformed(where, "an object")
        types_of = hints(cls)
        values = {}
        for f in fields(cls):
            reported, hint = figure_of(f), types_of[f.name]
            if f.name not in data:
                if reported is not None and (reported.absent or reported.hidden):
                    continue
                raise malformed(f"{where}.{f.name}", "a value")
            if data[f.name] is None and reported is not None and reported.may_be_withheld:
                values[f.name] = _stand_in(hint)
            else:
                values[f.name] = _typed(hint, data[f.name], f"{where}.{f.name}")
        return cls(**values)


class Document(Row, VerbResult):
    """The outermost row of what `--json` of a verb writes. It begins with its form and version.

    VERSION is raised when a key changes its meaning or goes; 0: the form has no version. KIND tells
    apart the documents of a verb that writes several. LISTED: a verb writes a list of them.
    COMMAND: the command and the option that write it; empty: `VERB --json`."""

    VERB: ClassVar[str]
    KIND: ClassVar[str] = ""
    COMMAND: ClassVar[str] = ""
    VERSION: ClassVar[int] = 0
    LISTED: ClassVar[bool] = False

    @classmethod
    def form(cls) -> str:
        """The key of the version."""
        return f"heapscope_{cls.VERB}"

    @classmethod
    def document(cls) -> str:
        """The name of its schema: the verb, and the kind where there is one."""
        return f"{cls.VERB}-{cls.KIND}" if cls.KIND else cls.VERB

    @classmethod
    def head(cls) -> dict[str, Any]:
        """The keys that every document of this form begins with."""
        version = {cls.form(): cls.VERSION} if cls.VERSION else {}
        return version | ({"kind": cls.KIND} if cls.KIND else {})

    def to_json(self) -> dict[str, Any]:
        values = self.head() | super().to_json()
        withhold(values)
        return values

    @classmethod
    def from_json(cls, data: object, *, where: str = "$") -> Self:
        version = data.get(cls.form()) if isinstance(data, dict) else None
        if version != cls.VERSION:
            raise malformed(f"{where}.{cls.form()}", str(cls.VERSION))
        if isinstance(data, dict) and data.get("kind", "") != cls.KIND:
            raise malformed(f"{where}.kind", cls.KIND or "absent")
        return super().from_json(data, where=where)


def malformed(where: str, expected: str) -> InputError:
    """The error for JSON that is not what `heapscope replay --json` writes."""
    return InputError(
        f"not a result of 'heapscope replay --json': {where} should be {expected}",
        remedy="write it again with 'heapscope replay ... --json FILE'",
    )


@functools.cache
def _hints(cls: type) -> dict[str, Any]:
    return typing.get_type_hints(cls)


def hints(cls: type[Row]) -> dict[str, Any]:
    """The types of a row's fields."""
    return _hints(cls)  # type: ignore[arg-type]  # mypy takes a row's hash for the class's


@functools.cache
def _described(cls: type[Row]) -> dict[str, Figure]:
    first: dict[str, Figure] = {}
    last: dict[str, Figure] = {}
    for base in reversed(cls.__mro__):
        for name, value in vars(base).items():
            reported = figure_of(value) if isinstance(value, property) else None
            if reported is not None:
                (last if reported.last else first)[name] = reported
    for f in fields(cls):
        reported = figure_of(f)
        if reported is None:
            raise TypeError(f"{cls.__name__}.{f.name} has no figure")
        first[f.name] = reported
    return first | last


@functools.cache
def _figures_of(cls: type[Row]) -> dict[str, Figure]:
    return {name: reported for name, reported in described(cls).items() if not reported.hidden}


def described(cls: type[Row]) -> Mapping[str, Figure]:
    """The figures of a row with those that its JSON leaves out: what its tables can show."""
    return _described(cls)  # type: ignore[arg-type]  # mypy takes a row's hash for the class's


def type_of(row: type[Row], name: str) -> Any:
    """The type of a figure, a field or a property."""
    attribute = getattr(row, name, None)
    if isinstance(attribute, property):
        return typing.get_type_hints(attribute.fget)["return"]
    return hints(row)[name]


def figures_of(cls: type[Row]) -> Mapping[str, Figure]:
    """The figures that are in the JSON of a row, fields and properties, by name and in order.
    TypeError: a field without one."""
    return _figures_of(cls)  # type: ignore[arg-type]  # as above


def plain(value: Any, digits: int | None = None) -> Any:
    """A value as JSON has it. `digits`: fractions have at most so many behind the point."""
    if isinstance(value, Row) and digits is not None:
        return value._json(digits)
    if hasattr(value, "to_json"):
        return value.to_json()
    if isinstance(value, tuple):
        return [plain(item, digits) for item in value]
    if isinstance(value, Mapping):
        return {key: plain(item, digits) for key, item in value.items()}
    if isinstance(value, float) and digits is not None:
        return round(value, digits) + 0.0  # never -0.0
    return value


def _stand_in(hint: Any) -> Any:
    """The stand-in for a figure that a file withholds; nothing prints it."""
    origin = typing.get_origin(hint)
    if origin in (types.UnionType, typing.Union):
        return None
    return (origin or hint)()


def _typed(hint: Any, value: object, where: str) -> Any:
    origin = typing.get_origin(hint)
    if origin is types.UnionType or origin is typing.Union:
        return _optional(hint, value, where)
    if origin is tuple:
        return _tuple(typing.get_args(hint), value, where)
    if origin is Literal:
        return _one_of(typing.get_args(hint), value, where)
    if origin is dict:
        return _mapping(typing.get_args(hint)[1], value, where)
    if hasattr(hint, "from_json"):
        return hint.from_json(value, where=where)
    return _scalar(hint, value, where)


def _optional(hint: Any, value: object, where: str) -> Any:
    if value is None:
        return None
    (kind,) = (arg for arg in typing.get_args(hint) if arg is not types.NoneType)
    return _typed(kind, value, where)


def _tuple(kinds: tuple[Any, ...], value: object, where: str) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise malformed(where, "a list")
    if kinds[-1] is Ellipsis:
        kinds = kinds[:1] * len(value)
    if len(kinds) != len(value):
        raise malformed(where, f"a list of {len(kinds)}")
    pairs = enumerate(zip(kinds, value, strict=True))
    return tuple(_typed(kind, item, f"{where}[{i}]") for i, (kind, item) in pairs)


def _one_of(choices: tuple[Any, ...], value: object, where: str) -> Any:
    if value not in choices:
        raise malformed(where, f"one of {', '.join(map(str, choices))}")
    return value


def _mapping(kind: Any, value: object, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise malformed(where, "an object")
    return {str(key): _typed(kind, item, f"{where}.{key}") for key, item in value.items()}


def _scalar(kind: type, value: object, where: str) -> Any:
    given = int | float if kind is float else kind
    if isinstance(value, bool) is not (kind is bool) or not isinstance(value, given):
        raise malformed(where, _NAMES[kind])
    return printable(value, limit=TEXT_MAX) if isinstance(value, str) else value
