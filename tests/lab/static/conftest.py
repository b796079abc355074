"""Firmware of the tests' own: as an ELF, as a linker map and as the JSON of esp-idf-size."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]

MAP = """\
Archive member included to satisfy reference by file (symbol)

esp-idf/net/libnet.a(wifi.c.obj)
                              (wifi_start)

Discarded input sections

 .bss.gone      0x0000000000000000     0x4000 esp-idf/net/libnet.a(wifi.c.obj)

Memory Configuration

Name             Origin             Length             Attributes
iram0_0_seg      0x0000000040080000 0x0000000000020000 xr
dram0_0_seg      0x000000003ffb0000 0x000000000002c200 rw
*default*        0x0000000000000000 0xffffffffffffffff

Linker script and memory map

LOAD esp-idf/net/libnet.a
                0x0000000000000000                IDF_TARGET_ESP32 = 0x0

.rtc.text       0x00000000400c0000        0x0
                0x00000000400c0000                . = ALIGN (0x4)

.rtc.data       0x0000000050000000       0x10
 *(.rtc.data .rtc.data.*)
 .rtc.data.boots
                0x0000000050000000       0x10 esp-idf/main/libmain.a(main.c.obj)

.iram0.text     0x0000000040080000      0x404
                0x0000000040080000                _iram_start = ABSOLUTE (.)
 *(.iram1 .iram1.*)
 .iram1.0.literal
                0x0000000040080000        0x4 esp-idf/net/libnet.a(wifi.c.obj)
                                          0x8 (size before relaxing)
 .iram1.0       0x0000000040080004      0x3fe esp-idf/net/libnet.a(wifi.c.obj)
                0x0000000040080004                wifi_interrupt
 *fill*         0x0000000040080402        0x2
                0x0000000040080404                _iram_end = ABSOLUTE (.)

.dram0.data     0x000000003ffb0000       0x30
 *(.data .data.*)
 .data.table    0x000000003ffb0000       0x20 esp-idf/net/libnet.a(wifi.c.obj)
                0x000000003ffb0000                table
 .rodata.str1.4
                0x000000003ffb0020        0xc CMakeFiles/app.elf.dir/project elf.c.obj
                0x000000003ffb002c        0x4 LONG 0x1234

.dram0.bss      0x000000003ffb0030      0x3d0
 .bss.s_cache   0x000000003ffb0030      0x190 esp-idf/main/libmain.a(main.c.obj)
 COMMON         0x000000003ffb01c0       0x40 esp-idf/net/libnet.a(wifi.c.obj)
                0x000000003ffb01c0                shared_thing
 .bss           0x000000003ffb0200      0x200 esp-idf/net/libnet.a(old.c.obj)
                0x000000003ffb0400                _bss_end = ABSOLUTE (.)

.dram0.heap_start
                0x000000003ffb0400        0x0
                0x000000003ffb0400                . = ALIGN (0x8)
                0x000000003ffb0408                _heap_start = ABSOLUTE (.)

.flash.text     0x00000000400d0020    0x10000
 .text.big      0x00000000400d0020    0x10000 esp-idf/main/libmain.a(main.c.obj)

.debug_info     0x0000000000000000    0x99999
 .debug_info    0x0000000000000000    0x99999 esp-idf/main/libmain.a(main.c.obj)

Cross Reference Table
"""

SOURCE = """\
unsigned char zero[1000];
unsigned data[10] = {1};
__attribute__((section(".iram1.0"), noinline)) unsigned hot(unsigned x)
{
    return zero[x] + data[x % 10];
}
unsigned _start(unsigned x)
{
    zero[x] = (unsigned char)x;
    data[x % 10] = x;
    return hot(x);
}
"""


@pytest.fixture
def map_file(tmp_path: Path) -> Path:
    """A linker map with every form of line there is."""
    path = tmp_path / "app.map"
    path.write_text(MAP, encoding="utf-8", newline="\n")
    return path


@pytest.fixture(scope="session")
def firmware() -> Path:
    """The ELF that ships with the repository."""
    return ROOT / "studies" / "workloads" / "static" / "firmware.elf"


Link = Callable[[str], Path]


@pytest.fixture
def link(tmp_path: Path) -> Link:
    """link(SCRIPT): SOURCE as a RISC-V ELF, linked by this script."""

    def make(script: str) -> Path:
        source, linker, out = (tmp_path / name for name in ("a.c", "a.ld", "a.elf"))
        source.write_text(SOURCE, encoding="ascii")
        linker.write_text(script, encoding="ascii")
        flags = "-target riscv32-freestanding-none -mcpu=generic_rv32+m -Os -g -nostdlib"
        command = [sys.executable, "-m", "ziglang", "cc", *flags.split(), "-ffreestanding"]
        command += ["-fno-sanitize=all", f"-Wl,-T,{linker}", "-o", str(out), str(source)]
        subprocess.run(command, check=True)
        return out

    return make
