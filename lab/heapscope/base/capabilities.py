"""Capabilities of memory: ESP-IDF's bits (components/heap/include/esp_heap_caps.h) by name.

Values as in v5.5 and later; v4.2 has those up to IRAM_8BIT, at the same places. SPM was once called
TCM. Use as `capabilities.parse(text)`, `capabilities.of_request(bits)`.
"""

from __future__ import annotations

import re

from heapscope.base.choices import did_you_mean
from heapscope.base.errors import InputError
from heapscope.base.printable import printable

CAPABILITIES: dict[str, int] = {
    "EXEC": 1 << 0,
    "32BIT": 1 << 1,
    "8BIT": 1 << 2,
    "DMA": 1 << 3,
    "PID2": 1 << 4,
    "PID3": 1 << 5,
    "PID4": 1 << 6,
    "PID5": 1 << 7,
    "PID6": 1 << 8,
    "PID7": 1 << 9,
    "SPIRAM": 1 << 10,
    "INTERNAL": 1 << 11,
    "DEFAULT": 1 << 12,
    "IRAM_8BIT": 1 << 13,
    "RETENTION": 1 << 14,
    "RTCRAM": 1 << 15,
    "SPM": 1 << 16,
    "DMA_DESC_AHB": 1 << 17,
    "DMA_DESC_AXI": 1 << 18,
    "CACHE_ALIGNED": 1 << 19,
    "SIMD": 1 << 20,
    "SPIRAM_NO_ENC": 1 << 21,
}

EXEC = CAPABILITIES["EXEC"]
WORD = CAPABILITIES["32BIT"]
EIGHT_BIT = CAPABILITIES["8BIT"]
DMA = CAPABILITIES["DMA"]
SPIRAM = CAPABILITIES["SPIRAM"]
IRAM_EIGHT_BIT = CAPABILITIES["IRAM_8BIT"]
INTERNAL = CAPABILITIES["INTERNAL"]
DEFAULT = CAPABILITIES["DEFAULT"]
MALLOC = "malloc"  #: the text in place of capabilities for malloc's own rule
ALL = (1 << 31) - 1  #: every bit but MALLOC_CAP_INVALID, those without a name included

_ALIASES = {"TCM": "SPM"}
_SEPARATORS = re.compile(r"[|,+]")
_NUMBER = re.compile(r"0x[0-9a-f]{1,8}|[0-9]{1,10}", re.ASCII | re.IGNORECASE)


def parse(text: str) -> int:
    """Bits of "8BIT|DMA" ("," and "+" serve as well, MALLOC_CAP_ may stand in front) or of a number
    such as 0x1804; "" and "0" are no bits. InputError names what is unknown, and all valid
    names."""
    bits = 0
    for part in filter(None, (part.strip() for part in _SEPARATORS.split(text))):
        bits |= _one(part)
    return bits


def format(bits: int) -> str:
    """ "8BIT|DMA"; bits without a name as one number at the end; "0" for none."""
    names = [name for name, bit in CAPABILITIES.items() if bits & bit]
    nameless = bits & ~sum(CAPABILITIES.values())
    return "|".join([*names, *([f"{nameless:#x}"] if nameless else [])]) or "0"


def of_request(bits: int) -> str:
    """The same of a request, which without capabilities is for malloc's own rule."""
    return format(bits) if bits else MALLOC


def _one(part: str) -> int:
    name = part.upper().removeprefix("MALLOC_CAP_")
    name = _ALIASES.get(name, name)
    if name in CAPABILITIES:
        return CAPABILITIES[name]
    if _NUMBER.fullmatch(part):
        bits = int(part, 16 if part[:2].lower() == "0x" else 10)
        if bits <= ALL:
            return bits
    raise _unknown(part, name)


def _unknown(part: str, name: str) -> InputError:
    hint = did_you_mean(name, CAPABILITIES)
    return InputError(
        f"unknown capability '{printable(part)}'",
        remedy=f"{hint}valid: {', '.join(CAPABILITIES)}, joined with | or commas",
    )
