"""The heads of whole chunks in a piece of bytes (format/SPEC.md, "Chunks"): which begin a
recording, and which have events."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

_SYNC = b"\x48\x53\xc7\x9a"
_HEAD = struct.Struct("<4sBBHIHH")  # sync, kind, version, features, sequence, length, check
_END = 4  # bytes of the checksum behind the payload
METADATA, EVENTS = 1, 2  #: kinds


@dataclass(frozen=True, kw_only=True)
class ChunkHead:
    kind: int
    sequence: int


def chunk_heads(data: bytes) -> Iterator[ChunkHead]:
    """Those of chunks that are whole and whose checksums are right, in order."""
    at = data.find(_SYNC)
    while 0 <= at <= len(data) - _HEAD.size - _END:
        _, kind, _, _, sequence, length, check = _HEAD.unpack_from(data, at)
        end = at + _HEAD.size + length
        head = zlib.crc32(data[at + 4 : at + 14]) & 0xFFFF == check
        if head and data[end : end + _END] == zlib.crc32(data[at + 4 : end]).to_bytes(4, "little"):
            yield ChunkHead(kind=kind, sequence=sequence)
            at = data.find(_SYNC, end + _END)
        else:
            at = data.find(_SYNC, at + 1)


def has_chunk(data: bytes) -> bool:
    return any(True for _ in chunk_heads(data))


def begins_a_recording(data: bytes) -> bool:
    """Whether it has the first chunk of one."""
    return any(one.kind == METADATA and one.sequence == 0 for one in chunk_heads(data))


def has_events(data: bytes) -> bool:
    return any(one.kind == EVENTS for one in chunk_heads(data))
