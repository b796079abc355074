"""Ends of heap regions that are not in the chips' memory maps: memory that some builds, or some
revisions of a chip, keep from the heap."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Border:
    chip: str
    address: int  # at which regions end
    why: str


_ESP32 = "components/heap/port/esp32/memory_layout.c"
_BT = "Bluetooth (components/bt/controller/esp32/bt.c)"

BORDERS = (
    Border(chip="esp32", address=0x3FFB_0000, why=_BT + " or static data"),
    Border(chip="esp32", address=0x3FFB_8000, why=_BT),
    Border(chip="esp32", address=0x3FFB_DB28, why=_BT),
    Border(chip="esp32", address=0x3FFB_DB60, why="static data behind " + _BT),
    Border(chip="esp32", address=0x3FFE_3F20, why=f"data of the ROM's second core ({_ESP32})"),
    Border(
        chip="esp32",
        address=0x3FFE_4000,
        why="data of the ROM's second core before v3.3 (inferred)",
    ),
    Border(chip="esp32", address=0x3FFF_8000, why=f"trace memory ({_ESP32})"),
    Border(chip="esp32", address=0x4008_0000, why="the second core's cache, free with one core"),
    Border(
        chip="esp32c3",
        address=0x3FCD_F260,
        why="data of the ROM in another chip revision (inferred)",
    ),
    Border(
        chip="esp32s3",
        address=0x600F_FFF0,
        why="16 bytes of RTC memory that 4.4-dev keeps (inferred)",
    ),
)


def border_at(chip: str, address: int) -> Border | None:
    return next((one for one in BORDERS if (one.chip, one.address) == (chip, address)), None)
