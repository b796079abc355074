"""docs/reference/VERB.schema.json of each verb whose document is a row."""

from __future__ import annotations

from pages import make

from heapscope.cli.schemas import schema_files

for name, text in schema_files():
    make(f"docs/reference/{name}", text)
