"""The schemas of all documents that `--json` writes, made from their rows:
python -m heapscope.cli.schemas [FOLDER]"""

from __future__ import annotations

import importlib
import json
import pkgutil
import sys
from collections.abc import Iterator
from pathlib import Path

from heapscope import verbs
from heapscope.rows.row import Document
from heapscope.rows.schema import schema

__all__ = ["documents", "schema_files"]

FOLDER = Path("docs/reference")


def documents() -> list[type[Document]]:
    """The outermost row of each verb's document: every Document that a verb imports."""
    for module in pkgutil.iter_modules(verbs.__path__):
        importlib.import_module(f"{verbs.__name__}.{module.name}")
    ours = [one for one in Document.__subclasses__() if one.__module__.startswith("heapscope.")]
    return sorted(ours, key=lambda document: document.VERB)


def schema_files() -> Iterator[tuple[str, str]]:
    """The name and the text of each file."""
    for document in documents():
        text = json.dumps(schema(document), indent=2, ensure_ascii=False)
        yield f"{document.VERB}.schema.json", f"{text}\n"


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    for name, text in schema_files():
        (folder / name).write_text(text, encoding="utf-8")
