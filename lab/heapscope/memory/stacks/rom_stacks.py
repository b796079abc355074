"""The bytes of stack that functions in the ROM of a chip take with all that they call."""

from __future__ import annotations

import csv
import functools
import io
from collections.abc import Mapping
from importlib import resources
from typing import NamedTuple

from heapscope.base.zstd import ZstdDecompressor
from heapscope.memory.stacks.known_calls import CallTargets, HandedOver

#: Functions that the ROM's printf and heap may call instead of their own: those of esp_system's
#: usb_console.c, bootloader_support's bootloader_console.c and heap's multi_heap_poisoning.c, and
#: which a program hands to the ROM.
HOOKS = CallTargets(
    handed=(
        HandedOver("esp_rom_install_channel_putc", 1, ""),
        HandedOver("ets_install_putc1", 0, ""),
        HandedOver("ets_install_putc2", 0, ""),
    ),
    unless=(
        "esp_usb_console_write_char",
        "bootloader_console_write_char_usb",
        "multi_heap_internal_poison_fill_region",
    ),
)

#: Tables of functions that a program gives to the ROM, by the offset at which each begins:
#: components/newlib's newlib_init.c and components/heap's multi_heap.c.
GIVEN = {0: "s_stub_table", 0x1000: "multi_heap_os_funcs"}


class RomStack(NamedTuple):
    """`bytes`: at most, on any revision of the chip; `hooks`: they hold in a program
    without HOOKS; `given`: the functions of the program that it calls, each by its offset in
    GIVEN, with the depth."""

    bytes: int
    hooks: bool
    given: tuple[tuple[int, int], ...]


@functools.cache
def rom_stacks() -> Mapping[tuple[int, str], RomStack]:
    """By address and name, as the linker scripts of ESP-IDF and the ROMs have them. Where two chips
    have both alike, the larger one."""
    file = resources.files("heapscope.data") / "stacks/rom.zst"
    text = ZstdDecompressor().decompress(file.read_bytes()).decode("ascii")
    return {
        (int(row["address"], 16), row["function"]): RomStack(
            int(row["bytes"]), row["hooks"] == "1", _pairs(row["given"])
        )
        for row in csv.DictReader(io.StringIO(text))
    }


def _pairs(text: str) -> tuple[tuple[int, int], ...]:
    pairs = (pair.split(":") for pair in text.split())
    return tuple((int(offset), int(depth)) for offset, depth in pairs)
