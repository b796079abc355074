"""The flash of a device, whole or a partition of it: where its core dump is."""

from __future__ import annotations

import struct

from heapscope.base.errors import InputError
from heapscope.base.wording import size as sized

_TABLE_AT, _TABLE_SIZE = 0x8000, 0xC00
_ENTRY = struct.Struct("<2sBBII16sI")
_MARK = b"\xaa\x50"
_DATA, _CORE_DUMP = 1, 3
_ERASED = 0xFF
ERASED = bytes([_ERASED]) * 16  #: a flash that begins like this has nothing in front
SECTOR = 4096  #: bytes; partitions begin with one


def is_flash(data: bytes) -> bool:
    return data[_TABLE_AT : _TABLE_AT + 2] == _MARK


def dump_partition(data: bytes, *, name: str) -> bytes:
    """The partition of a whole flash that is for core dumps. InputError: its table of partitions
    has none."""
    for at in range(_TABLE_AT, _TABLE_AT + _TABLE_SIZE, _ENTRY.size):
        row = data[at : at + _ENTRY.size]
        if len(row) < _ENTRY.size or not row.startswith(_MARK):
            break
        _, kind, subtype, offset, length, _, _ = _ENTRY.unpack(row)
        if (kind, subtype) == (_DATA, _CORE_DUMP):
            return data[offset : offset + length]
    raise InputError(
        f"{name}: the flash of a device without a partition for core dumps",
        remedy="give the core dump that it printed, or memory that a debugger read",
    )


def check_written(data: bytes, *, name: str) -> None:
    """InputError: nothing was ever written there."""
    if data and data.count(_ERASED) == len(data):
        raise InputError(
            f"{name}: {sized(len(data))} of erased flash: there is no core dump in it",
            remedy="read the partition of a device that crashed since it was flashed",
        )
