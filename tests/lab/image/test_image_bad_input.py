"""Damaged images of every form are read or refused, and never crash."""

from __future__ import annotations

import base64
import random
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from heapscope.base.errors import HeapscopeError, InputError
from heapscope.cli.verbs.image import image

from . import dumps
from .dumps import captured, elf_core, esp_core, moment, printed, zephyr

#: Each form of a small moment, and whether its name tells an address.
WRITTEN: dict[str, Callable[[], bytes]] = {
    **{
        f"version-{version:#x}": lambda version=version: esp_core(moment(), version)
        for version in dumps.WORDS
    },
    "elf": lambda: elf_core(moment()),
    "xtensa": lambda: elf_core(moment("esp32")),
    "log": lambda: printed(esp_core(moment(tasks=1), 0x102), between="I (3) a: b"),
    "base64": lambda: base64.encodebytes(esp_core(moment(tasks=1), 0x102)),
    "zephyr": lambda: zephyr(moment(tasks=2), summed=True),
    "zephyr-log": lambda: dumps.zephyr_log(zephyr(moment(tasks=1))),
    "hex": lambda: dumps.intel_hex(sorted(moment(tasks=1).memory.items())),
    "s-records": lambda: dumps.s_records(sorted(moment(tasks=1).memory.items())),
    "3fc8c400.raw": lambda: captured("c3_none.3fc8c400")[0x3660 : 0x3660 + 12_000],
    "captured": lambda: captured("esp32_tracking.core"),
}
_WORDS = (0, 1, 4, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, 0xFFFF_FFFC, 0x3FC9_0000)


def damaged(data: bytes, chance: random.Random) -> bytes:
    """Some bytes, words or runs of it are changed, lost or told twice."""
    result = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 4, 16))):
        at = chance.randrange(len(result) if chance.random() < 0.5 else min(len(result), 400))
        size = chance.choice((1, 2, 4, 16, 100, 1000))
        match chance.randrange(6):
            case 0:
                result[at] ^= 1 << chance.randrange(8)
            case 1:
                word = chance.choice((*_WORDS, chance.getrandbits(32)))
                result[at & ~3 : (at & ~3) + 4] = struct.pack("<I", word)
            case 2:
                del result[at : at + size]
            case 3:
                result[at:at] = result[at : at + size]
            case 4:
                result[at : at + size] = chance.randbytes(min(size, len(result) - at))
            case _:
                result = result[: max(1, at)]
        if not result:
            return b"\0"
    return bytes(result)


def tried(folder: Path, name: str, seed: str) -> None:
    path = folder / name
    path.write_bytes(damaged(WRITTEN[name](), random.Random(seed)))
    refused = None
    try:
        image(str(path)).to_json()
    except HeapscopeError as error:
        refused = error
    assert refused is None or (refused.message and refused.remedy), refused


@pytest.mark.parametrize("name", WRITTEN)
def test_a_damaged_image_is_read_or_refused(name: str, seed: int, tmp_path: Path) -> None:
    for number in range(8):
        tried(tmp_path, name, f"{seed}-{number}")


@pytest.mark.slow
@pytest.mark.parametrize("turn", range(100))
def test_100_000_damaged_images_are_read_or_refused(turn: int, seed: int, tmp_path: Path) -> None:
    names = list(WRITTEN)
    for number in range(1000):
        tried(tmp_path, names[number % len(names)], f"{seed}-slow-{turn}-{number}")


def test_an_image_without_sense_is_refused(seed: int, tmp_path: Path) -> None:
    noise = random.Random(seed).randbytes(1 << 17)
    for name, data, words in (
        ("3fc80000.raw", bytes(70_000), "nothing but zero bytes"),
        ("3fc80000.raw", noise, "encrypted or compressed"),
        ("3fc80000.raw", b"\xff" * 70_000, "erased flash"),
        ("3fc80000.raw", b"counting" * 9000, "no heap in the 72,000 B"),
        ("ffffff00.raw", b"counting" * 64, "last address of 32 bits"),
        ("coredump.bin", noise, "whose address is not known"),
        ("notes.txt", b"heap: 4711 bytes\n" * 40, "a text without a core dump"),
        ("program", b"\x7fELF\2\1\1".ljust(16, b"\0") + b"\2\0" + bytes(200), "not a core dump"),
        ("core", b"\x7fELF\2\1\1".ljust(16, b"\0") + b"\4\0" + bytes(200), "of 64 bits"),
    ):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(InputError, match=words):
            image(str(tmp_path / name))


def test_segments_that_name_the_same_bytes_again_and_again_are_refused(tmp_path: Path) -> None:
    data = bytearray(dumps.elf(4, 243, [(1, 0x3FC8_0000, b"m" * 64)] * 2000))
    for number in range(2000):
        at = 52 + 32 * number
        struct.pack_into("<I", data, at + 4, 0)
        struct.pack_into("<II", data, at + 8, number << 20, number << 20)
        struct.pack_into("<II", data, at + 16, len(data), len(data))
    (tmp_path / "core").write_bytes(data)
    with pytest.raises(InputError, match="more bytes than the file"):
        image(str(tmp_path / "core"))
