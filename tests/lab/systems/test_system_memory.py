"""`--system`: the heap of a firmware that is not of ESP-IDF."""

from __future__ import annotations

import csv
import random
from pathlib import Path

import pytest

import heapscope
from heapscope.base.errors import InputError
from heapscope.memory.layout.layout import Layout
from heapscope.memory.system_memory import system_memory
from heapscope.memory.systems.system import cost_of, find_system, system_names
from heapscope.native.library import find_allocator

ROOT = Path(__file__).resolve().parents[3]


def _map(memory: str, section: str, symbols: str, *, size: int = 0x100) -> str:
    return f"""\
Memory Configuration

Name             Origin             Length             Attributes
{memory}

Linker script and memory map

{section}
{symbols}
OUTPUT(app.elf elf32-littlearm)
"""


RAM = "RAM              0x20000000         0x00008000         xrw"
STM32 = _map(
    RAM,
    ".bss            0x20000000      0x410\n .bss.state     0x20000000        0x8 app.o\n"
    " .bss.__malloc_free_list\n                0x20000008        0x4 libc_nano.a(malloc.o)\n"
    " COMMON         0x2000000c      0x404 app.o",
    "                0x00000400                _Min_Stack_Size = 0x400\n"
    "                0x20008000                _estack = (ORIGIN (RAM) + LENGTH (RAM))\n"
    "                0x20000410                _end = .",
)
PICO = _map(
    "RAM              0x20000000         0x00040000         xrw\n"
    "SCRATCH_Y        0x20041000         0x00001000         xrw",
    ".bss            0x20000100      0x500\n .bss.__malloc_av_\n"
    "                0x20000100      0x408 libc.a(mallocr.o)\n COMMON  0x20000508  0xf8 app.o",
    "                0x20000600                end = .\n"
    "                0x20040000                __StackLimit = (ORIGIN (RAM) + LENGTH (RAM))",
)
THREADX = _map(
    RAM,
    ".bss            0x20000000     0x5000\n .bss.nx_byte_pool_buffer\n"
    "                0x20000000     0x3000 app.o\n .bss.tx_byte_pool_buffer\n"
    "                0x20003000     0x2000 app.o",
    "",
)
RUST = _map(
    RAM,
    ".bss            0x20000000     0x1010\n .bss._ZN3app4HEAP17h0123456789abcdefE\n"
    "                0x20000000       0x10 app.o\n .bss._ZN3app4main8HEAP_MEM17h0123456789abcdefE\n"
    "                0x20000010     0x1000 app.o",
    "",
)


def layout_of(system: str, recorded: str = "", **options: object) -> Layout:
    given = {"system": system, **options}
    return system_memory(given, {"allocator": recorded}).layout  # type: ignore[arg-type]


def written(tmp_path: Path, text: str, name: str = "app.map") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8", newline="\n")
    return path


def test_every_system_names_allocators_that_have_models() -> None:
    for name in system_names():
        system = find_system(name)
        assert system.allocator in system.candidates
        for allocator in system.candidates:
            assert find_allocator(allocator) == allocator, (name, allocator)


def test_the_bounds_of_our_heap_are_those_that_were_derived() -> None:
    rows = csv.reader((ROOT / "docs/reference/device.csv").read_text().splitlines())
    figures = {
        row[0]: int(row[1]) for row in rows if row and row[0].startswith(("bounds/", "heap/"))
    }
    cost = cost_of("heapscope")
    assert (cost.malloc, cost.free, cost.code) == (
        figures["bounds/heap/malloc"],
        figures["bounds/heap/free"],
        figures["heap/rv32imc"],
    )


@pytest.mark.parametrize(
    ("system", "text", "heap"),
    [
        ("stm32", STM32, (0x20000410, 0x8000 - 0x410 - 0x400, "newlib-nano")),
        ("arduino", STM32, (0x20000410, 0x8000 - 0x410 - 0x400, "newlib-nano")),
        ("pico", PICO, (0x20000600, 0x40000 - 0x600, "newlib")),
        ("threadx", THREADX, (0x20003000, 0x2000, "threadx")),
        ("rust", RUST, (0x20000010, 0x1000, "linked_list_allocator")),
        ("esp-hal", RUST, (0x20000010, 0x1000, "esp-alloc")),
    ],
)
def test_a_map_tells_the_heap(
    tmp_path: Path, system: str, text: str, heap: tuple[int, int, str]
) -> None:
    (region,) = layout_of(system, map=written(tmp_path, text)).regions
    assert (region.start, region.size, region.allocator) == heap


