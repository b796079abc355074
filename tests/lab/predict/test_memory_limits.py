"""Physical limits of predicted memory hold for any configuration, chip and release."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

import pytest

from heapscope.config.config import Config
from heapscope.config.value import Value
from heapscope.forecast.predict.chip_memory import chip_memory
from heapscope.forecast.predict.demand import Demand
from heapscope.forecast.predict.forecast import forecast
from heapscope.forecast.predict.memory_scene import MemoryScene
from heapscope.forecast.predict.memory_states import DRAM, IRAM, PSRAM, MemoryModel
from heapscope.forecast.predict.part_table import APP_MAIN, BOOT, CONNECTED, LOAD, WIFI, Minor
from heapscope.memory.layout.chips import chip_names, load_chip

MINORS: tuple[Minor, ...] = (
    (4, 2), (4, 3), (4, 4), (5, 0), (5, 1), (5, 2), (5, 3), (5, 4), (5, 5), (6, 0), (6, 1),
)  # fmt: skip
#: Options that count things, and the most bytes that one of them takes.
COUNTS: dict[str, tuple[tuple[int, ...], float]] = {
    "ESP_WIFI_STATIC_RX_BUFFER_NUM": ((2, 6, 10, 16, 25), 1696 + 1024),  # channel state besides
    "ESP_WIFI_DYNAMIC_RX_BUFFER_NUM": ((1, 8, 32, 64, 128), 1724),
    "ESP_WIFI_DYNAMIC_TX_BUFFER_NUM": ((1, 8, 32, 64, 128), 1700),
    "ESP_WIFI_CACHE_TX_BUFFER_NUM": ((16, 32, 64, 128), 1700),
    "BT_NIMBLE_MSYS_1_BLOCK_COUNT": ((4, 12, 24, 50), 512),
    "BT_NIMBLE_MAX_CONNECTIONS": ((1, 3, 9), 2048),
}
#: Options of bytes, and the most that one more takes: a stack is rounded up.
SIZES: dict[str, tuple[tuple[int, ...], float]] = {
    "ESP_MAIN_TASK_STACK_SIZE": ((2048, 3584, 8192), 1.2),
    "ESP_TIMER_TASK_STACK_SIZE": ((2048, 3584, 8192), 1.2),
    "LWIP_TCPIP_TASK_STACK_SIZE": ((2048, 3072, 6144), 1.2),
    "ESP_SYSTEM_EVENT_TASK_STACK_SIZE": ((2048, 2304, 4096), 1.2),
}
#: Windows, and the most that the frames of one more segment take: in lwIP, and in the driver.
WINDOWS: dict[str, tuple[tuple[int, ...], float]] = {
    "LWIP_TCP_WND_DEFAULT": ((2440, 5760, 11520, 65535), 1724 + 20),
    "LWIP_TCP_SND_BUF_DEFAULT": ((2440, 5760, 11520, 65535), 1700 + 1600),
}
SWITCHES = (
    "ESP_WIFI_IRAM_OPT", "ESP_WIFI_RX_IRAM_OPT", "ESP_WIFI_SLP_IRAM_OPT", "LWIP_IRAM_OPTIMIZATION",
    "FREERTOS_UNICORE", "HEAP_POISONING_LIGHT", "SPIRAM", "SPIRAM_TRY_ALLOCATE_WIFI_LWIP",
    "BT_ENABLED", "BT_NIMBLE_ENABLED", "MBEDTLS_DYNAMIC_BUFFER", "ESP_WIFI_AMPDU_RX_ENABLED",
    "ESP_SYSTEM_ALLOW_RTC_FAST_MEM_AS_HEAP", "LWIP_IPV6", "COMPILER_OPTIMIZATION_SIZE",
)  # fmt: skip
CODE = ("ESP_WIFI_IRAM_OPT", "ESP_WIFI_RX_IRAM_OPT", "LWIP_IRAM_OPTIMIZATION")


def model(
    chip: str, minor: Minor, values: dict[str, Value], demand: Demand | None = None
) -> MemoryModel:
    config = Config(chip=chip, sdk="5.5").changed_to(values)
    scene = MemoryScene(config=config, minor=minor, demand=demand or Demand())
    return MemoryModel(scene=scene)


def drawn(draw: random.Random) -> MemoryModel:
    values: dict[str, Value] = {
        name: draw.choice(choices)
        for name, (choices, _) in {**COUNTS, **SIZES, **WINDOWS}.items()
        if draw.random() < 0.4
    }
    values |= {name: draw.random() < 0.5 for name in SWITCHES if draw.random() < 0.4}
    demand = Demand(tcp=draw.randrange(13), udp=draw.randrange(5), tls=draw.randrange(6))
    return model(draw.choice(chip_names()), draw.choice(MINORS), values, demand)


@pytest.fixture
def models(seed: int) -> Iterator[MemoryModel]:
    draw = random.Random(seed)
    print(f"seed {seed}")

    def some() -> Iterator[MemoryModel]:
        for _ in range(150):
            result = drawn(draw)
            scene = result.scene
            print(scene.config.chip, scene.minor, scene.demand, *scene.config.settings)
            yield result

    return some()


def dram(memory_model: MemoryModel, state: str) -> float:
    return memory_model.free(state)[DRAM].median


@pytest.mark.slow
def test_nothing_is_free_that_the_chip_does_not_have(models: Iterator[MemoryModel]) -> None:
    for result in models:
        scene = result.scene
        memory = chip_memory(scene.config.chip, scene.minor)
        for state in (*result.states, result.busiest):
            free = result.free(state)
            rtc = 0 if state == BOOT else memory.rtc
            assert free[DRAM].median < memory.dram + rtc
            assert 0 <= free[IRAM].median <= memory.iram or scene.config.chip == "esp32"
            assert free[IRAM].median <= memory.iram
            assert (free[PSRAM].median == free[PSRAM].half_80 == 0) or scene.on("SPIRAM")
            assert free[DRAM].half_80 > 0


@pytest.mark.slow
def test_later_states_have_no_more(models: Iterator[MemoryModel]) -> None:
    for result in models:
        order = [state for state in (APP_MAIN, WIFI, CONNECTED, LOAD) if state in result.states]
        sizes = [dram(result, state) for state in order]
        assert sizes == sorted(sizes, reverse=True)
        assert dram(result, result.busiest) <= sizes[-1]
        memory = chip_memory(result.scene.config.chip, result.scene.minor)
        assert dram(result, APP_MAIN) < dram(result, BOOT) + memory.rtc


def test_no_task_is_held_twice(models: Iterator[MemoryModel]) -> None:
    """However many rows of the table may bring it: the radios, the network, an older release."""
    for _, result in zip(range(60), models, strict=False):
        for state in (*result.states, result.busiest):
            held = [each.part for each in result.held(state) if each.part.component == "stacks"]
            assert len({part.what for part in held}) == len(held), (state, held)


@pytest.mark.cells(2)
@pytest.mark.parametrize("option", [*COUNTS, *SIZES, *WINDOWS])
def test_more_of_an_option_takes_memory_and_no_more_than_it_is(
    option: str, models: Iterator[MemoryModel]
) -> None:
    """n buffers free at most n times their size."""
    choices, each = {**COUNTS, **SIZES, **WINDOWS}[option]
    for number, result in zip(range(30), models, strict=False):
        few, many = choices[number % (len(choices) - 1)], choices[-1]
        one, other = (
            dram(result.of(result.scene.config.changed_to({option: value})), result.busiest)
            for value in (few, many)
        )
        most = (many - few) * each + 64
        if option in WINDOWS:
            connections = result.scene.demand.tcp + result.scene.demand.tls
            most = connections * ((many - few) / 1440 + 1) * each
        assert -0.5 <= one - other <= most


def test_the_esp32s_iram_is_never_mallocs(models: Iterator[MemoryModel]) -> None:
    """Code that leaves it gives no byte to malloc, whatever else is configured."""
    for result in models:
        if result.scene.config.chip != "esp32":
            continue
        code = result.of(result.scene.config.changed_to(dict.fromkeys(CODE, True)))
        flash = result.of(result.scene.config.changed_to(dict.fromkeys(CODE, False)))
        for state in result.states:
            assert dram(flash, state) == dram(code, state)
        assert flash.free(LOAD)[IRAM].median > code.free(LOAD)[IRAM].median


def test_what_is_missing_is_stated_and_no_more_than_is_requested() -> None:
    """The headline of a configuration that does not fit is below 0, with a band, and a note."""
    for chip in chip_names():
        minor: Minor = (5, 5) if "5.5" in load_chip(chip).versions else (6, 1)
        result = model(chip, minor, {"MBEDTLS_SSL_IN_CONTENT_LEN": 16384}, Demand(tcp=0, tls=16))
        result = replace(result, static_dram=chip_memory(chip, minor).dram - 60_000)
        free = result.free(result.busiest)[DRAM]
        assert free.median < 0 < free.half_80
        stated = forecast(result, None)
        assert stated.left.median == round(free.median)
        assert stated.left.low_80 < stated.left.median < stated.left.high_80
        short = f"{-round(result.free(LOAD)[DRAM].median):,} bytes of dram are missing"
        assert any(note.startswith("load") and short in note for note in stated.notes)


def test_frames_that_nobody_reads_are_those_that_a_mailbox_takes() -> None:
    """Whatever the window: measured with ESP-IDF's own firmware, 7 by default, and 45 with 64."""
    frames = {}
    for box in (6, 20, 64):
        values: dict[str, Value] = {
            "LWIP_TCP_WND_DEFAULT": 65535,
            "LWIP_TCP_RECVMBOX_SIZE": box,
            "ESP_WIFI_DYNAMIC_RX_BUFFER_NUM": 64,
        }
        held = model("esp32", (5, 5), values).held(LOAD, ("dynamic-rx",))
        frames[box] = held[0].count
    assert frames == {6: 7, 20: 21, 64: 46}
