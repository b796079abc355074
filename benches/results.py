"""Results of a benchmark as one compact CSV that a person can read and a diff can show.

A line that begins with "path" names the columns of the lines below it. Each of these begins with
its row's place, such as "instructions/rv32imc/off/malloc"; a list's rows are numbered: "faults/#0".
A cell is JSON, or plain text. It is empty where the row does not have the column.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

__all__ = ["read_results", "write_results"]

HEAD = "path"
Row = tuple[tuple[str, ...], dict[str, Any]]


def _is_cell(value: object) -> bool:
    if isinstance(value, list):
        return not any(isinstance(one, dict | list) for one in value)
    return not isinstance(value, Mapping)


def _rows(node: Mapping[str, Any] | list[Any], path: tuple[str, ...]) -> Iterator[Row]:
    if isinstance(node, dict) and any(key.startswith("#") for key in node):
        raise ValueError(f"{'/'.join(path)}: a name in results begins with no #")
    if isinstance(node, list):
        node = {f"#{index}": one for index, one in enumerate(node)}
    cells = {key: value for key, value in node.items() if _is_cell(value)}
    if cells or not node:
        yield path, cells
    for key, value in node.items():
        if not _is_cell(value):
            if "/" in key or key in ("", HEAD):
                raise ValueError(f"{key!r} cannot name rows of results")
            yield from _rows(value, (*path, key))


def _blocks(rows: Iterator[Row]) -> Iterator[tuple[list[str], list[Row]]]:
    """Groups of rows that follow each other, have the same depth, and share columns."""
    columns: dict[str, None] = {}
    block: list[Row] = []
    for path, cells in rows:
        shares = block and len(path) == len(block[-1][0]) and (columns.keys() & cells.keys())
        if block and not shares:
            yield list(columns), block
            columns, block = {}, []
        columns |= dict.fromkeys(cells)
        block.append((path, cells))
    if block:
        yield list(columns), block


def _text(value: object) -> str:
    if isinstance(value, str) and value and value.isprintable() and _value(value) == value:
        return value
    return json.dumps(value)


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def write_results(path: Path, data: Mapping[str, Any]) -> None:
    out = io.StringIO()
    lines = csv.writer(out, lineterminator="\n")
    for columns, block in _blocks(_rows(data, ())):
        lines.writerow([HEAD, *columns])
        for where, cells in block:
            results = [_text(cells[key]) if key in cells else "" for key in columns]
            lines.writerow(["/".join(where), *results])
    path.write_text(out.getvalue(), encoding="utf-8")


def read_results(path: Path) -> dict[str, Any]:
    data: dict[str, Any] = {}
    columns: list[str] = []
    for name, *cells in csv.reader(path.read_text(encoding="utf-8").splitlines()):
        if name == HEAD:
            columns = cells
            continue
        node = data
        for key in filter(None, name.split("/")):
            node = node.setdefault(key, {})
        node.update(
            {key: _value(text) for key, text in zip(columns, cells, strict=True) if text != ""}
        )
    result = _with_lists(data)
    assert isinstance(result, dict)
    return result


def _with_lists(node: Any) -> Any:
    if not isinstance(node, dict):
        return node
    if node and all(key.startswith("#") for key in node):
        return [_with_lists(one) for one in node.values()]
    return {key: _with_lists(one) for key, one in node.items()}
