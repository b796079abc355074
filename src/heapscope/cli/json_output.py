"""Results as JSON files: one row of a table a line, so that they can be read and compared."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

__all__ = ["STDOUT", "dumps", "wants_tables", "write_json"]

STDOUT = "-"


def wants_tables(target: Path | None) -> bool:
    """False when JSON takes the place of the tables."""
    return str(target) != STDOUT


def write_json(document: dict[str, Any], target: Path | None) -> None:
    """To a file, whole or not at all; "-": standard output; None: nowhere."""
    if target is None:
        return
    from heapscope.capture.output import open_output
    from heapscope.errors import InputError

    try:
        with open_output(target) as write:
            write(dumps(document).encode("ascii"))
    except InputError as error:  # its remedy speaks of traces
        raise InputError(error.message, remedy="give --json another place") from None


def dumps(document: dict[str, Any]) -> str:
    """Plain ASCII: no terminal is ever made to act on a name in it."""
    return "{\n" + ",\n".join(_members(document)) + "\n}\n"


def _members(document: dict[str, Any]) -> Iterator[str]:
    for key, value in document.items():
        yield f" {json.dumps(key)}: {_value(value)}"


def _value(value: Any) -> str:
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n" + ",\n".join(f"  {json.dumps(row)}" for row in value) + "\n ]"
    return json.dumps(value)
