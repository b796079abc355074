"""Names of addresses, and whether they are of the build whose memory it is."""

from __future__ import annotations

import hashlib
import struct
from dataclasses import replace
from pathlib import Path

import pytest

from heapscope.base.errors import InputError
from heapscope.memory.image.firmware_elf import FirmwareElf, read_firmware
from heapscope.memory.image.memory_image import MemoryImage, MemorySegment
from heapscope.memory.image.same_build import with_firmware, with_symbols
from heapscope.memory.image.symbols import FirmwareSymbol, FirmwareSymbols, read_nm

from . import dumps
from .dumps import ALLOC, EXEC, WRITE

CODE, CONSTANTS, DATA = 0x4200_0000, 0x3C00_0000, 0x3FC8_0000
POINTERS = struct.pack("<16I", *(CONSTANTS + 8 * number for number in range(16)))
COUNTERS = struct.pack("<16I", *range(16))
SECTIONS = (
    (".flash.text", ALLOC | EXEC, CODE, b"\x13\x01\x01\xff" * 32),
    (".flash.rodata", ALLOC | WRITE, CONSTANTS, b"constants" * 30),
    (".dram0.data", ALLOC | WRITE, DATA, POINTERS + COUNTERS),
)
NAMES = (("table", DATA, 64), ("counters", DATA + 64, 64), ("_heap_start", DATA + 128, 0))


def built(folder: Path, *, machine: int = dumps.RISCV) -> FirmwareElf:
    path = folder / "app.elf"
    path.write_bytes(dumps.firmware(SECTIONS, NAMES, machine=machine))
    return read_firmware(str(path))


def memory(data: bytes, *, build: str = "") -> MemoryImage:
    return MemoryImage(
        segments=(MemorySegment(DATA, data),), files=("ram",), what="raw memory", build=build
    )


def test_symbols_are_found_by_name_and_by_address(tmp_path: Path) -> None:
    symbols = built(tmp_path).symbols
    assert symbols.address("table") == DATA
    assert symbols.address("tabl") is None
    assert [symbols.at(DATA + at).name for at in (0, 63, 64)] == ["table", "table", "counters"]
    assert symbols.at(DATA + 128).name == "_heap_start"
    assert symbols.at(DATA + 129) is None
    assert symbols.at(DATA - 1) is None


@pytest.mark.parametrize(
    "text",
    [
        "3fc80000 00000040 D table\n3fc80040 00000040 d counters\n3fc80080 B _heap_start\n",
        "3fc80000 00000040 D table\tmain.c:12\r\n3fc80040 00000040 d counters\r\n"
        "         U memcpy\r\n3fc80080 B _heap_start\r\n",
        "table D 3fc80000 40\ncounters d 3fc80040 40\n_heap_start B 3fc80080 \n",
    ],
)
def test_nm_tells_the_same(text: str, tmp_path: Path) -> None:
    (tmp_path / "nm.txt").write_text(text, encoding="ascii", newline="")
    symbols = read_nm(str(tmp_path / "nm.txt"))
    assert [(one.name, one.address, one.size) for one in symbols.rows] == list(NAMES)


def test_a_name_of_several_addresses_has_none() -> None:
    symbols = FirmwareSymbols(
        [
            FirmwareSymbol(16, 4, "count"),
            FirmwareSymbol(32, 4, "count"),
            FirmwareSymbol(64, 4, "max(int, int)"),
        ],
        file="nm",
    )
    assert symbols.address("count") is None
    assert [one.address for one in symbols.named("count")] == [16, 32]
    assert symbols.at(65).name == "max(int, int)"


def test_names_of_one_build_are_used(tmp_path: Path) -> None:
    firmware = built(tmp_path)
    image = with_firmware(memory(POINTERS + bytes(64)), firmware)
    assert image.symbols is firmware.symbols
    assert not image.notes


def test_an_elf_of_another_build_is_known_by_its_constants(tmp_path: Path) -> None:
    moved = struct.pack("<16I", *(CONSTANTS + 4 + 8 * number for number in range(16)))
    image = with_firmware(memory(moved + COUNTERS), built(tmp_path))
    assert image.symbols is None
    assert "app.elf is of another build: 16 of 16 words" in image.notes[0]
    assert "0x3fc80000" in image.notes[0]
    half = with_firmware(memory(POINTERS[:32] + moved[32:]), built(tmp_path))
    assert half.symbols is not None
    assert "may be of another build: 8 of 16 words" in half.notes[0]


def test_an_elf_whose_bytes_are_not_in_the_image_is_not_vouched_for(tmp_path: Path) -> None:
    firmware = built(tmp_path)
    image = with_firmware(
        replace(memory(b"x" * 64), segments=(MemorySegment(0, b"x" * 64),)), firmware
    )
    assert image.symbols is firmware.symbols
    assert "is not known" in image.notes[0]
    named = with_symbols(memory(POINTERS), firmware.symbols)
    assert "names alone do not tell it" in named.notes[0]


def test_the_digest_in_a_core_dump_decides(tmp_path: Path) -> None:
    firmware = built(tmp_path)
    digest = hashlib.sha256((tmp_path / "app.elf").read_bytes()).hexdigest()
    assert firmware.digest == digest
    same = with_firmware(memory(b"x" * 64, build=digest[:9]), firmware)
    assert same.symbols is firmware.symbols
    assert not same.notes
    other = with_firmware(memory(b"x" * 64, build="0123456789abcdef"), firmware)
    assert other.symbols is None
    assert f"begins with {digest[:16]}, not 0123456789abcdef" in other.notes[0]
    stripped = with_firmware(memory(POINTERS, build="0123456789abcdef"), firmware)
    assert stripped.symbols is firmware.symbols
    assert "changed after the build" in stripped.notes[0]


def test_an_elf_of_another_processor_gives_no_names(tmp_path: Path) -> None:
    image = replace(memory(POINTERS), machine="RISC-V")
    told = with_firmware(image, built(tmp_path, machine=dumps.XTENSA))
    assert told.symbols is None
    assert "is for Xtensa, and the memory of RISC-V" in told.notes[0]


def test_what_is_no_firmware_is_refused(tmp_path: Path) -> None:
    for data, words in (
        (b"text", "damaged"),
        (dumps.elf(4, 243, []), "not a firmware's ELF"),
        (dumps.firmware(SECTIONS, NAMES)[:300], "damaged"),
    ):
        (tmp_path / "x.elf").write_bytes(data)
        with pytest.raises(InputError, match=words):
            read_firmware(str(tmp_path / "x.elf"))
    (tmp_path / "nm.txt").write_text("nothing\n", encoding="ascii")
    with pytest.raises(InputError, match="no line of it"):
        read_nm(str(tmp_path / "nm.txt"))
