"""The JSON schema of a document, made from its rows."""

from __future__ import annotations

import enum
import functools
import operator
import types
import typing
from typing import Any, Literal

from heapscope.base.rows.figure import Figure
from heapscope.base.rows.row import Document, Row, figures_of, type_of

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_TYPES = {int: "integer", float: "number", str: "string", bool: "boolean", types.NoneType: "null"}


def schema(document: type[Document]) -> dict[str, Any]:
    """TypeError: a field without a figure or of a type that JSON does not have, or two rows of one
    name."""
    definitions = _Definitions()
    command = document.COMMAND or f"{document.VERB} --json"
    built: dict[str, Any] = {"$schema": _DIALECT, "title": f"heapscope {command}"}
    body = definitions.document(document)
    if document.LISTED:
        built |= {"type": "array", "description": body.pop("description"), "items": body}
    else:
        built |= body
    if definitions.built:
        built["$defs"] = dict(sorted(definitions.built.items()))
    return built


class _Definitions:
    """The rows that a document refers to, each once."""

    def __init__(self) -> None:
        self.built: dict[str, dict[str, Any]] = {}
        self._rows: dict[str, type[Row]] = {}

    def document(self, document: type[Document]) -> dict[str, Any]:
        """The outermost row, with its version."""
        body = self.row(document)
        head = _head(document)
        body["properties"] = head["properties"] | body["properties"]
        body["required"] = head["required"] + body["required"]
        return body

    def row(self, row: type[Row]) -> dict[str, Any]:
        properties, required = {}, []
        others: Any = False
        for name, reported in figures_of(row).items():
            hint = type_of(row, name)
            if reported.beside:
                others = self._figure(typing.get_args(hint)[1], reported)
                continue
            properties[name] = self._figure(_present(hint) if reported.absent else hint, reported)
            if not reported.absent:
                required.append(name)
        return {
            "type": "object",
            "description": " ".join((row.__doc__ or "").split()),
            "properties": properties,
            "required": required,
            "additionalProperties": others,
        }

    def _figure(self, hint: Any, figure: Figure) -> dict[str, Any]:
        built = self._value(hint, figure)
        if figure.may_be_withheld and types.NoneType not in typing.get_args(hint):
            built = _either([built, {"type": "null"}])
        least, most = figure.entries
        built |= {"minItems": least} if least else {}
        built |= {} if most is None else {"maxItems": most}
        if figure.unit:
            built["unit"] = figure.unit
        return built | {"description": figure.text}

    def _value(self, hint: Any, figure: Figure) -> dict[str, Any]:
        origin, inner = typing.get_origin(hint), typing.get_args(hint)
        if origin is types.UnionType or origin is typing.Union:
            return _either([self._value(kind, figure) for kind in inner])
        if origin is Literal:
            return {"enum": list(inner)}
        if origin is tuple:
            return self._list(inner, figure)
        if origin is dict:
            return {"type": "object", "additionalProperties": self._value(inner[1], figure)}
        row = getattr(hint, "WRITTEN", hint)
        if isinstance(row, type) and issubclass(row, Document):
            return {"type": "object"} | _head(row)  # a schema of its own describes it
        if isinstance(row, type) and issubclass(row, Row):
            return self._reference(row)
        if isinstance(hint, type) and issubclass(hint, enum.StrEnum):
            return {"type": "string", "enum": [entry.value for entry in hint]}
        if hint not in _TYPES:
            raise TypeError(f"JSON has no {hint}")
        return {"type": _TYPES[hint]} | _limits(hint, figure)

    def _list(self, inner: tuple[Any, ...], figure: Figure) -> dict[str, Any]:
        if inner[-1] is Ellipsis:
            return {"type": "array", "items": self._value(inner[0], figure)}
        entries = [self._value(kind, figure) for kind in inner]
        number = len(entries)
        built = {"type": "array", "prefixItems": entries, "items": False}
        return built | {"minItems": number, "maxItems": number}

    def _reference(self, row: type[Row]) -> dict[str, Any]:
        name = row.__name__
        if self._rows.setdefault(name, row) is not row:
            raise TypeError(f"two rows are called {name}")
        if name not in self.built:
            self.built[name] = {}  # a row may refer to itself
            self.built[name] = self.row(row)
        return {"$ref": f"#/$defs/{name}"}


def _head(document: type[Document]) -> dict[str, Any]:
    about = {"kind": "The document, among those of the verb."}
    properties = {
        key: {"const": value, "description": about.get(key, "The version of this form.")}
        for key, value in document.head().items()
    }
    return {"properties": properties, "required": list(properties)}


def _present(hint: Any) -> Any:
    """Without None."""
    kinds = (kind for kind in typing.get_args(hint) if kind is not types.NoneType)
    return functools.reduce(operator.or_, kinds)


def _limits(kind: type, figure: Figure) -> dict[str, Any]:
    built: dict[str, Any] = {}
    if kind in (int, float):
        built |= {} if figure.least is None else {"minimum": figure.least}
        built |= {} if figure.most is None else {"maximum": figure.most}
        built |= {"multipleOf": figure.step} if figure.step else {}
    if kind is str:
        built |= {"pattern": figure.pattern} if figure.pattern else {}
        built |= {"contentEncoding": figure.encoding} if figure.encoding else {}
        built |= {"enum": list(figure.choices)} if figure.choices else {}
    return built


def _either(kinds: list[dict[str, Any]]) -> dict[str, Any]:
    """One of several: types stand in one list where they can."""
    if all(isinstance(kind.get("type"), str) for kind in kinds):
        merged: dict[str, Any] = {"type": [kind["type"] for kind in kinds]}
        for kind in kinds:
            merged |= {key: value for key, value in kind.items() if key != "type"}
        if "enum" in merged and "null" in merged["type"]:
            merged["enum"] = [*merged["enum"], None]
        return merged
    return {"anyOf": kinds}
