"""A reader of protobuf bytes that knows the wire format and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

__all__ = ["fields", "tree"]


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value, shift = 0, 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        assert shift <= 70, "a varint has at most ten bytes"
        if byte < 0x80:
            return value, at


def fields(data: bytes) -> Iterator[tuple[int, Any]]:
    """Number and value of each field; what has a length stays bytes."""
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        kind = tag & 7
        assert kind in (0, 2), f"no field of kind {kind} is written"
        value, at = _varint(data, at)
        if kind == 2:
            assert at + value <= len(data), "a field ends beyond its message"
            yield tag >> 3, data[at : at + value]
            at += value
        else:
            yield tag >> 3, value


def tree(data: bytes) -> dict[int, list[Any]]:
    """The values of each field number, in order."""
    result: dict[int, list[Any]] = {}
    for number, value in fields(data):
        result.setdefault(number, []).append(value)
    return result
