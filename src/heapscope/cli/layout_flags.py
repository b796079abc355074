"""Names and help of the options that choose a layout, the same for every verb."""

from __future__ import annotations

from typing import Any

import typer

__all__ = [
    "ALLOCATOR",
    "BOOT_LOG",
    "CHIP",
    "CORES",
    "IDF",
    "LAYOUT",
    "POOL",
    "STATIC_DRAM",
    "STATIC_IRAM",
]


def _option(name: str, metavar: str, help_text: str) -> Any:
    return typer.Option(name, metavar=metavar, help=help_text, show_default=False)


CHIP = _option("--chip", "C", "Chip whose memory is replayed, for example esp32.")
IDF = _option("--idf", "V", "ESP-IDF version, for example 5.5 (the default with a chip).")
BOOT_LOG = _option(
    "--boot-log", "F", "Boot log of a real device: its heap_init lines are the regions."
)
CORES = _option("--cores", "1|2", "Cores in use (2).")
STATIC_DRAM = _option("--static-dram", "BYTES", "Static data in DRAM; moves the heap's start.")
STATIC_IRAM = _option("--static-iram", "BYTES", "Code in IRAM; moves the heap's start.")
LAYOUT = _option("--layout", "F.toml", "Regions from a layout file.")
POOL = _option("--pool", "BYTES", "One pool of this size (262144, 0x40000, 256KB); idf-5.5.")
ALLOCATOR = _option("--allocator", "A", "Allocator of every region, for example idf-4.2+light.")
