"""An ELF alone: its constants tell the chip, the release and the heap, with and without names."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from tests.lab.ram.ram_of import ram_of
from tests.lab.ram.test_ram_answer import check_sums
from tests.lab.static.images import Constants, sealed
from tests.lab.static.test_static_image import esp32, esp32c3

from heapscope.memory.static.read import read_image

_HEADER, _DESCRIPTION, _ALLOC, _EXEC = 24, 0xABCD5432, 0x2, 0x4
_MACHINES = {"esp32": 94, "esp32c3": 243, "esp32h2": 243}


def elf_of(image: bytes, chip: str) -> bytes:
    """A stripped ELF with the segments of an image as its sections."""
    at, content, headers = _HEADER, b"", [bytes(40)]
    for _ in range(image[1]):
        start, size = struct.unpack_from("<II", image, at)
        flags = _ALLOC | (_EXEC if 0x40000000 <= start < 0x50000000 else 0)
        headers.append(struct.pack("<10I", 1, 1, flags, start, 52 + len(content), size, 0, 0, 4, 0))
        content += image[at + 8 : at + 8 + size]
        at += 8 + size
    names = b"\0.part\0.names\0"
    headers.append(struct.pack("<10I", 7, 3, 0, 0, 52 + len(content), len(names), 0, 0, 1, 0))
    content += names + bytes(-len(names) % 4)
    (entry,) = struct.unpack_from("<I", image, 4)
    shape = (52, 32, 0, 40, len(headers), len(headers) - 1)
    head = struct.pack("<HHIIIII6H", 2, _MACHINES[chip], 1, entry, 0, 52 + len(content), 0, *shape)
    return b"\x7fELF\1\1\1" + bytes(9) + head + content + b"".join(headers)


@pytest.mark.parametrize("step", [4, 5])
def test_an_elf_of_a_risc_v_tells_its_chip_and_the_heap_of_its_image(
    tmp_path: Path, step: int
) -> None:
    """The memory of an ESP32-C2 is a part of that of an ESP32-C3, at the same addresses."""
    image = esp32c3(code=0xC000, data=0x2000, bss=0x3000, seed=3, step=step)
    (tmp_path / "app.bin").write_bytes(image)
    elf = tmp_path / "app.elf"
    elf.write_bytes(elf_of(image, "esp32c3"))
    result = ram_of(elf)
    check_sums(result)
    assert (result.chip, result.idf) == ("esp32c3", "5.3.1" if step == 5 else "4.4")
    regions = read_image(tmp_path / "app.bin").regions
    assert sum(bar.heap for bar in result.memories) == sum(region.size for region in regions)
    assert any("has the memory of an ESP32-C3" in note for note in result.notes)
    assert not any("release" in note for note in ram_of(elf, chip="esp32c3").notes)


def test_a_chip_with_less_memory_than_others_at_its_addresses_is_known(tmp_path: Path) -> None:
    """The ESP32-C6 and the C5 have more there, and the ESP32-H21, a preview, has the same."""
    start, end = 0x40800000, 0x4080D000
    constants = Constants(
        base=0x42000020,
        kinds=("RAM", "RTCRAM"),
        rows=[
            (start, 0x4D380, 0, start, 0),
            (0x4084D380, 0x2C80, 0, 0x4084D380, 1),
            (0x50000000, 0x1000, 1, 0, 0),
        ],
        taken=[(0x50000FE8, 0x50001000), (start, end), (end, end + 0x5000)],
    )
    segments = [
        (0x42000020, constants.bytes(3)),
        (end, bytes(0x3000)),
        (start, bytes(end - start)),
    ]
    image = sealed("esp32h2", segments, entry=start + 0x254)
    (tmp_path / "app.bin").write_bytes(image)
    (tmp_path / "app.elf").write_bytes(elf_of(image, "esp32h2"))
    alone = ram_of(tmp_path / "app.elf")
    assert (alone.chip, alone.idf) == ("esp32h2", "5.3.1")
    of_image = ram_of(tmp_path / "app.bin")
    assert [bar.heap for bar in alone.memories] == [bar.heap for bar in of_image.memories]


def test_an_elf_without_a_description_is_of_a_release_before_3_3(tmp_path: Path) -> None:
    image = esp32()
    elf = tmp_path / "app.elf"
    elf.write_bytes(elf_of(image, "esp32"))
    assert ram_of(elf).idf == "5.3.1"
    elf.write_bytes(elf_of(image, "esp32").replace(struct.pack("<I", _DESCRIPTION), bytes(4)))
    result = ram_of(elf)
    assert result.idf == "3.3"
    assert any("is of one before 3.3: 3.3 is taken" in note for note in result.notes)
    assert ram_of(elf, idf="5.0").idf == "5.0"


def test_the_image_of_another_build_is_replaced_by_what_the_elf_has(tmp_path: Path) -> None:
    build = tmp_path / "build"
    build.mkdir()
    (build / "CMakeCache.txt").write_text("", encoding="ascii")
    image = esp32(code=0x10000)
    (build / "app.elf").write_bytes(elf_of(image, "esp32"))
    (build / "app.bin").write_bytes(image[:-40])
    result = ram_of(build)
    assert result.idf == "5.3.1"
    assert any("damaged image" in note for note in result.notes)
    (tmp_path / "app.bin").write_bytes(image)
    regions = read_image(tmp_path / "app.bin").regions
    assert sum(bar.heap for bar in result.memories) == sum(region.size for region in regions)
