"""The parts of a state are there as blocks, and leave what is predicted."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from heapscope.base.capabilities import DMA, SPIRAM
from heapscope.config.config import Config
from heapscope.config.value import Value
from heapscope.forecast.predict.demand import Demand
from heapscope.forecast.predict.memory_scene import MemoryScene
from heapscope.forecast.predict.memory_states import DRAM, PSRAM, MemoryModel
from heapscope.forecast.predict.part_table import APP_MAIN, BOOT, LOAD, Minor
from heapscope.forecast.predict.system_layout import NEAR, SystemMemory, free_of
from heapscope.forecast.predict.tenants import tenants_of
from heapscope.memory.layout.chips import chip_names

MINORS: tuple[Minor, ...] = ((4, 4), (5, 1), (5, 3), (5, 5), (6, 1))
OPTIONS: dict[str, tuple[Value, ...]] = {
    "ESP_WIFI_STATIC_RX_BUFFER_NUM": (2, 10, 25),
    "ESP_WIFI_DYNAMIC_RX_BUFFER_NUM": (0, 8, 64),
    "ESP_WIFI_DYNAMIC_TX_BUFFER_NUM": (8, 64),
    "LWIP_TCP_WND_DEFAULT": (2880, 11520),
    "LWIP_TCP_SND_BUF_DEFAULT": (2880, 23040),
    "ESP_WIFI_IRAM_OPT": (False, True),
    "FREERTOS_UNICORE": (False, True),
    "ESP_MAIN_TASK_STACK_SIZE": (2048, 8192),
    "LWIP_TCPIP_TASK_STACK_SIZE": (2048, 6144),
    "HEAP_POISONING_LIGHT": (False, True),
    "MBEDTLS_ASYMMETRIC_CONTENT_LEN": (True,),
    "BT_ENABLED": (False, True),
}
#: Kinds of memory that the heap gets after boot.
LATER = ("RTCRAM", "TCM")
NO_BLOCKS = ("heap-tables", "iram-tables", "psram-threshold")
#: By how much tables of the heaps differ from the part that stands for them: it does not know that
#: one core has fewer heaps, and that poisoning makes all blocks larger.
TABLES = 2048


def model(draw: random.Random) -> MemoryModel:
    chip, minor = draw.choice(chip_names()), draw.choice(MINORS)
    chosen = {name: draw.choice(values) for name, values in OPTIONS.items() if draw.random() < 0.5}
    demand = Demand(tcp=draw.randrange(4), udp=draw.randrange(3), tls=draw.randrange(3))
    config = Config(chip=chip, sdk="5.5").changed_to(chosen)
    return MemoryModel(scene=MemoryScene(config=config, minor=minor, demand=demand))


def models(seed: int, number: int) -> Iterator[MemoryModel]:
    draw = random.Random(seed)
    print(f"seed {seed}")
    for _ in range(number):
        result = model(draw)
        print(result.scene.config.chip, result.scene.minor, result.scene.demand)
        yield result


def test_blocks_add_up_to_the_sum_of_parts_but_for_their_rounding(seed: int) -> None:
    """A figure read from source is what is asked for; others are what the heap takes."""
    for result in models(seed, 60):
        state = result.busiest
        scene = result.at(state).scene
        parts = blocks = requested = 0.0
        for each in result.held(state):
            if not each.static and not each.more and each.part.id not in NO_BLOCKS:
                parts += each.bytes
        for tenant in tenants_of(result, state):
            blocks += tenant.count * float(scene.block(tenant.size))
            requested += tenant.count * tenant.size
        assert requested < parts + 16 * 2 * len(tenants_of(result, state))
        assert abs(blocks - parts) < 0.04 * parts


def test_a_part_of_requests_is_those_requests_to_the_byte() -> None:
    memory_model = MemoryModel(
        scene=MemoryScene(config=Config(chip="esp32c3", sdk="5.2"), minor=(5, 2))
    )
    blocks: dict[str, int] = {}
    for tenant in tenants_of(memory_model, APP_MAIN):
        taken = tenant.count * int(memory_model.scene.block(tenant.size))
        blocks[tenant.task] = blocks.get(tenant.task, 0) + taken
    parts = {each.part.id: each.taken for each in memory_model.held(APP_MAIN)}
    assert blocks["esp_timer"] == parts["esp-timer-task"]
    assert blocks["Tmr Svc"] == parts["timer-task"] + parts["timer-queue"]
    assert blocks["IDLE"] == parts["idle-task"]


def test_the_layout_leaves_what_is_predicted(seed: int) -> None:
    """At boot its regions are the predicted memory too."""
    for result in models(seed, 40):
        for state in (result.busiest, APP_MAIN):
            system = SystemMemory(model=result, state=state)
            if system.left == 0:
                continue
            layout = system.layout()
            assert abs(free_of(layout) - result.free(state)[DRAM].median) <= 2 * NEAR
        regions = [r.size for r in layout.regions if not r.word_only and r.kind not in LATER]
        boot = result.free(BOOT)[DRAM].median
        assert abs(sum(regions) - boot) < TABLES


@pytest.mark.parametrize("chip", ["esp32", "esp32c3", "esp32s3"])
def test_less_is_left_where_that_is_requested(chip: str) -> None:
    config = Config(chip=chip, sdk="5.5")
    system = SystemMemory(
        model=MemoryModel(scene=MemoryScene(config=config, minor=(5, 5))), state=LOAD
    )
    for left in range(8_192, system.most(), system.most() // 9):
        assert abs(free_of(system.layout(left)) - left) <= NEAR


def test_what_psram_may_hold_asks_for_psram_and_radios_ask_for_dma() -> None:
    options = {"SPIRAM": True, "SPIRAM_USE_MALLOC": True, "SPIRAM_TRY_ALLOCATE_WIFI_LWIP": True}
    config = Config(chip="esp32s3", sdk="5.5").changed_to(options)
    memory_model = MemoryModel(scene=MemoryScene(config=config, minor=(5, 5)))
    tenants = tenants_of(memory_model, LOAD)
    external = sum(t.count * t.size for t in tenants if t.caps & SPIRAM)
    held = [each for each in memory_model.held(LOAD) if each.place == PSRAM]
    parts = sum(each.bytes for each in held if each.part.id not in NO_BLOCKS)
    assert parts * 0.97 < external <= parts
    inside = [t for t in tenants if t.task == "wifi" and not t.caps & SPIRAM and t.size > 1_500]
    assert any(t.caps & DMA for t in inside)
