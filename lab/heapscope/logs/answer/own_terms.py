"""Advice in the terms of the system that a log is of."""

from __future__ import annotations

from collections.abc import Iterator

from heapscope.base.wording import size
from heapscope.logs.answer.answer import LogAnswer
from heapscope.logs.answer.pool_rows import is_low
from heapscope.logs.reader.failures import own_pool
from heapscope.logs.reader.pools import REFUSED, PrintedPool
from heapscope.logs.reader.reading import LogReading
from heapscope.logs.reader.voices import (
    ESP_IDF,
    FREERTOS,
    NUTTX,
    PYTHON,
    RUST,
    THREADX,
    ZEPHYR,
)

MODDABLE, ESPRUINO, ESP8266 = "Moddable", "Espruino", "ESP8266"

#: Systems by the first word of a pool's form.
_BY_POOL = {
    "esp-alloc": RUST, "rs-matter": RUST, "rust": RUST, "Zephyr": ZEPHYR, "XS": MODDABLE,
    "xs": MODDABLE, "ThreadX": THREADX, "Espruino": ESPRUINO, "MicroPython": PYTHON,
    "umm_malloc": ESP8266,
}  # fmt: skip
_BY_FRAMEWORK = {
    "Zephyr": ZEPHYR, "nRF Connect SDK": ZEPHYR, "MicroPython": PYTHON, "CircuitPython": PYTHON,
    "NuttX": NUTTX,
}  # fmt: skip
#: The heap of a system: how to see more of it, and how to give it more.
_HEAP = {
    RUST: (
        "print esp_alloc::HEAP.stats() before the call that fails: it shows each region, and with "
        "the feature internal-heap-stats the peak too",
        "give esp_alloc::heap_allocator! more bytes, or a second region of reclaimed RAM or PSRAM; "
        "the radio's Config has the numbers of its buffers",
    ),
    ZEPHYR: (
        "set CONFIG_SYS_HEAP_RUNTIME_STATS=y and call 'kernel heap' in the shell: free, allocated "
        "and the most that was allocated",
        "raise CONFIG_HEAP_MEM_POOL_SIZE by what the linker's table leaves unused, or give the "
        "driver that fails a heap of its own",
    ),
    MODDABLE: (
        "watch 'Chunk used' and 'Slot used' of the instruments in xsbug, or in the lines "
        "'instruments:' of a build with -i",
        "raise creation.static in the manifest, or creation.chunk.initial and "
        "creation.heap.initial",
    ),
    THREADX: (
        "print tx_byte_pool_info_get() where a request fails: available bytes and fragments; "
        "neighbours are merged only while a later request searches",
        "take blocks of one size from a block pool (tx_block_pool_create), or give the pool more "
        "bytes",
    ),
    ESPRUINO: (
        "print process.memory(): free, usage and total count variables of blocksize bytes",
        "keep numbers in a Uint8Array or in flash (E.memoryArea, Storage) instead of in arrays "
        "and strings",
    ),
    PYTHON: (
        "print micropython.mem_info(1), and on an ESP32 esp32.idf_heap_info(esp32.HEAP_DATA), "
        "from which Wi-Fi, Bluetooth and TLS take their memory",
        "start radios before large imports, and call gc.collect() before a large buffer is made",
    ),
    ESP8266: (
        "print ESP.getFreeHeap(), ESP.getMaxFreeBlockSize() and ESP.getHeapFragmentation() at the "
        "same places of each round",
        "keep texts in flash with F() and PROGMEM, and reserve Strings before they grow",
    ),
    FREERTOS: (
        "print xPortGetFreeHeapSize(), xPortGetMinimumEverFreeHeapSize() and vPortGetHeapStats() "
        "in vApplicationMallocFailedHook()",
        "raise configTOTAL_HEAP_SIZE; what malloc of the C library takes comes from another heap",
    ),
    NUTTX: (
        "print 'free' in the shell where the request fails, and 'memdump' with "
        "CONFIG_MM_BACKTRACE for the callers",
        "let the heap have more of RAM (CONFIG_RAM_SIZE, or a further region of mm_addregion)",
    ),
}  # fmt: skip

