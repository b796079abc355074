"""Programs without an SDK that is known: a sketch of another core, and bare code for a chip."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.lab.ram.ram_of import ram_of
from tests.lab.ram.test_ram_answer import ELF, check_sums
from tests.lab.ram.test_ram_things import MAP
from tests.lab.static.test_static_image import esp32

from heapscope.memory.static.uses import uses_of

#: The core of the ESP8266 writes it so. Its addresses are RAM of an ESP32, too.
ESP8266 = """\
Memory Configuration

Name             Origin             Length             Attributes
dport0_0_seg     0x3ff00000         0x00000010
dram0_0_seg      0x3ffe8000         0x00014000
iram1_0_seg      0x40100000         0x00008000
irom0_0_seg      0x40201010         0x000feff0
*default*        0x00000000         0xffffffff

Linker script and memory map

.data           0x3ffe8000      0x100
 .data.mode     0x3ffe8000      0x100 n:\\work\\sketch\\Light.ino.cpp.o

.text1          0x40100000      0x800
 .text1         0x40100000      0x800 C:\\core\\libpp.a(pp.o)

.bss            0x3ffe8100      0x300
 .bss.umm_heap  0x3ffe8100      0x300 C:\\core\\core.a(umm_malloc.o)
                0x3ffe8400                _heap_start = ABSOLUTE (.)
OUTPUT(Light.ino.elf elf32-xtensa-le)
"""
#: With a top of the stack, and with newlib's malloc in front of it.
STACK = "                0x20004000                _estack = (ORIGIN (RAM) + LENGTH (RAM))\nOUTPUT"


def sketch(tmp_path: Path) -> Path:
    build = tmp_path / "build"
    build.mkdir()
    (tmp_path / "Light.ino").write_text("void setup() {}\n", encoding="ascii")
    (build / "build.options.json").write_text("{}", encoding="ascii")
    return build


def test_a_sketch_of_another_core_has_the_memories_of_its_linker_script(tmp_path: Path) -> None:
    build = sketch(tmp_path)
    (build / "Light.ino.elf").write_bytes(ELF.read_bytes())
    (build / "Light.ino.map").write_text(ESP8266, encoding="ascii")
    assert not uses_of(build / "Light.ino.map")  # and no chip is taken for it
    result = ram_of(build / "Light.ino.map")
    check_sums(result)
    assert [(bar.memory, bar.bytes) for bar in result.memories] == [
        ("dram0_0_seg", 0x14000),
        ("iram1_0_seg", 0x8000),
    ]
    assert [bar.unused for bar in result.memories] == [0x14000 - 0x400, 0x8000 - 0x800]
    assert not any(bar.not_explained for bar in result.memories)


def test_the_image_of_a_sketch_comes_before_its_copies(tmp_path: Path) -> None:
    build = sketch(tmp_path)
    image = esp32(bluetooth=False)
    (build / "Light.ino.bin").write_bytes(image)
    (build / "Light.ino_flashed.bin").write_bytes(image)
    assert ram_of(tmp_path).files == (str(build / "Light.ino.bin"),)


@pytest.mark.parametrize("name", ["__malloc_free_list", "__malloc_av_", "heap_end.0"])
def test_a_linked_malloc_has_what_is_behind_the_program(tmp_path: Path, name: str) -> None:
    text = MAP.replace("__HeapLimit", "limit").replace("__StackLimit", "low")
    text = text.replace(".heap ", ".text3 ").replace("__StackTop = ", "top = ")
    text = text.replace(".text3           0x20000800     0x3000\n", "").replace("OUTPUT", STACK)
    path = tmp_path / "app.map"
    path.write_text(text, encoding="ascii")
    without = ram_of(path).memories[1]
    assert (without.heap, without.unused) == (0, 0x3800)
    path.write_text(text.replace(".bss.state", f".bss.{name}"), encoding="ascii")
    result = ram_of(path)
    check_sums(result)
    assert (result.memories[1].heap, result.memories[1].unused) == (0x3800, 0)
    assert "the main stack grows down in the heap's memory" in result.notes


def test_a_program_without_the_list_of_heaps_has_no_heap_of_esp_idf() -> None:
    result = ram_of(ELF, chip="esp32")
    check_sums(result)
    assert not result.idf
    assert not any(bar.heap or bar.not_explained for bar in result.memories)
    assert "a program without the heap of ESP-IDF" in " ".join(result.notes)
    assert ram_of(ELF, chip="esp32", idf="5.5").idf == "5.5"


def test_a_release_that_nothing_names_is_in_a_note(tmp_path: Path) -> None:
    path = tmp_path / "app.elf"
    path.write_bytes(ELF.read_bytes().replace(b"g_wifi_rx_buffers", b"registered_heaps\0"))
    result = ram_of(path, chip="esp32")
    assert result.idf
    assert f"no file names the release: {result.idf} is taken" in result.notes
    assert not any("no file names" in note for note in ram_of(path, chip="esp32", idf="5.1").notes)
