"""docs/reference/VERB.schema.json of each document that `--json` writes, made from its rows."""

from __future__ import annotations

import importlib
import json
import pkgutil
from collections.abc import Iterator

from pages import make

from heapscope import verbs
from heapscope.rows.row import Document
from heapscope.rows.schema import schema

#: Modules with a document that no verb imports before it is asked for it.
MORE = (
    "heapscope.capture.esp_idf.imported_trace",
    "heapscope.capture.systemview.import_systemview",
    "heapscope_studies.result",
)


def documents() -> list[type[Document]]:
    """Those that a verb writes, by the names of their schemas."""
    for verb in pkgutil.iter_modules(verbs.__path__, f"{verbs.__name__}."):
        importlib.import_module(verb.name)
    for name in MORE:
        importlib.import_module(name)
    return sorted(_written(Document), key=lambda document: document.VERB)


def _written(base: type[Document]) -> Iterator[type[Document]]:
    """A base of several has no verb."""
    for one in base.__subclasses__():
        if hasattr(one, "VERB"):
            yield one
        yield from _written(one)


if __name__ == "__main__":
    for document in documents():
        text = json.dumps(schema(document), indent=2, ensure_ascii=False)
        make(f"docs/reference/{document.VERB}.schema.json", f"{text}\n")
