"""Things beside a build of ESP-IDF: Zephyr, sketches, CMake, layout files, and a project that is
not built."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from tests.lab.ram.ram_of import difference_of, ram_of
from tests.lab.ram.test_ram_answer import ELF, check_sums
from tests.lab.static.test_static_image import esp32
from typer.testing import CliRunner

import heapscope as hs
from heapscope.base.errors import InputError
from heapscope.cli.app import app

#: A linker map of a Cortex-M, with a heap and a stack that the linker script bounds.
MAP = """\
Memory Configuration

Name             Origin             Length             Attributes
FLASH            0x08000000         0x00040000         xr
RAM              0x20000000         0x00004000         xrw
CCM              0x10000000         0x00001000         rw
IDT_LIST         0xfffff7ff         0x00000800         rw
*default*        0x00000000         0xffffffff

Linker script and memory map

.text           0x08000000     0x2000
 .text.main     0x08000000     0x2000 CMakeFiles/app.dir/main.c.obj

.data           0x20000000      0x100 load address 0x08002000
 .data.table    0x20000000       0x80 C:\\work\\lib\\libnet.a(net.c.obj)
 .RamFunc       0x20000080       0x80 CMakeFiles/app.dir/main.c.obj

.bss            0x20000100      0x700 load address 0x08002100
 .bss.ucHeap    0x20000100      0x600 CMakeFiles/app.dir/heap_4.c.obj
 .bss.state     0x20000700      0x100 C:\\work\\lib\\libnet.a(net.c.obj)
                0x20000800                PROVIDE (end = .)
                0x20000800                _end = .

.heap           0x20000800     0x3000
                0x20000800                __end__ = .
                0x20003800                __HeapLimit = .
                0x20003c00                __StackLimit = (__StackTop - 0x400)
                0x20004000                __StackTop = (ORIGIN (RAM) + LENGTH (RAM))
