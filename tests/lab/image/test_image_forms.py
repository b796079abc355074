"""Memory images of every form: what is in them, and what is not."""

from __future__ import annotations

import base64
import struct
from dataclasses import replace
from pathlib import Path

import pytest

from heapscope.answers.image.find import find_heaps
from heapscope.base.errors import InputError
from heapscope.memory.image.memory_image import MemoryImage
from heapscope.memory.image.read import read_images

from . import dumps
from .dumps import Moment, captured, elf_core, esp_core, moment, printed, put, zephyr

FORMS = [*(("esp32c3", version) for version in dumps.WORDS), ("esp32", 0x003), ("esp32s3", 0x102)]


def read(folder: Path, data: bytes, name: str = "dump") -> MemoryImage:
    (folder / name).write_bytes(data)
    return read_images([str(folder / name)])


def holds(image: MemoryImage, one: Moment) -> None:
    for start, content in one.memory.items():
        assert image.bytes_at(start, len(content)) == content, hex(start)
    assert image.size == sum(map(len, one.memory.values()))


@pytest.mark.parametrize(("chip", "version"), FORMS)
def test_a_core_dump_of_each_version_is_read_whole(chip: str, version: int, tmp_path: Path) -> None:
    one = moment(chip)
    if version == 0x001:  # of tasks alone
        one = replace(one, segments=())
    image = read(tmp_path, esp_core(one, version))
    holds(image, one)
    assert image.chip == chip
    assert [thread.tcb for thread in image.threads] == [task.tcb for task in one.tasks]
    assert [thread.crashed for thread in image.threads] == [True, False, False]
    assert not image.missing
    assert not image.notes
    if version >= 0x100:
        assert (image.build, image.reason) == (one.digest, one.reason)
    if image.machine == "RISC-V":
        assert [t.program_counter for t in image.threads] == [1, 101, 201]
        assert [t.stack_pointer for t in image.threads] == [3, 103, 203]
        assert image.threads[1].registers["t6"] == 132


