"""The JSON schemas of what `--json` writes, made from the rows."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import heapscope
from heapscope.base.choices import did_you_mean
from heapscope.base.errors import InputError
from heapscope.base.rows.row import Document
from heapscope.base.rows.schema import schema

#: A class that is a document says which verb writes it.
_DOCUMENT = re.compile(r'^    VERB = "', re.MULTILINE)
#: The entry points of other distributions' documents; a point has the name of its document.
_GROUP = "heapscope.documents"


def schema_names() -> list[str]:
    """The documents that have a schema, sorted: a verb's name, or that and its kind."""
    return sorted({*_own(), *entry_points(group=_GROUP).names})


def schema_of(name: str) -> dict[str, Any]:
    """The schema of a document. InputError: no document has this name."""
    document = _own().get(name)
    for point in entry_points(group=_GROUP, name=name):
        document = point.load()
    if document is None:
        names = schema_names()
        kinds = [one for one in names if one.startswith(f"{name}-")]
        if kinds:
            raise InputError(
                f"--print schema {name}: {name} writes several documents",
                remedy=f"give one of: {', '.join(kinds)}",
            )
        raise InputError(
            f"--print schema {name}: no such document",
            remedy=f"{did_you_mean(name, names)}valid: {', '.join(names)}",
        )
    return schema(document)


def _own() -> dict[str, type[Document]]:
    """The documents of this package, by name."""
    package = Path(heapscope.__file__).parent
    for file in sorted(package.rglob("*.py")):
        if _DOCUMENT.search(file.read_text(encoding="utf-8")):
            name = ".".join(file.relative_to(package).with_suffix("").parts)
            importlib.import_module(f"{heapscope.__name__}.{name}")
    return {document.document(): document for document in _named(Document)}


def _named(base: type[Document]) -> Iterator[type[Document]]:
    """The documents that a verb writes; a base class of several has no verb."""
    for one in base.__subclasses__():
        if hasattr(one, "VERB"):
            yield one
        yield from _named(one)
