"""The module of Zephyr in the place of k_malloc and of the C library's arena: built by CMake with
options from the real Kconfig, against declarations as Zephyr's, linked as Zephyr links, and run on
a PC with a kernel that allocates as Zephyr's does."""

from __future__ import annotations

from pathlib import Path

import pytest

from heapscope.memory.layout.pool import POOL_BASE
from heapscope.native.single_heap import UNTIL_FULL, fill

from .conftest import tool
from .test_components import ROOT, STAND_INS, built, options

KCONFIG = ROOT / "device" / "zephyr" / "Kconfig"
#: Zephyr's own options that ours depend on.
OTHERS = "".join(
    f'config {name}\n    bool "{name}"\n' for name in ("COMMON_LIBC_MALLOC", "LTO", "USERSPACE")
)


def ran(cmake, folder: Path, program: str, choices: dict[str, str], *defined: str) -> str:
    chosen = options(KCONFIG, {"HEAPSCOPE": "y", **choices}, folder, OTHERS)
    text = (STAND_INS / "zephyr" / program).read_text(encoding="utf-8")
    more = ("-DKERNEL=ON", f"-DDEFINED={';'.join(defined)}")
    return built(cmake, text, folder, "zephyr", chosen, more)


@pytest.mark.slow
@pytest.mark.parametrize("release", ["", "TEST_ZEPHYR_OLD"], ids=["new", "old"])
def test_k_malloc_is_ours_and_a_thread_s_pool_stays_zephyr_s(
    cmake, tmp_path: Path, release: str
) -> None:
    stated = ran(cmake, tmp_path, "k_malloc_program.c", {"HEAPSCOPE_K_MALLOC": "y"}, release)
    assert stated == "free 1\n"


#: An array stands for the rest of the RAM: a macro gives it the name of the linker's symbol.
REST = ("CONFIG_SRAM_BASE_ADDRESS=((uintptr_t)_end)", "CONFIG_SRAM_SIZE=64", "_end=rest_of_ram")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("size", "defined", "expected"),
    [("20000", (), "1 0 1\n"), ("-1", REST, "1 1 1\n")],
    ids=["array", "rest"],
)
def test_the_arena_of_the_c_library_is_an_array_or_all_ram_that_is_left(
    cmake, tmp_path: Path, size: str, defined: tuple[str, ...], expected: str
) -> None:
    choices = {"HEAPSCOPE_LIBC_ARENA": "y", "HEAPSCOPE_LIBC_ARENA_SIZE": size}
    assert ran(cmake, tmp_path, "libc_program.c", choices, *defined) == expected


@pytest.mark.parametrize("system", ["COMMON_LIBC_MALLOC", "USERSPACE"])
def test_the_arena_of_the_c_library_is_not_offered_beside_zephyr_s(
    tmp_path: Path, system: str
) -> None:
    choices = {"HEAPSCOPE": "y", system: "y", "HEAPSCOPE_LIBC_ARENA": "y"}
    chosen = options(KCONFIG, choices, tmp_path, OTHERS).read_text("utf-8")
    assert f"CONFIG_{system}" in chosen
    assert 'CONFIG_HEAPSCOPE_LIBC_ARENA "' not in chosen


def test_k_malloc_is_not_offered_to_the_recorder_or_a_linker_that_cannot_wrap(
    tmp_path: Path,
) -> None:
    for number, other in enumerate(("HEAPSCOPE_RECORDER", "LTO")):
        folder = tmp_path / str(number)
        folder.mkdir()
        others = OTHERS + "config HEAP_LISTENER\n    bool\nconfig SYS_HEAP_LISTENER\n    bool\n"
        choices = {"HEAPSCOPE": "y", other: "y", "HEAPSCOPE_K_MALLOC": "y"}
        chosen = options(KCONFIG, choices, folder, others).read_text("utf-8")
        assert f"CONFIG_{other}" in chosen
        assert 'CONFIG_HEAPSCOPE_K_MALLOC "' not in chosen


@pytest.mark.parametrize("chip", ["riscv32-freestanding", "thumb-freestanding-eabi"])
def test_it_compiles_for_chips_without_a_warning(tmp_path: Path, chip: str) -> None:
    python = tool("python")
    stand_in = STAND_INS / "zephyr"
    glue = ROOT / "tests" / "device" / "recorder_glue" / "zephyr"
    compat = ROOT / "device" / "compat"
    folders = (ROOT / "device" / "include", compat / "arenas", compat / "libc", stand_in, glue)
    flags = [f"-I{folder}" for folder in folders]
    flags += ["-DCONFIG_SRAM_BASE_ADDRESS=0x20000000", "-DCONFIG_SRAM_SIZE=64"]
    flags += ["-DHS_LIBC_MEMORY=HS_LIBC_ASKED", "-Wall", "-Wextra", "-Wconversion", "-Werror"]
    for source in sorted((compat / "zephyr").glob("*.c")):
        zig = ("-m", "ziglang", "cc", "-target", chip, "-std=c11", "-Os", "-c", source)
        python(*zig, *flags, "-o", tmp_path / f"{source.stem}.o")


def blocks(allocator: str, size: int, block: int, most: int = UNTIL_FULL) -> int:
    row = fill(allocator, base=POOL_BASE, size=size, block=block, most=most)
    return 0 if row is None else row.blocks


def largest_of_system_heap(size: int) -> int:
    """A search by halves, as k_malloc.c does it."""
    least, most = 0, size
    while most - least > 8:
        middle = least + (most - least) // 2
        if blocks("sys_heap", size, middle, 1) == 1:
            least = middle
        else:
            most = middle
    return least


@pytest.mark.parametrize("size", [512, 4096, 16384, 65536, 300_000])
def test_a_search_by_halves_finds_the_largest_block_of_zephyr_s_heap(size: int) -> None:
    """It does where each smaller block is served, too, which holds in a heap without blocks."""
    sizes = range(1, size + 1, 1 + size // 20_000)
    served = [block for block in sizes if blocks("sys_heap", size, block, 1) == 1]
    assert served == list(sizes[: len(served)])
    result = largest_of_system_heap(size)
    assert blocks("sys_heap", size, result, 1) == 1
    assert blocks("sys_heap", size, result + 8, 1) == 0


def test_the_guide_s_counts_of_blocks_are_those_of_both_heaps() -> None:
    text = " ".join((ROOT / "docs" / "guide" / "zephyr.md").read_text("utf-8").split())
    size, reference = 16384, 4
    given = largest_of_system_heap(size)
    zephyr = [blocks("sys_heap", size, block + reference) for block in (24, 100)]
    ours = [blocks("heapscope", given, block) for block in (24, 100)]
    assert f"Zephyr serves {zephyr[0]} blocks of 24 bytes or {zephyr[1]} blocks of 100" in text
    assert f"Heapscope serves {ours[0]} or {ours[1]}," in text
