"""A figure of which a loss leaves nothing to say is null in the JSON of every result, so that no
reader takes it for one."""

from __future__ import annotations

from typing import Any


def withhold(values: dict[str, Any]) -> None:
    """Makes null what the marks of a document's loss withhold, or of the loss of one of its rows;
    paths begin at the document."""
    for path in _withheld(values):
        _make_null(values, path)
    for name, rows in values.items():
        for row in rows if isinstance(rows, list) else ():
            for path in _withheld(row):
                if path[0] == f"{name}[]":
                    _make_null(row, path[1:])


def _withheld(values: Any) -> list[list[str]]:
    loss = values.get("loss") if isinstance(values, dict) else None
    marks = loss.get("marks", {}) if isinstance(loss, dict) else {}
    return [path.split(".") for path, mark in marks.items() if mark == "withheld"]


def _make_null(values: Any, path: list[str]) -> None:
    """A list in its way has a step that ends with []."""
    if not isinstance(values, dict):
        return
    name, rest = path[0].removesuffix("[]"), path[1:]
    if not rest:
        values[name] = None
        return
    inner = values.get(name)
    for one in inner if isinstance(inner, list) else [inner]:
        _make_null(one, rest)
