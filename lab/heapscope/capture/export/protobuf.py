"""The part of the protobuf wire format that a trace needs: fields as bytes, arrays of numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_VARINT, _LENGTH = 0, 2
_MORE = 0x80


def varint(value: int) -> bytes:
    """Seven bits a byte, lowest first. ValueError: not 0 to 2^64 - 1."""
    if not 0 <= value < 1 << 64:
        raise ValueError(f"{value} is not an unsigned number of 64 bits")
    out = bytearray()
    while value >= _MORE:
        out.append(value & 0x7F | _MORE)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field: int, value: int) -> bytes:
    return varint(field << 3 | _VARINT) + varint(value)


def text(field: int, value: str) -> bytes:
    """Characters that cannot be UTF-8 become question marks."""
    return message(field, value.encode("utf-8", "replace"))


def message(field: int, body: bytes) -> bytes:
    return varint(field << 3 | _LENGTH) + varint(len(body)) + body


def padded(values: NDArray[np.uint64], size: int) -> NDArray[np.uint8]:
    """Varints of `size` bytes each ([value, byte]), which may be longer than they have to be: any
    reader takes them, and packets of one length can be written as an array. Values below
    2^(7 * size)."""
    shifts = np.arange(0, 7 * size, 7, dtype=np.uint64)
    out: NDArray[np.uint8] = ((values[:, None] >> shifts) & np.uint64(0x7F)).astype(np.uint8)
    out[:, :-1] |= np.uint8(_MORE)
    return out
