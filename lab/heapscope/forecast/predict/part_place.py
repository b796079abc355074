"""The memory in which a configuration places a part."""

from __future__ import annotations

from heapscope.forecast.predict.memory_scene import MemoryScene
from heapscope.forecast.predict.part_table import PartRow

KINDS = ("dram", "iram", "psram")
DRAM, IRAM, PSRAM = KINDS
_STACKS, _BSS = ("stack", "loop"), ("bss", "bt-bss")


def place_of(part: PartRow, scene: MemoryScene) -> tuple[str, bool]:
    """Where a part's memory lies in this configuration, and whether it is given and not taken."""
    memory = part.memory
    if memory == "code":
        return (IRAM if scene.config.chip == "esp32" else DRAM), False
    if memory == "iram+":
        return IRAM, True
    if memory == "psram":
        return PSRAM, False
    if memory == "record" and scene.on("MBEDTLS_IRAM_8BIT_MEM_ALLOC"):
        return IRAM, False
    if memory == "bt" and scene.on("BT_NIMBLE_MEM_ALLOC_MODE_IRAM_8BIT"):
        return IRAM, False
    return (PSRAM if scene.on("SPIRAM") and _is_external(memory, scene) else DRAM), False


def _is_external(memory: str, scene: MemoryScene) -> bool:
    if memory == "thread":
        return scene.on("OPENTHREAD_PLATFORM_MSGPOOL_MANAGEMENT")
    if memory == "trace-map":
        return scene.on("HEAP_TRACE_HASH_MAP_IN_EXT_RAM")
    if memory in _BSS:
        return scene.on("SPIRAM_ALLOW_BSS_SEG_EXTERNAL_MEMORY")
    if memory == "buffers":
        return bool(scene.name("wifi_psram"))
    if memory == "loop" and scene.on("ESP_EVENT_LOOP_IN_EXT_RAM"):
        return True
    if memory in _STACKS:
        return scene.on("FREERTOS_PLACE_TASK_STACKS_IN_EXT_RAM")
    if memory == "bt":
        return scene.on("BT_ALLOCATION_FROM_SPIRAM_FIRST") or scene.on(
            "BT_NIMBLE_MEM_ALLOC_MODE_EXTERNAL"
        )
    if memory not in ("record", "tls"):
        return False
    large = memory == "record" and scene.name("tls_in") > scene.number(
        "SPIRAM_MALLOC_ALWAYSINTERNAL", 16_384
    )
    follows = scene.on("MBEDTLS_DEFAULT_MEM_ALLOC") and scene.on("SPIRAM_USE_MALLOC")
    return scene.on("MBEDTLS_EXTERNAL_MEM_ALLOC") or (follows and large)
