"""JSON that is safe wherever it is pasted, a page's <script> included."""

from __future__ import annotations

import json
from typing import Any

__all__ = ["dump", "quoted"]


def dump(value: Any) -> str:
    """ASCII on one line; "<" as an escape, so that no name ends a script element."""
    return json.dumps(value, ensure_ascii=True, separators=(",", ":")).replace("<", "\\u003c")


def quoted(name: str) -> str:
    return dump(name)
