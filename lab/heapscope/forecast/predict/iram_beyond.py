"""Code of the ESP32 behind the end of its IRAM, in SRAM1.

A build with CONFIG_ESP_SYSTEM_ESP32_SRAM1_REGION_AS_IRAM may have more code than the 128 KB of
IRAM. The rest lies in SRAM1, whose addresses for code run against those for data: it is the upper
end of the D/IRAM that the heap does not get (the linker's `_heap_end`). A build whose code
fits has all of SRAM1 as heap, with the option or without it.
"""

from __future__ import annotations

from statistics import NormalDist

#: SRAM1 that the linker lets code have: SRAM1_IRAM_LEN of esp_system/ld/esp32/memory.ld.in.
MOST_BEYOND = 0xA000
_NORMAL = NormalDist()


def code_beyond(more: float, deviation: float) -> tuple[float, float]:
    """Bytes of SRAM1 that code takes: those of five of six cases, and what is expected besides.
    `more`: the code less the size of IRAM; `deviation`: its standard deviation."""
    if not deviation:
        return min(max(0.0, more), MOST_BEYOND), 0.0
    score = more / deviation
    expected = more * _NORMAL.cdf(score) + deviation * _NORMAL.pdf(score)
    sure = min(max(0.0, more - deviation), MOST_BEYOND)
    return sure, max(0.0, min(expected, MOST_BEYOND) - sure)
