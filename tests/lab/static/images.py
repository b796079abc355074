"""Images of ESP-IDF of the tests' own: the tables of a heap among other constants."""

from __future__ import annotations

import hashlib
import random
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import xor

Row = tuple[int, ...]  # of a table of memory
Range = tuple[int, int]
Segment = tuple[int, bytes]

NUMBERS = {"esp32": 0, "esp32c3": 5, "esp32h2": 16, "esp32p4": 18}


def sealed(
    chip: str, segments: Sequence[Segment], *, entry: int, idf: str = "v5.3.1", hashed: bool = True
) -> bytes:
    """The description of the program is put before the first segment's bytes."""
    stated = struct.pack("<II8x32s32s32s32s", 0xABCD5432, 0, b"1", b"blinky", b"", idf.encode())
    own = [(segments[0][0], stated.ljust(256, b"\0") + segments[0][1]), *segments[1:]]
    head = struct.pack("<BBBBI4xH9xB", 0xE9, len(own), 2, 0x20, entry, NUMBERS[chip], hashed)
    parts = [struct.pack("<II", start, len(data)) + data for start, data in own]
    return resealed(head + b"".join(parts), [data for _, data in own], hashed=hashed)


def resealed(body: bytes, parts: Sequence[bytes], *, hashed: bool) -> bytes:
    """With the checksum of the segments' bytes, and the SHA-256 of all."""
    sums = reduce(xor, b"".join(parts), 0xEF)
    body += bytes(15 - len(body) % 16) + bytes([sums])
    return body + (hashlib.sha256(body).digest() if hashed else b"")


@dataclass(frozen=True, kw_only=True)
class Constants:
    """Constants in flash. `apart`: more ranges, in a table of their own; `step`: words of a row."""

    base: int
    kinds: Sequence[str]
    rows: Sequence[Row]
    taken: Sequence[Range]
    apart: Sequence[Range] = ()
    step: int = 5

    def bytes(self, seed: int) -> bytes:
        chance = random.Random(seed)
        parts = [self._noise(chance)]
        at = self.base + 256 + len(parts[0])
        named = []
        for kind in self.kinds:
            named.append(at)
            parts.append(kind.encode().ljust(len(kind) + 4 & ~3, b"\0"))
            at += len(parts[-1])
        kinds = [(place, 0x1004, 0x80A, 0, 0)[: self.step] for place in named]
        tables = [kinds, [row[: self.step] for row in self.rows], self.taken, self.apart]
        chance.shuffle(tables)
        for table in tables:
            words = [word for row in table for word in row]
            parts += [struct.pack(f"<{len(words)}I", *words), self._noise(chance)]
        return b"".join(parts)

    @staticmethod
    def _noise(chance: random.Random) -> bytes:
        """Constants that are no addresses of RAM."""
        words = [chance.randrange(1 << 24) for _ in range(chance.randrange(1, 60))]
        return struct.pack(f"<{len(words)}I", *words)
