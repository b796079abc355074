"""Names and help of the options that choose a layout, the same for every verb."""

from __future__ import annotations

from typing import Any

import typer

__all__ = [
    "ALLOCATOR",
    "BOOT_LOG",
    "CHIP",
    "CORES",
    "ELF",
    "IDF",
    "IRAM_8BIT",
    "LAYOUT",
    "MAP",
    "MEMPROT",
    "PLACE",
    "POOL",
    "PSRAM",
    "PSRAM_RESERVE",
    "PSRAM_THRESHOLD",
    "RTC",
    "SDKCONFIG",
    "STATIC_DRAM",
    "STATIC_IRAM",
]


def _option(name: str, metavar: str, help_text: str) -> Any:
    return typer.Option(name, metavar=metavar, help=help_text, show_default=False)


CHIP = _option("--chip", "C", "Chip whose memory is replayed, for example esp32.")
IDF = _option("--idf", "V", "ESP-IDF version: 4.2, 4.3, 5.5 (default), 6.0 (development branch).")
BOOT_LOG = _option(
    "--boot-log", "F", "Boot log of a real device: its heap_init lines are the regions."
)
SDKCONFIG = _option(
    "--sdkconfig", "F", "The firmware's sdkconfig: of it, heap poisoning and task tracking."
)
CORES = _option("--cores", "1|2", "Cores in use (all of the chip's).")
STATIC_DRAM = _option("--static-dram", "BYTES", "Static data in DRAM; moves the heap's start.")
STATIC_IRAM = _option("--static-iram", "BYTES", "Code in IRAM; moves the heap's start.")
ELF = _option("--elf", "F", "The firmware's ELF: its static RAM, and where its heap starts.")
MAP = _option("--map", "F", "The same from its linker map, which tells components too.")
PSRAM = _option("--psram", "SIZE", "External memory in the heap, for example 4MB.")
PSRAM_THRESHOLD = _option(
    "--psram-threshold",
    "BYTES/off",
    "malloc goes to PSRAM first above it (16384); off: only requests that ask for SPIRAM do.",
)
PSRAM_RESERVE = _option(
    "--psram-reserve",
    "BYTES",
    "Internal memory that is reserved for DMA when malloc uses PSRAM (32768).",
)
RTC = _option("--rtc", "on/off", "RTC fast memory is heap (as in a default build).")
MEMPROT = _option(
    "--memprot", "on/off", "Memory protection (as in a default build); off: heap memory has EXEC."
)
IRAM_8BIT = _option(
    "--iram-8bit", "on/off", "Byte access to IRAM, on an ESP32 with one core (off)."
)
LAYOUT = _option("--layout", "F.toml", "Regions from a layout file.")
POOL = _option("--pool", "BYTES", "One pool of this size (262144, 0x40000, 256KB); idf-5.5.")
ALLOCATOR = _option(
    "--allocator",
    "[REGION=]A",
    "Allocator of every region, or of one: idf-4.2+light, D/IRAM=tlsf; several with commas.",
)
PLACE = _option(
    "--place", "RULES.toml", "Send tasks, sizes, sites or heaps to regions and private heaps; none."
)