OUTPUT(app.elf elf32-littlearm)
"""
LAYOUT = """\
name = "my board"
[[memory]]
start = 0x20000000
size = 0x4000
kind = "SRAM"
[[memory]]
start = 0x10000000
size = 0x1000
kind = "CCM"
"""
ZEPHYR = """\
CONFIG_BOARD="nucleo"
CONFIG_SOC="stm32f303xe"
CONFIG_KERNEL_BIN_NAME="zephyr"
CONFIG_SRAM_SIZE=16
CONFIG_SRAM_BASE_ADDRESS=0x20000000
"""


@pytest.fixture
def map_of_arm(tmp_path: Path) -> Path:
    path = tmp_path / "app.map"
    path.write_text(MAP, encoding="utf-8", newline="\n")
    return path


def bar_of(thing: object, name: str, **options: object) -> dict[str, int]:
    result = ram_of(thing, **options)
    check_sums(result)
    return vars(next(bar for bar in result.memories if bar.memory == name))


def test_a_map_of_another_chip_has_the_memories_of_its_linker_script(map_of_arm: Path) -> None:
    result = ram_of(map_of_arm)
    check_sums(result)
    assert [(bar.memory, bar.bytes) for bar in result.memories] == [
        ("CCM", 0x1000),
        ("RAM", 0x4000),
    ]
    ram = result.memories[1]
    assert (ram.data, ram.bss, ram.heap, ram.kept) == (0x100, 0x700, 0x3000, 0x400)
    assert ram.unused == 0x400  # between the end of the heap and the stack
    assert ram.not_explained == 0
    parts = {part.component: part.total for part in result.static.components}
    assert parts == {"heap_4.c.obj": 0x600, "libnet.a": 0x180, "main.c.obj": 0x80}
    assert "the memories are those of the linker script" in result.notes[0]


def test_a_layout_file_says_what_the_chip_has_and_where_its_heap_lies(
    map_of_arm: Path, tmp_path: Path
) -> None:
    layout = tmp_path / "board.toml"
    layout.write_text(LAYOUT, encoding="utf-8")
    assert bar_of(map_of_arm, "SRAM", layout=layout)["heap"] == 0x3000
    heap = '[[region]]\nstart = 0x20000100\nsize = 0x600\nkind = "SRAM"\n'
    layout.write_text(LAYOUT + heap, encoding="utf-8")
    bar = bar_of(map_of_arm, "SRAM", layout=layout)
    assert (bar["heap"], bar["bss"]) == (0x600, 0x100 + 0x3000)
    with pytest.raises(InputError, match="--layout describes the chip"):
        ram_of(map_of_arm, layout=layout, chip="esp32")
    layout.write_text(heap, encoding="utf-8")
    with pytest.raises(InputError, match="memory: missing"):
        ram_of(map_of_arm, layout=layout)
    layout.write_text(LAYOUT.replace("0x10000000", "0x20001000"), encoding="utf-8")
    with pytest.raises(InputError, match="is inside memory 1, which ends at 0x20004000"):
        ram_of(map_of_arm, layout=layout)


def test_an_elf_without_a_known_chip_names_the_way(tmp_path: Path) -> None:
    build = tmp_path / "build"
    build.mkdir()
    (build / "CMakeCache.txt").write_text("", encoding="ascii")
    (build / "app.elf").write_bytes(ELF.read_bytes())
    with pytest.raises(InputError, match="its chip is not known") as error:
        ram_of(build)
    assert "--layout" in error.value.remedy


@pytest.mark.parametrize("folder", ["zephyr", "app/zephyr"])
def test_a_build_of_zephyr(tmp_path: Path, folder: str) -> None:
    inner = tmp_path / folder
    inner.mkdir(parents=True)
    (inner / ".config").write_text(ZEPHYR, encoding="ascii")
    (inner / "zephyr.map").write_text(MAP.replace(".heap ", ".user "), encoding="ascii")
    (inner / "zephyr_pre0.elf").write_bytes(ELF.read_bytes())
    (tmp_path / "domains.yaml").write_text("default: app\ndomains:\n", encoding="ascii")
    result = ram_of(tmp_path)
    check_sums(result)
    assert (result.chip, result.idf) == ("stm32f303xe", "")
    assert not any(bar.not_explained for bar in result.memories)


def test_the_rest_of_zephyrs_memory_is_the_c_librarys_heap_or_unused(tmp_path: Path) -> None:
    (tmp_path / "zephyr").mkdir()
    config = tmp_path / "zephyr" / ".config"
    text = MAP[: MAP.index(".heap ")] + "OUTPUT(zephyr.elf elf32-littlearm)\n"
    config.with_name("zephyr.map").write_text(text, encoding="ascii")
    config.write_text(ZEPHYR, encoding="ascii")
    assert bar_of(tmp_path, "RAM")["unused"] == 0x3800
    config.write_text(f"{ZEPHYR}CONFIG_NEWLIB_LIBC=y\n", encoding="ascii")
    assert bar_of(tmp_path, "RAM")["heap"] == 0x3800
    config.write_text(f"{ZEPHYR}CONFIG_SOC_SERIES_ESP32=y\n", encoding="ascii")
    with pytest.raises(InputError, match="no section of it is in the RAM of esp32"):
        ram_of(tmp_path)


def test_a_sketch_that_was_exported_is_its_image(tmp_path: Path) -> None:
    folder = tmp_path / "build" / "esp32.esp32.esp32"
    folder.mkdir(parents=True)
    (tmp_path / "s.ino").write_text("void setup() {}\n", encoding="ascii")
    (folder / "s.ino.bin").write_bytes(esp32(bluetooth=False))
    (folder / "s.ino.partitions.bin").write_bytes(b"\xaa\x50" + bytes(62))
    result = ram_of(tmp_path)
    check_sums(result)
    assert result.files == (str(folder / "s.ino.bin"),)
    (folder / "t.ino.bin").write_bytes(esp32(bluetooth=False))
    with pytest.raises(InputError, match="2 images of programs are in it") as error:
        ram_of(folder)
    assert "t.ino.bin" in error.value.remedy


def test_the_first_look_at_an_exported_sketch_leads_here(tmp_path: Path) -> None:
    (tmp_path / "s.ino.bin").write_bytes(esp32(bluetooth=False))
    result = CliRunner().invoke(app, [str(tmp_path)])
    assert result.exit_code == 0, result.output
    assert "heapscope ram" in result.output


def test_programs_in_the_folders_of_a_cmake_build_are_named(tmp_path: Path) -> None:
    (tmp_path / "CMakeCache.txt").write_text("", encoding="ascii")
    for name in ("app/app", "CMakeFiles/probe.elf"):
        path = tmp_path / name
        path.parent.mkdir()
        path.write_bytes(ELF.read_bytes())
    (tmp_path / "app" / "generator").write_bytes(b"\x7fELF\x02\x01" + bytes(58))
    assert ram_of(tmp_path, chip="esp32", idf="5.5").files == (str(tmp_path / "app" / "app"),)
    (tmp_path / "app" / "test.elf").write_bytes(ELF.read_bytes())
    with pytest.raises(InputError, match="2 ELFs are in it"):
        ram_of(tmp_path, chip="esp32", idf="5.5")


@pytest.mark.parametrize("chip", ["esp32", "esp32c3", "esp32s3"])
def test_a_project_that_is_not_built_has_a_forecast(tmp_path: Path, chip: str) -> None:
    (tmp_path / "CMakeLists.txt").write_text("project(x)\n", encoding="ascii")
    line = f'CONFIG_IDF_TARGET="{chip}"\n'
    (tmp_path / "sdkconfig.defaults").write_text(line, encoding="ascii")
    result = ram_of(tmp_path, idf="5.5")
    check_sums(result)
    assert not any(bar.not_explained for bar in result.memories)
    assert result.verdict.startswith("A forecast: ")
    assert "half of the 80 % band is" in result.notes[0]
    free = hs.predict(project=tmp_path, idf="5.5").states
    left = next(row for row in result.states if row.kind == "left")
    assert left.load is not None
    assert abs(left.load - free["load"].dram.median) <= 64
    again = difference_of(tmp_path, tmp_path, idf="5.5")
    assert (again.memories, again.states) == ((), ())


def test_a_project_of_another_system_is_refused_with_the_way(tmp_path: Path) -> None:
    (tmp_path / "prj.conf").write_text("CONFIG_NETWORKING=y\n", encoding="ascii")
    with pytest.raises(InputError, match="not built here, and no forecast of it") as error:
        ram_of(tmp_path)
    assert "build it" in error.value.remedy


LTO_MAP = """\
Memory Configuration