def test_the_heap_of_nuttx_begins_behind_the_idle_stack(tmp_path: Path) -> None:
    text = _map(
        RAM, ".bss  0x20000000  0x100\n .bss  0x20000000  0x100 a.o", "  0x20000100  _ebss = ."
    )
    file = written(tmp_path, text)
    config = written(tmp_path, "CONFIG_IDLETHREAD_STACKSIZE=1024\n", ".config")
    (region,) = layout_of("nuttx", map=file, config=config).regions
    assert (region.start, region.end) == (0x20000500, 0x20008000)
    assert any("idle thread" in note for note in layout_of("nuttx", map=file).notes)


def test_a_map_without_memories_needs_the_configuration_of_nuttx(tmp_path: Path) -> None:
    text = _map(
        "", ".bss  0x20000000  0x100\n .bss  0x20000000  0x100 a.o", "  0x20000100  _ebss = ."
    )
    file = written(tmp_path, text)
    with pytest.raises(InputError, match="which the file does not tell"):
        layout_of("nuttx", map=file)
    config = written(tmp_path, "CONFIG_RAM_START=0x20000000\nCONFIG_RAM_SIZE=32768\n", ".config")
    (region,) = layout_of("nuttx", map=file, config=config).regions
    assert (region.start, region.end) == (0x20000100, 0x20008000)


def test_several_heaps_of_esp_hal_stand_by_address(tmp_path: Path) -> None:
    second = RUST.replace("0x1010", "0x2010").replace(
        "0x1000 app.o",
        "0x1000 app.o\n .bss._ZN3app5other4HEAP17h1123456789abcdefE\n"
        "                0x20001010     0x1000 app.o",
    )
    layout = layout_of("esp-hal", map=written(tmp_path, second))
    assert [region.start for region in layout.regions] == [0x20000010, 0x20001010]
    assert any("order in which they are added" in note for note in layout.notes)
    rust = layout_of("rust", map=written(tmp_path, second))
    assert len(rust.regions) == 1
    assert any("left out" in note for note in rust.notes)


def test_a_map_whose_memory_holds_no_heap_is_an_error(tmp_path: Path) -> None:
    full = STM32.replace("0x00000400 ", "0x00007fc0 ").replace("= 0x400", "= 0x7fc0")
    with pytest.raises(InputError, match="does not hold it"):
        layout_of("stm32", map=written(tmp_path, full))
    with pytest.raises(InputError, match="no heap of ThreadX"):
        layout_of("threadx", map=written(tmp_path, STM32))


@pytest.mark.parametrize(
    ("text", "size", "allocator"),
    [
        ("CONFIG_HEAP_MEM_POOL_SIZE=16384\n", 16384, "zephyr-k_malloc"),
        ("CONFIG_HEAP_MEM_POOL_SIZE=0x4000\n", 16384, "zephyr-k_malloc"),
        ("CONFIG_HEAP_MEM_POOL_SIZE=016384 # note\n", 16384, "zephyr-k_malloc"),
        (
            "CONFIG_HEAP_MEM_POOL_SIZE=100\nCONFIG_HEAP_MEM_POOL_ADD_SIZE_A=300\n"
            "CONFIG_HEAP_MEM_POOL_ADD_SIZE_B=200\n",
            500,
            "zephyr-k_malloc",
        ),
        (
            "CONFIG_HEAP_MEM_POOL_SIZE=100\nCONFIG_HEAP_MEM_POOL_ADD_SIZE_A=300\n"
            "CONFIG_HEAP_MEM_POOL_IGNORE_MIN=y\n",
            100,
            "zephyr-k_malloc",
        ),
        ("CONFIG_COMMON_LIBC_MALLOC_ARENA_SIZE=4096\n", 4096, "zephyr-malloc"),
    ],
)
def test_a_configuration_of_zephyr_tells_the_heap(
    tmp_path: Path, text: str, size: int, allocator: str
) -> None:
    (region,) = layout_of("zephyr", config=written(tmp_path, text, "prj.conf")).regions
    assert (region.size, region.allocator) == (size, allocator)


def test_the_interface_of_a_recording_picks_the_model() -> None:
    (region,) = layout_of("zephyr", "Zephyr k_heap (k_heap_alloc)", pool="16KB").regions
    assert region.allocator == "sys_heap"
    (region,) = layout_of("zephyr", "ESP-IDF", pool="16KB").regions
    assert region.allocator == "zephyr-k_malloc"