_STACKS = {
    ZEPHYR: (
        "give the thread a larger stack: K_THREAD_STACK_DEFINE, or an option like "
        "CONFIG_MAIN_STACK_SIZE or CONFIG_SYSTEM_WORKQUEUE_STACK_SIZE"
    ),
    "": (
        "give the task a larger stack where it is created (xTaskCreate), or move large arrays "
        "from it"
    ),
}
#: A pool by its system and name, or the name's beginning: how to give it more.
_POOLS = (
    ("lwIP", "HEAP", "raise MEM_SIZE in lwipopts.h"),
    ("lwIP", "PBUF", "raise PBUF_POOL_SIZE in lwipopts.h, and see that each pbuf is freed"),
    ("lwIP", "", "raise MEMP_NUM_{name} in lwipopts.h, or close what holds its elements"),
    ("Matter", "", (
        "raise CHIP_SYSTEM_CONFIG_PACKETBUFFER_POOL_SIZE; where buffers come from the heap, free "
        "memory there"
    )),
    ("OpenThread", "", "raise OPENTHREAD_CONFIG_NUM_MESSAGE_BUFFERS"),
    ("LVGL", "", (
        "raise LV_MEM_SIZE, or let LVGL use malloc (LV_USE_STDLIB_MALLOC LV_STDLIB_CLIB); "
        "lv_mem_monitor() shows its own pool"
    )),
    ("Zephyr", "RX DATA", "raise CONFIG_NET_BUF_RX_COUNT"),
    ("Zephyr", "TX DATA", "raise CONFIG_NET_BUF_TX_COUNT"),
    ("Zephyr", "RX", "raise CONFIG_NET_PKT_RX_COUNT"),
    ("Zephyr", "TX", "raise CONFIG_NET_PKT_TX_COUNT"),
    ("ThreadX", "packet pool", (
        "give nx_packet_pool_create() more memory, and release each packet: "
        "nx_packet_pool_info_get() shows what is left"
    )),
    ("", "bump memory", "raise BUMP_SIZE by {short} or more"),
)  # fmt: skip


def system_of(reading: LogReading) -> str:
    """The system whose terms the log speaks in; empty: not known."""
    framework = _BY_FRAMEWORK.get(reading.boots.reported("framework"))
    if framework:
        return framework
    for name in reading.pools.systems:
        if name in _BY_POOL:
            return _BY_POOL[name]
    if reading.errors.rust:
        return RUST
    of_esp8266 = any(one.how.startswith("ESP8266") for one in reading.failures.listed())
    if of_esp8266 or reading.boots.reported("chip") == "esp8266":
        return ESP8266
    return ESP_IDF if reading.of_esp_idf else reading.voices.system


def own_steps(reading: LogReading, answer: LogAnswer, system: str) -> Iterator[str]:
    """Steps for pools in trouble, and for the heap of a system that is not ESP-IDF."""
    yield from dict.fromkeys(filter(None, map(_step, reading.pools.troubled())))
    if any(pool.is_stack and is_low(pool) for pool in reading.pools.listed()):
        yield _STACKS.get(system, _STACKS[""])
    if system in _HEAP and answer.failed:
        yield from _HEAP[system]
    elif system in _HEAP and answer.free is not None and answer.peak is answer.min is None:
        yield _HEAP[system][0]
    elif not system:
        yield from _anywhere(answer)


def _anywhere(answer: LogAnswer) -> Iterator[str]:
    """For a system that is not known."""
    failed = [one for one in answer.failed if one.memory and one.how not in REFUSED]
    if any(not own_pool(one.who) for one in failed):
        yield (
            "print the size of a request where it fails, with what is free then and the largest "
            "free block"
        )
    elif answer.free is not None and answer.largest is None:
        yield "print the largest free block beside what is free"


def _step(pool: PrintedPool) -> str:
    lacks = (pool.refused or 0) - (pool.at_failure or 0)
    short = size(lacks) if lacks > 0 else "what is asked at most"
    for system, name, step in _POOLS:
        if system in ("", pool.system) and pool.name.startswith(name):
            return step.format(name=pool.name, short=short)
    return ""