Name             Origin             Length             Attributes
RAM              0x20000000         0x00001000         xrw

Linker script and memory map

.data           0x20000000       0x20
 .data._ZN3app5cacheE
                0x20000000       0x10 C:\\Users\\My Name\\x\\cc{0}.ltrans0.ltrans.o
 .data.table.lto_priv.{1}
                0x20000010       0x10 /tmp/cc{0}.ltrans1.ltrans.o

.bss            0x20000020       0x40
 .bss._ZN4core5PANIC17h{2}E
                0x20000020       0x30 C:\\Users\\My Name\\target\\libcore-{2}.rlib(core.rcgu.o)
 COMMON         0x20000050       0x10 C:\\Users\\My Name\\lib\\libc.a(impure.o)
OUTPUT(app.elf elf32-littlearm)
"""


def test_names_of_an_optimised_program_are_those_of_the_next_build(tmp_path: Path) -> None:
    paths = [tmp_path / "a.map", tmp_path / "b.map"]
    for path, words in zip(paths, (("Xy12", 0, "aa"), ("Zz34", 3, "aa")), strict=True):
        path.write_text(LTO_MAP.format(*words), encoding="utf-8")
    result = ram_of(paths[0])
    check_sums(result)
    components = {part.component: part.total for part in result.static.components}
    assert components == {"(optimised whole)": 0x20, "libcore-aa.rlib": 0x30, "libc.a": 0x10}
    assert "table" in {part.symbol for part in result.static.symbols}
    again = difference_of(*paths)
    assert (again.components, again.symbols) == ((), ())


def test_a_stripped_elf_says_so(tmp_path: Path) -> None:
    data = bytearray(ELF.read_bytes())
    start, count = struct.unpack_from("<I", data, 32)[0], struct.unpack_from("<H", data, 48)[0]
    for number in range(count):
        at = start + 40 * number
        if struct.unpack_from("<I", data, at + 4)[0] == 2:  # the table of symbols
            struct.pack_into("<I", data, at + 4, 0)
    path = tmp_path / "app.elf"
    path.write_bytes(data)
    result = ram_of(path, chip="esp32", idf="5.5")
    check_sums(result)
    assert any("it was stripped" in note for note in result.notes)
