"""Memory as text with addresses: Intel HEX and Motorola's S-records."""

from __future__ import annotations

import re
from collections.abc import Iterator

from heapscope.base.errors import InputError
from heapscope.memory.image.memory_image import MemorySegment

_HEAD = re.compile(
    rb"\A\s*(?::[0-9A-Fa-f]{10,}\s|S0[0-9A-Fa-f]{6,}\s+S[1-35]|S[123][0-9A-Fa-f]{8,}\s)"
)
_DATA, _END, _SEGMENT, _LINEAR = 0, 1, 2, 4
_ADDRESS = {b"1": 2, b"2": 3, b"3": 4}  # bytes of the address, by the digit of an S-record
_REMEDY = "let the debugger write it again"


def is_hex_text(data: bytes) -> bool:
    return _HEAD.match(data[:2000]) is not None


def read_hex_text(data: bytes, *, name: str) -> tuple[MemorySegment, ...]:
    """In the order of the file, neighbouring records as one. InputError: a record is damaged, or
    the file ends before its last one."""
    runs: list[tuple[int, list[bytes]]] = []
    end = -1
    for address, part in _records(data, name):
        if runs and address == end:
            runs[-1][1].append(part)
        else:
            runs.append((address, [part]))
        end = address + len(part)
    return tuple(MemorySegment(address, b"".join(parts)) for address, parts in runs)


def _records(data: bytes, name: str) -> Iterator[tuple[int, bytes]]:
    base, ended = 0, False
    for number, line in enumerate(data.split(b"\n"), 1):
        line = line.strip()
        if not line or ended:
            continue
        record = _record(line)
        if record is None:
            raise InputError(
                f"{name}: line {number} is a damaged record of memory as text", remedy=_REMEDY
            )
        if line.startswith(b":"):
            kind, address, part = record[3], int.from_bytes(record[1:3], "big"), record[4:-1]
            if kind == _DATA:
                yield base + address, part
            elif kind in (_SEGMENT, _LINEAR) and len(part) == 2:
                base = int.from_bytes(part, "big") << (4 if kind == _SEGMENT else 16)
            ended = kind == _END
        else:
            width = _ADDRESS.get(line[1:2], 0)
            if width:
                yield int.from_bytes(record[1 : 1 + width], "big"), record[1 + width : -1]
            ended = line[1:2] in b"789"
    if not ended:
        raise InputError(f"{name}: memory as text that is cut off", remedy=_REMEDY)


def _record(line: bytes) -> bytes | None:
    """Its bytes, count and sum included; None: the count or the sum is wrong."""
    try:
        text = line[1:] if line.startswith(b":") else line[2:]
        record = bytes.fromhex(text.decode("ascii"))
    except ValueError:
        return None
    if line.startswith(b":"):
        sound = len(record) >= 5 and record[0] == len(record) - 5 and sum(record) & 0xFF == 0
    else:
        sound = (
            line.startswith(b"S")
            and len(record) >= 3
            and record[0] == len(record) - 1
            and sum(record) & 0xFF == 0xFF
            and len(record) >= 2 + _ADDRESS.get(line[1:2], 0)
        )
    return record if sound else None
