"""Linker scripts, layout files and names of the user's own."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from tests.lab.ram.ram_of import ram_of
from tests.lab.ram.test_ram_answer import ELF, check_sums

from heapscope.base.errors import InputError
from heapscope.base.readable_name import readable_name
from heapscope.trace.things.folder_kinds import build_of

LONG = "_ZN" + "".join(f"21a_long_namespace_no_{n}" for n in "12345") + "6bufferE"
#: The linker shows names of C++ and Rust as in the source; local names are not in a map.
MAP = f"""\
Memory Configuration

Name             Origin             Length             Attributes
RAM              0x20000000         0x00001000         xrw

Linker script and memory map

.my_fast        0x20000000       0x20
 .fastcode      0x20000000       0x20 app.o
                0x20000000                isr(void*)
                0x20000010                <alloc::Vec<T> as core::ops::Drop>::drop

.my_vars        0x20000020       0x40
 .data          0x20000020       0x40 app.o
                0x20000030                app::Foo::table
                0x20000058                plain
                                          0x48 (size before relaxing)

.zeroes         0x20000060      0x200
 .bss.{LONG}
                0x20000060      0x100 app.o
 .bss.{LONG.replace("6buffer", "5other")}
                0x20000160       0x80 app.o
 COMMON         0x200001e0       0x80 app.o
                0x200001e0                (anonymous namespace)::hidden
                0x20000220                end = (0x20000100 + 0x120)
OUTPUT(app.elf elf32-littlearm)
"""
MEMORY = '[[memory]]\nstart = 0x20000000\nsize = 0x1000\nkind = "RAM"\n'
REGION = '[[region]]\nstart = {:#x}\nsize = {:#x}\nkind = "RAM"\n'


@pytest.fixture
def own_map(tmp_path: Path) -> Path:
    path = tmp_path / "app.map"
    path.write_text(MAP, encoding="utf-8", newline="\n")
    return path


def test_sections_with_names_of_the_users_own_are_what_is_in_them(own_map: Path) -> None:
    result = ram_of(own_map)
    check_sums(result)
    (bar,) = result.memories
    assert (bar.code, bar.data, bar.bss) == (0x20, 0x40, 0x200)


def test_a_symbol_in_a_section_of_several_has_its_own_bytes(own_map: Path) -> None:
    symbols = {part.symbol: part.total for part in ram_of(own_map).static.symbols}
    assert symbols == {
        "isr": 0x10,
        "<alloc::Vec<T> as core::ops::Drop>::drop": 0x10,
        "app.o": 0x10,  # in front of the first symbol
        "app::Foo::table": 0x28,
        "plain": 8,
        "(anonymous namespace)::hidden": 0x80,
        readable_name(LONG): 0x100,
        readable_name(LONG).replace("buffer", "other"): 0x80,
    }
    (named,) = ram_of(own_map, why="app::Foo::table").why
    assert named.total == 0x28


def test_a_core_dump_or_an_object_beside_a_program_is_not_it(tmp_path: Path) -> None:
    for number, name in ((4, "a_core.elf"), (1, "b_object.elf"), (2, "c_program.elf")):
        head = b"\x7fELF\x01\x01\x01" + bytes(9) + struct.pack("<HH", number, 40) + bytes(32)
        (tmp_path / name).write_bytes(head)
    assert build_of(tmp_path).elf == tmp_path / "c_program.elf"


def test_heaps_of_a_layout_file_stay_apart_and_inside_their_memory(
    own_map: Path, tmp_path: Path
) -> None:
    layout = tmp_path / "board.toml"
    heaps = REGION.format(0x20000400, 0x400) + REGION.format(0x20000800, 0x800)
    layout.write_text(MEMORY + heaps, encoding="utf-8")
    result = ram_of(own_map, layout=layout)
    check_sums(result)
    assert (result.memories[0].heap, result.memories[0].largest) == (0xC00, 0x800)
    layout.write_text(MEMORY + REGION.format(0x20000800, 0x1000), encoding="utf-8")
    with pytest.raises(InputError, match="go beyond its memory, which ends at 0x20001000"):
        ram_of(own_map, layout=layout)
    more = MEMORY.replace("0x20000000", "0x20001000") + REGION.format(0x20000800, 0x1000)
    layout.write_text(MEMORY + more, encoding="utf-8")
    assert [bar.heap for bar in ram_of(own_map, layout=layout).memories] == [0x800, 0x800]
    layout.write_text(MEMORY.replace("0x1000", "0x100"), encoding="utf-8")
    with pytest.raises(InputError, match="leaves the RAM of") as error:
        ram_of(own_map, layout=layout)
    assert "--layout" in error.value.remedy


def test_a_forecast_takes_no_layout_and_names_no_option_of_another_verb(tmp_path: Path) -> None:
    (tmp_path / "CMakeLists.txt").write_text("project(x)\n", encoding="ascii")
    text = 'CONFIG_IDF_TARGET="esp32s3"\nCONFIG_SPIRAM=y\n'
    (tmp_path / "sdkconfig").write_text(text, encoding="ascii")
    notes = ram_of(tmp_path, idf="5.5").notes
    assert any("heapscope predict takes its size by --psram" in note for note in notes)
    with pytest.raises(InputError, match="--layout is for a build"):
        ram_of(tmp_path, layout=tmp_path / "board.toml")


def test_an_elf_of_no_known_chip_takes_the_map_beside_it(own_map: Path, tmp_path: Path) -> None:
    data = bytearray(ELF.read_bytes())
    data[18] = 40  # Arm
    elf = tmp_path / "app.elf"
    elf.write_bytes(data)
    text = MAP.replace("0x20000", "0x3ffb0").replace("0x00001000", "0x00020000")
    own_map.write_text(text, encoding="utf-8")
    result = ram_of(elf)
    assert result.files == (str(own_map), str(elf))
    own_map.unlink()
    with pytest.raises(InputError, match="its chip is not known"):
        ram_of(elf)