def test_the_last_of_two_values_counts_and_a_note_says_so(tmp_path: Path) -> None:
    text = "CONFIG_HEAP_MEM_POOL_SIZE=8192\nCONFIG_HEAP_MEM_POOL_SIZE=4096\n"
    layout = layout_of("zephyr", config=written(tmp_path, text, "prj.conf"))
    assert layout.regions[0].size == 4096
    assert "8192 in line 1 and 4096 in line 2" in layout.notes[0]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "CONFIG_HEAP_MEM_POOL_SIZE=many\n",
            "line 1: CONFIG_HEAP_MEM_POOL_SIZE=many is not a size",
        ),
        ("CONFIG_HEAP_MEM_POOL_SIZE=65536\nCONFIG_SRAM_SIZE=32\n", "the memory 32,768"),
        ("CONFIG_HEAP_MEM_POOL_SIZE=0\n", "no such heap"),
        ("CONFIG_HEAP_MEM_POOL_SIZE=99999999999\n", "is not a size"),
        ("nothing\n", "no option in it"),
        ("", "no option in it"),
    ],
)
def test_a_wrong_configuration_is_named(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        layout_of("zephyr", config=written(tmp_path, text, "prj.conf"))


def test_bytes_of_chance_are_no_configuration(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    path = tmp_path / "prj.conf"
    for _ in range(200):
        parts = [b"CONFIG_HEAP_MEM_POOL_SIZE=", rng.randbytes(rng.randrange(12)), b"\n"]
        path.write_bytes(b"".join(rng.choices(parts, k=5)))
        try:
            layout_of("zephyr", config=path)
        except InputError:
            continue


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"system": "zefyr"}, "unknown system 'zefyr'"),
        ({"system": "zephyr", "pool": "1KB", "idf": "5.5"}, "--system zephyr and --idf"),
        ({"system": "zephyr", "pool": "1KB", "sdkconfig": "F"}, "--system zephyr and --sdkconfig"),
        ({"system": "stm32", "pool": "1KB", "chip": "esp32"}, "--system stm32 and --chip"),
        ({"system": "stm32"}, "alone does not say how large"),
        ({"system": "stm32", "elf": "a", "map": "b"}, "--elf and --map"),
        ({"system": "stm32", "pool": "1KB", "map": "b"}, "--pool and --map"),
        ({"system": "stm32", "config": "b"}, "has no configuration"),
        ({"system": "zephyr", "pool": "1KB,2KB"}, "2 sizes, and Zephyr has one heap"),
        ({"system": "esp-hal", "pool": "1K,1K,1K,1K"}, "at most 3 heaps"),
        ({"system": "esp-hal", "pool": "x=1KB"}, "'x' is not a memory"),
        ({"system": "esp-hal", "pool": "reclaimed=1KB"}, "depends on the chip"),
        (
            {"system": "esp-hal", "chip": "esp32c6", "pool": "reclaimed=65KB"},
            "the esp32c6 has 65,536 to be reclaimed",
        ),
        ({"system": "esp-hal", "pool": "64KB", "load": "zigbee"}, "figures of wifi and ap"),
        ({"config": "F"}, "--config without --system"),
    ],
)
def test_options_that_contradict_are_named(
    long_trace: Path, options: dict[str, str], words: str
) -> None:
    with pytest.raises(InputError, match=words):
        heapscope.replay(long_trace, **options)  # type: ignore[call-overload]


def test_heaps_of_esp_hal_are_asked_in_the_order_in_which_they_are_added() -> None:
    layout = layout_of(
        "esp-hal", chip="esp32c3", pool="reclaimed=64KB,36KB", psram="2MB", load="wifi"
    )
    assert [region.size for region in layout.regions] == [64 << 10, 36 << 10, 2 << 20]
    assert layout.regions[0].start == 0x3FCCE400
    assert sum(tenant.size * tenant.count for tenant in layout.tenants) == 57 << 10


def test_the_radio_is_in_the_heap_before_the_first_event(long_trace: Path) -> None:
    free, busy = (
        heapscope.replay(long_trace, system="esp-hal", pool="4MB", load=load)
        for load in (None, "wifi")
    )
    assert busy.regions[0].peak_payload - free.regions[0].peak_payload == 57 << 10
