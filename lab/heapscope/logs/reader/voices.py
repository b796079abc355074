"""Whose voice a log has: the system that prints lines in such a way, by those that tell facts."""

from __future__ import annotations

import re

from heapscope.native.log import Fact

ESP_IDF, ZEPHYR, RUST, PYTHON, NUTTX, THREADX, FREERTOS = (
    "ESP-IDF", "Zephyr", "Rust", "MicroPython", "NuttX", "ThreadX", "FreeRTOS",
)  # fmt: skip
#: Systems by a line without its prefix of time and level, the more certain first.
_LINES = (
    (ZEPHYR, re.compile(r"<(?:err|wrn|inf|dbg)> |\bk_malloc|\bk_heap_alloc")),
    (PYTHON, re.compile(r"\bgc\.mem_|\bOSError: |\bMemoryError\b|micropython\.|circuitpython")),
    (RUST, re.compile(r"(?:WARN|INFO|ERROR|DEBUG|TRACE) - |memory allocation of |panicked at ")),
    (NUTTX, re.compile(r"\bmm_(?:malloc|realloc|memalign|free)\b|\bnsh>|mm_heap/")),
    (THREADX, re.compile(r"\b[tn]x_[a-z_]+|\b[TN]X_NO_|NetX|ThreadX")),
    (ESP_IDF, re.compile(r"heap_caps_|MALLOC_CAP_|\besp_|\bESP_|\bESP\.|Guru Meditation"
                         r"|\[[VDIWE]\]\[|\bps_malloc|multi_heap|tlsf|abort\(\) was called at PC")),
    (FREERTOS, re.compile(r"pvPortMalloc|MallocFailedHook|StackOverflowHook|configTOTAL_HEAP_SIZE"
                          r"|\bxPortGet|\bvTask|\*\*\* PANIC")),
)  # fmt: skip
_MOST = 2000  # lines that are listened to
#: Systems by kinds of facts that they alone print.
_KINDS = dict.fromkeys((
    "boot_region", "summary", "region", "totals", "trace", "dump", "abort_request", "ovms",
    "wifi_buffer", "wifi_frame", "wifi_rx", "psram_pool", "range_free",
), ESP_IDF) | {
    "zephyr_heap": ZEPHYR, "nuttx_free": NUTTX, "nuttx_heap": NUTTX, "nuttx_task": NUTTX,
    "meminfo": PYTHON, "tuple": PYTHON,
}  # fmt: skip


class Voices:
    """Takes the facts in order."""

    def __init__(self) -> None:
        self._heard: set[str] = set()
        self._lines = 0

    def take(self, fact: Fact) -> None:
        if fact.kind in _KINDS:
            self._heard.add(_KINDS[fact.kind])
        elif fact.uptime is not None or fact.arduino:
            self._heard.add(ESP_IDF)
        self._lines += 1
        for system, line in _LINES if self._lines < _MOST else ():
            if system not in self._heard and line.search(fact.quote):
                self._heard.add(system)
                break

    @property
    def system(self) -> str:
        """The most certain of them; empty: none was heard."""
        return next((system for system, _ in _LINES if system in self._heard), "")