@pytest.mark.parametrize("version", [0x003, 0x102, 0x103, 0x104])
def test_a_wrong_checksum_and_a_cut_are_told(version: int, tmp_path: Path) -> None:
    data = bytearray(esp_core(moment(), version))
    whole = read(tmp_path, bytes(data) + b"\xff" * 4096)  # the partition behind it
    assert not whole.notes
    data[len(data) // 2] ^= 1
    assert "checksum" in read(tmp_path, bytes(data)).notes[0]
    cut = read(tmp_path, bytes(data[: len(data) * 2 // 3]))
    assert any("cut off" in line for line in cut.notes)
    assert cut.missing


def test_the_partition_is_found_in_a_whole_flash(tmp_path: Path) -> None:
    entry = struct.pack("<2sBBII16sI", b"\xaa\x50", 1, 3, 0x2_0000, 0x1_0000, b"coredump", 0)
    flash = bytearray(b"\xff" * 0x3_0000)
    flash[0x8000 : 0x8000 + len(entry)] = entry
    (tmp_path / "flash").write_bytes(flash)
    with pytest.raises(InputError, match="erased"):
        read_images([str(tmp_path / "flash")])
    data = esp_core(moment(), 0x102)
    flash[0x2_0000 : 0x2_0000 + len(data)] = data
    holds(read(tmp_path, bytes(flash)), moment())


@pytest.mark.parametrize("front", ["", "[12:34:56.789] ", "2026-01-02 03:04:05 "])
@pytest.mark.parametrize("between", ["", "I (2211) wifi: state", "W (3) x: AAAA"])
@pytest.mark.parametrize("version", [0x002, 0x102])
def test_a_log_has_it_between_other_lines(
    front: str, between: str, version: int, tmp_path: Path
) -> None:
    one = moment()
    image = read(tmp_path, printed(esp_core(one, version), front=front, between=between))
    holds(image, one)
    assert "in a log" in image.what
    assert not image.notes


def test_lines_that_a_log_lost_are_no_memory(tmp_path: Path) -> None:
    lines = printed(esp_core(moment(), 0x102)).splitlines(keepends=True)
    with pytest.raises(InputError, match="48 B are lost between the marks"):
        read(tmp_path, b"".join([*lines[:20], *lines[21:]]))
    cut = read(tmp_path, b"".join(lines[: len(lines) // 2]))
    assert "The log ends before the core dump does." in cut.missing


def test_the_last_core_dump_of_a_log_counts(tmp_path: Path) -> None:
    first, last = moment(seed=1), moment(seed=2)
    image = read(tmp_path, printed(esp_core(first, 0x102)) + printed(esp_core(last, 0x102)))
    holds(image, last)
    assert "2 core dumps" in image.notes[0]


def test_base64_without_marks_is_read(tmp_path: Path) -> None:
    data = esp_core(moment(), 0x103)
    lines = (base64.b64encode(data[at : at + 48]) for at in range(0, len(data), 48))
    holds(read(tmp_path, b"\n".join(lines)), moment())


def test_zephyrs_core_dump_is_read_from_its_file_and_from_a_log(tmp_path: Path) -> None:
    registers = struct.pack("<19I", *range(1, 20))
    one = moment()
    data = zephyr(one, registers=registers, summed=True)
    for image in (read(tmp_path, data), read(tmp_path, dumps.zephyr_log(data))):
        holds(image, one)
        assert image.threads[0].registers["ra"] == 1
        assert (image.threads[0].program_counter, image.threads[0].stack_pointer) == (18, 19)
        assert image.reason == "a stack that overflowed"
        assert not image.missing
        assert not image.notes
    damaged = bytearray(data)
    damaged[200] ^= 1
    assert "checksum" in read(tmp_path, bytes(damaged)).notes[0]
    assert "cut off" in read(tmp_path, data[:-400]).missing[0]
    arm = zephyr(one, registers=struct.pack("<9I", *range(9)), target=3)
    assert read(tmp_path, arm).threads[0].registers["sp"] == 8


@pytest.mark.parametrize("write", [dumps.intel_hex, dumps.s_records])
def test_memory_as_text_has_its_addresses(write: object, tmp_path: Path) -> None:
    one = moment()
    text = write(sorted(one.memory.items()))  # type: ignore[operator]
    holds(read(tmp_path, text), one)
    lines = text.splitlines()
    with pytest.raises(InputError, match="line 5 is a damaged record"):
        read(tmp_path, b"\n".join([*lines[:4], lines[4][:-1] + b"_", *lines[5:]]))
    with pytest.raises(InputError, match="cut off"):
        read(tmp_path, b"\n".join(text.split()[:-1]))


def test_a_debuggers_core_has_registers_and_says_what_was_not_saved(tmp_path: Path) -> None:
    notes = dumps.note("CORE", 1, dumps.status(1, range(17)))
    data = bytearray(dumps.elf(4, 40, [(4, 0, notes), (1, 0x2000_8000, b"memory!!" * 8)]))
    struct.pack_into("<I", data, 52 + 32 + 20, 4096)  # the size in memory of the second segment
    image = read(tmp_path, bytes(data))
    assert image.threads[0].registers["sp"] == 13
    assert image.missing == ("4,032 B of memory that the core dump names are not in it.",)


def test_two_parts_of_a_dump_that_changed_between_are_told(tmp_path: Path) -> None:
    parts = [(1, 0x3FC9_0000, b"a" * 64), (1, 0x3FC9_0020, b"b" * 64)]
    image = read(tmp_path, dumps.elf(4, 243, parts))
    assert image.bytes_at(0x3FC9_0000, 96) == b"a" * 64 + b"b" * 32
    assert image.notes == ("32 B stand twice in it and changed between.",)


@pytest.mark.parametrize(
    ("core", "raw"),
    [
        ("c3_none", "3fc8c400"),
        ("c3_comprehensive", "3fc8c600"),
        ("c3_514_light", "3fc8c600"),
        ("esp32_tracking", "3ffae000"),
    ],
)
def test_a_captured_core_dump_tells_what_memory_had(core: str, raw: str, tmp_path: Path) -> None:
    dump = read_images([put(tmp_path, f"{core}.core")])
    memory = read_images([put(tmp_path, f"{core}.{raw}")])
    differ = known = 0
    for part in dump.segments:
        for at in range(part.address, part.end - 3, 4):
            if (word := memory.word(at)) is not None:
                known += 1
                differ += word != dump.word(at)
    assert known > 1000
    # With CAPTURE_DRAM the task that crashed writes the dump, on its own stack.
    assert differ <= (200 if core == "c3_none" else 0)
    assert sum(thread.crashed for thread in dump.threads) == 1
    assert not dump.notes


def test_used_blocks_of_a_core_dump_are_those_of_the_raw_memory(tmp_path: Path) -> None:
    dump = read_images([put(tmp_path, "c3_none.core")])
    memory = read_images([put(tmp_path, "c3_none.3fc8c400")])
    told = {heap.start: heap for heap in find_heaps(dump)}
    for heap in find_heaps(memory):
        last = max((block.end for block in heap.blocks if block.used), default=heap.start)
        expected = [(b.address, b.size, b.used) for b in heap.blocks if b.address < last]
        found = [(b.address, b.size, b.used) for b in told[heap.start].blocks]
        assert found == expected
        assert not told[heap.start].damage


def test_raw_memory_knows_its_own_address(tmp_path: Path) -> None:
    data = captured("c3_none.3fc8c400")
    (tmp_path / "dram.bin").write_bytes(data)
    with pytest.raises(InputError) as refused:
        read_images([str(tmp_path / "dram.bin")])
    assert "@0x3fc8c400" in refused.value.remedy
    with pytest.raises(InputError, match="0x3fc8c400, not 0x3fc80000"):
        read_images([f"{tmp_path}/dram.bin@0x3fc80000"])
    swapped = bytearray(data)
    for at in range(4):
        swapped[at::4] = data[3 - at :: 4]
    (tmp_path / "swapped").write_bytes(swapped)
    with pytest.raises(InputError, match="in reverse order"):
        read_images([f"{tmp_path}/swapped@0x3fc8c400"])


def test_an_address_is_that_of_the_name_or_behind_it(tmp_path: Path) -> None:
    for name in ("0x3fc80000.raw", "3fc80000-ram.bin", "3fc80000"):
        assert read(tmp_path, b"memory!!", name).segments[0].address == 0x3FC8_0000
    both = [f"{tmp_path}/3fc80000", f"{tmp_path}/0x3fc80000.raw@0x3fc90000"]
    assert [part.address for part in read_images(both).segments] == [0x3FC8_0000, 0x3FC9_0000]
    with pytest.raises(InputError, match="has more than 32 bits"):
        read_images([f"{tmp_path}/3fc80000@0x100000000"])
    (tmp_path / "3fc80004").write_bytes(b"other")
    with pytest.raises(InputError, match="tell other bytes of 0x3fc80004"):
        read_images([f"{tmp_path}/3fc80000", f"{tmp_path}/3fc80004"])


def test_a_core_of_another_kind_is_refused(tmp_path: Path) -> None:
    wide = bytearray(elf_core(moment()))
    wide[4] = 2
    for data, words in (
        (bytes(wide), "64 bits"),
        (dumps.elf(2, 243, []), "not a core dump"),
        (elf_core(moment())[:60], "cut off"),
        (zephyr(moment(), target=2), "64 bits or of a PC"),
        (bytes(70_000), "whose address is not known"),
        (b"\xff" * 70_000, "erased flash"),
        (b"CORE DUMP START ===\nnothing\n", "no line of one follows"),
    ):
        with pytest.raises(InputError, match=words):
            read(tmp_path, data)
