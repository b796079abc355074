"""Mutations of a file that keep what a reader checks first: the checksums of a trace's chunks, and
lines and numbers of a text. They get in where a random byte fails at the door."""

from __future__ import annotations

import random
import re
import zlib
from collections.abc import Callable, Sequence

Mutate = Callable[[random.Random, Sequence[bytes]], bytes]

HEAD, CRC = 16, 4  # bytes of a chunk around its payload (format/SPEC.md)
_MOST = 1 << 18  # bytes of an input
_NUMBER = re.compile(rb"0[xX][0-9a-fA-F]+|\d+")
_VALUES = (
    *(b"0", b"1", b"-1", b"255", b"65536", b"1048575", b"1048576", b"2147483648", b"4294967295"),
    *(b"4294967296", b"9223372036854775807", b"18446744073709551615", b"99999999999999999999"),
    *(b"0x0", b"0xffffffff", b"0x3ffb0000", b"1e308", b"nan", b"inf", b"null", b"true", b'""'),
)
_VARINTS = (
    *(b"\x00", b"\x01", b"\x7f", b"\x80\x01", b"\xff\xff\x3f", b"\x80\x80\x40"),
    *(b"\xff\xff\xff\xff\x0f", b"\x80" * 9 + b"\x01", b"\xff" * 9 + b"\x01", b"\x80" * 12),
)

_WORDS = (b"\xff\xff\xff\x7f", b"\0" * 4, b"\xff" * 8, b"\0\0\0\x80", b"\1\0\0\0", b"\4\0")


def of_bytes(rng: random.Random, samples: Sequence[bytes]) -> bytes:
    """A binary file."""
    data = bytearray(rng.choice(samples))
    for _ in range(rng.choice((1, 1, 2, 4, 16))):
        _change(rng, data, samples, _VARINTS)
    return bytes(data)


def in_place(rng: random.Random, samples: Sequence[bytes]) -> bytes:
    """A binary file whose parts stay where its headers say."""
    data = bytearray(rng.choice(samples))
    for _ in range(rng.choice((1, 1, 2, 4, 16))):
        at = rng.randrange(len(data))
        value = rng.choice((bytes([data[at] ^ 1 << rng.randrange(8)]), *_VARINTS, *_WORDS))
        data[at : at + len(value)] = value[: len(data) - at]
    return bytes(data)


def of_text(rng: random.Random, samples: Sequence[bytes]) -> bytes:
    """Lines and numbers; sometimes bytes."""
    data = bytearray(rng.choice(samples))
    for _ in range(rng.choice((1, 1, 2, 4, 16))):
        step = rng.randrange(4)
        if step == 0:
            data = bytearray(b"".join(_lines(rng, data.splitlines(keepends=True)))[:_MOST])
        elif step == 1:
            _change(rng, data, samples, _VALUES)
        elif numbers := list(_NUMBER.finditer(data)):
            at = rng.choice(numbers).span()
            data[at[0] : at[1]] = rng.choice(_VALUES)
    return bytes(data)


def of_trace(rng: random.Random, samples: Sequence[bytes]) -> bytes:
    """Chunks whose lengths and checksums are right."""
    parts = chunks(rng.choice(samples))
    for _ in range(rng.choice((1, 1, 2, 4))):
        at = rng.randrange(len(parts))
        step = rng.randrange(8)
        if step == 0 and len(parts) > 1:
            del parts[at]
        elif step == 1:
            parts.insert(rng.randrange(len(parts) + 1), parts[at])
        else:
            front, payload = parts[at][:14], bytearray(parts[at][HEAD:-CRC])
            if step == 2:
                place = rng.randrange(5, 12)
                front = front[:place] + bytes([rng.randrange(256)]) + front[place + 1 :]
            else:
                _change(rng, payload, samples, _VARINTS)
            parts[at] = sealed(front, bytes(payload[:65535]))
    return b"".join(parts)


def chunks(data: bytes) -> list[bytes]:
    """A whole trace, cut into its chunks."""
    result, at = [], 0
    while at < len(data):
        size = HEAD + int.from_bytes(data[at + 12 : at + 14], "little") + CRC
        result.append(data[at : at + size])
        at += size
    return result


def sealed(front: bytes, payload: bytes) -> bytes:
    """A chunk with its length and both checksums. `front`: sync to number, and a length."""
    front = front[:12] + len(payload).to_bytes(2, "little")
    front += (zlib.crc32(front[4:]) & 0xFFFF).to_bytes(2, "little")
    return front + payload + zlib.crc32(front[4:] + payload).to_bytes(4, "little")


def _lines(rng: random.Random, lines: list[bytes]) -> list[bytes]:
    if not lines:
        return [b"\n"]
    begin = rng.randrange(len(lines))
    end = min(len(lines), begin + rng.choice((1, 1, 2, 10)))
    part, to = lines[begin:end], rng.randrange(len(lines))
    step = rng.randrange(4)
    if step == 0:
        return lines[:begin] + lines[end:]
    if step == 1:
        return lines[:to] + part * rng.choice((1, 2, 50)) + lines[to:]
    if step == 2:
        return lines[:begin]
    rest = lines[:begin] + lines[end:]
    return rest[:to] + part + rest[to:]


def _change(
    rng: random.Random, data: bytearray, samples: Sequence[bytes], values: Sequence[bytes]
) -> None:
    at = rng.randrange(len(data) + 1)
    end = min(len(data), at + rng.choice((1, 2, 4, 8, 64)))
    step = rng.randrange(7)
    if step == 0 and at < len(data):
        data[at] ^= 1 << rng.randrange(8)
    elif step == 1 and at < len(data):
        data[at] = rng.choice((0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)))
    elif step == 2:
        data[at:at] = rng.choice(values)
    elif step == 3:
        data[at:end] = rng.choice(values)
    elif step == 4:
        del data[at:end]
    elif step == 5:
        data[at:at] = data[at:end] * rng.choice((1, 2, 100))
    else:
        other = rng.choice(samples)
        begin = rng.randrange(len(other) + 1)
        data[at:end] = other[begin : begin + rng.choice((1, 8, 64, 500))]
