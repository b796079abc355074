"""Free memory by state: physical limits hold, options react, and bands go with each figure."""

from __future__ import annotations

from dataclasses import replace

import pytest

from heapscope.config.config import Config
from heapscope.config.value import Value
from heapscope.forecast.predict.chip_memory import chip_memory, empty_static
from heapscope.forecast.predict.demand import Demand
from heapscope.forecast.predict.memory_fit import memory_fit
from heapscope.forecast.predict.memory_part import parts_of
from heapscope.forecast.predict.memory_scene import MemoryScene
from heapscope.forecast.predict.memory_states import (
    BUSY,
    DRAM,
    IRAM,
    MORE,
    PSRAM,
    MemoryModel,
    OwnMemory,
)
from heapscope.forecast.predict.part_table import (
    BLE,
    BOOT,
    KINDS,
    LOAD,
    NET,
    PROVISIONING,
    Minor,
    part_table,
)
from heapscope.memory.layout.chips import chip_names

NIMBLE = {"BT_ENABLED": True, "BT_NIMBLE_ENABLED": True, "BT_BLUEDROID_ENABLED": False}
PSRAM_ON = {"SPIRAM": True, "SPIRAM_USE_MALLOC": True, "SPIRAM_TRY_ALLOCATE_WIFI_LWIP": True}


def model(
    chip: str = "esp32c3", minor: Minor = (5, 5), demand: Demand | None = None, **values: Value
) -> MemoryModel:
    config = Config(chip=chip, sdk="5.5").changed_to(values)
    scene = MemoryScene(config=config, minor=minor, demand=demand or Demand())
    return MemoryModel(scene=scene)


def dram(memory_model: MemoryModel, state: str) -> float:
    return memory_model.free(state)[DRAM].median


def won(state: str, before: dict[str, Value], after: dict[str, Value], **how: object) -> float:
    return dram(model(**how, **after), state) - dram(model(**how, **before), state)  # type: ignore[arg-type]


@pytest.mark.parametrize("chip", chip_names())
@pytest.mark.parametrize("minor", [(4, 4), (5, 1), (5, 5), (6, 1)])
def test_every_chip_answers_in_its_states(chip: str, minor: Minor) -> None:
    """Those without Wi-Fi too; nothing is above what the chip has."""
    result = model(chip, minor, **NIMBLE)
    assert result.states[:2] == ("boot", "app_main")
    wifi = chip not in ("esp32h2", "esp32p4", "esp32h21", "esp32h4")
    assert ("wifi_started" in result.states) == wifi
    assert {"connected", "load"} <= set(result.states)  # by another network
    assert ("ble" in result.states) == result.scene.on("BT_ENABLED")  # by another controller too
    memory = chip_memory(chip, minor)
    for state in (*result.states, result.busiest):
        free = result.free(state)
        # All at once may be more than the smallest chip has, within what is known of it.
        assert -free[DRAM].half_80 / 2 < free[DRAM].median < memory.dram + memory.rtc
        assert 0 < free[DRAM].half_80 < 60_000
        # Both radios' code fills the ESP32's IRAM, within what is known of it.
        assert (free[IRAM].median != 0) == (chip == "esp32")
        assert free[IRAM].median >= -free[IRAM].half_80 / 2
        assert free[IRAM].median <= memory.iram
        assert free[PSRAM].median == 0


def test_buffers_free_no_more_than_they_hold() -> None:
    for before, after in ((10, 4), (16, 8), (25, 2)):
        gain = won(
            LOAD,
            {"ESP_WIFI_STATIC_RX_BUFFER_NUM": before},
            {"ESP_WIFI_STATIC_RX_BUFFER_NUM": after},
        )
        assert (before - after) * 1600 <= gain <= (before - after) * 1725
    window = {"LWIP_TCP_SND_BUF_DEFAULT": 65535}
    few, many = {"ESP_WIFI_DYNAMIC_TX_BUFFER_NUM": 8}, {"ESP_WIFI_DYNAMIC_TX_BUFFER_NUM": 32}
    assert 0 < won(LOAD, {**window, **many}, {**window, **few}) <= 24 * 1700
    assert won("connected", many, few) == 0  # on demand: nothing at rest


def test_a_window_is_never_free_of_charge() -> None:
    """Both windows, on their own; and for each connection again."""
    for option in ("LWIP_TCP_WND_DEFAULT", "LWIP_TCP_SND_BUF_DEFAULT"):
        one = won(LOAD, {option: 5760}, {option: 11520})
        two = won(LOAD, {option: 5760}, {option: 11520}, demand=Demand(tcp=2))
        assert -2.5 * 5760 < one < -0.6 * 5760
        assert two < 1.5 * one


def test_the_esp32s_iram_is_not_mallocs() -> None:
    code = {"ESP_WIFI_IRAM_OPT": False, "ESP_WIFI_RX_IRAM_OPT": False}
    assert won(LOAD, {}, code, chip="esp32") == 0
    before, after = model("esp32"), model("esp32", **code)  # type: ignore[arg-type]
    assert 15_000 < after.free(LOAD)[IRAM].median - before.free(LOAD)[IRAM].median < 32_000
    assert 15_000 < won(LOAD, {}, code, chip="esp32c3") < 32_000


def test_psram_takes_what_it_may_and_no_more() -> None:
    plain, psram = model("esp32s3"), model("esp32s3", **PSRAM_ON)  # type: ignore[arg-type]
    assert plain.free(LOAD)[PSRAM].median == 0
    free = psram.free(LOAD)[PSRAM]
    assert 0 < free.median < 4 << 20
    assert free.half_80 == 2 << 20


def test_what_does_not_fit_is_below_zero() -> None:
    """By as much as the sessions take; an ESP32-C2 has no room for ten."""
    one, ten = (
        dram(model("esp32c2", demand=Demand(tcp=0, tls=sessions)), LOAD) for sessions in (1, 10)
    )
    assert ten < 0 < one
    assert one - ten > 9 * (16_717 + 4_429)


def test_reported_statics_take_the_place_of_an_empty_programs() -> None:
    result = model()
    reported = replace(result, static_dram=100_000)
    memory = chip_memory("esp32c3", (5, 5))
    free = reported.free(BOOT)[DRAM]
    assert (free.median, free.half_80) == (memory.dram - 100_000, 0)
    in_flash = model(FREERTOS_PLACE_FUNCTIONS_INTO_FLASH=True)
    assert dram(in_flash, BOOT) > dram(result, BOOT)
    assert dram(replace(in_flash, static_dram=100_000), BOOT) == free.median
    empty = empty_static("esp32c3", (5, 5))
    assert dram(result, BOOT) == pytest.approx(memory.dram - empty.dram, abs=1)


def test_what_whole_programs_leave_out_is_no_part_of_a_known_build() -> None:
    """It stands for code and data that nobody knows."""
    result = model(**NIMBLE)  # type: ignore[arg-type]
    assert result.more(PROVISIONING) == MORE
    assert replace(result, static_dram=100_000).more(PROVISIONING) == ()


def test_links_are_there_from_boot_on() -> None:
    result = model()
    wifi, both = result.linking("wifi"), result.linking("wifi", "ble")
    assert dram(result, BOOT) - dram(wifi, BOOT) > 40_000
    assert dram(wifi, BOOT) >= dram(both, BOOT)
    assert dram(wifi, LOAD) == dram(result, LOAD)  # which links it anyway


def test_states_go_down() -> None:
    result = model(**NIMBLE)  # type: ignore[arg-type]
    order = [dram(result, state) for state in ("app_main", "wifi_started", "connected", "load")]
    assert order == sorted(order, reverse=True)
    assert dram(result, BUSY) < min(dram(result, BLE), dram(result, LOAD))
    assert dram(result, PROVISIONING) < min(dram(result, BLE), dram(result, "connected"))
    assert result.busiest == BUSY
    assert model().busiest == LOAD


def test_a_difference_has_the_doubt_of_what_differs_alone() -> None:
    """The base, which both share, takes no part in it."""
    before = model()
    after = model(ESP_WIFI_STATIC_RX_BUFFER_NUM=4)
    result = before.difference(after, LOAD)
    assert result.median == pytest.approx(dram(after, LOAD) - dram(before, LOAD), abs=1)
    assert 0 < result.half_80 < 0.2 * result.median
    assert before.difference(before, LOAD).half_80 == 0
    code = before.difference(model(ESP_WIFI_IRAM_OPT=False), LOAD)
    assert 0.05 < code.half_80 / code.median < 0.8


def test_the_users_board_moves_and_narrows_what_is_left() -> None:
    result = model()
    own = replace(result, own=(OwnMemory(model=result, free=100_000.0),))
    free = own.free(LOAD)[DRAM]
    assert free.median == pytest.approx(100_000)
    assert free.half_80 < result.free(LOAD)[DRAM].half_80
    moved = 100_000 - dram(result, LOAD)
    assert dram(own, BOOT) - dram(result, BOOT) == pytest.approx(moved)
    other = own.of(model(ESP_WIFI_IRAM_OPT=False).scene.config)
    assert other.own == ()


def test_the_table_is_sound() -> None:
    """Names are unique, and each kind of figure has its constant."""
    rows = part_table()
    assert len({row.id for row in rows}) == len(rows)
    assert all(row.source for row in rows)
    assert memory_fit().names == (*KINDS, *MORE)
    for kind in {row.kind for row in rows}:
        assert 0.2 < memory_fit().factor(kind) < 1.3


#: Options of ESP-IDF's guide to little RAM, and of the Wi-Fi guide: what each gives back.
REACTS: tuple[tuple[str, Value, dict[str, Value], str, str], ...] = (
    ("ESP_MAIN_TASK_STACK_SIZE", 2048, {}, "esp32c3", "app_main"),
    ("ESP_TIMER_TASK_STACK_SIZE", 2048, {}, "esp32c3", "wifi_started"),
    ("FREERTOS_IDLE_TASK_STACKSIZE", 1024, {}, "esp32c3", "app_main"),
    ("FREERTOS_ISR_STACKSIZE", 2096, {"FREERTOS_ISR_STACKSIZE": 4096}, "esp32c3", "boot"),
    ("ESP_SYSTEM_EVENT_TASK_STACK_SIZE", 2048, {}, "esp32c3", "wifi_started"),
    ("ESP_SYSTEM_EVENT_QUEUE_SIZE", 16, {}, "esp32c3", "wifi_started"),
    ("LWIP_TCPIP_TASK_STACK_SIZE", 2048, {}, "esp32c3", "wifi_started"),
    ("LIBC_NEWLIB_NANO_FORMAT", True, {}, "esp32c3", "app_main"),
    ("FREERTOS_PLACE_FUNCTIONS_INTO_FLASH", True, {}, "esp32c3", "boot"),
    ("RINGBUF_PLACE_FUNCTIONS_INTO_FLASH", True, {}, "esp32c3", "boot"),
    ("HEAP_PLACE_FUNCTION_INTO_FLASH", True, {}, "esp32c3", "boot"),
    ("SPI_FLASH_ROM_IMPL", True, {"SPI_FLASH_ROM_IMPL": False}, "esp32c3", "boot"),
    ("COMPILER_OPTIMIZATION_SIZE", True, {}, "esp32c3", "boot"),
    ("COMPILER_OPTIMIZATION_ASSERTIONS_DISABLE", True, {}, "esp32c3", "boot"),
    ("ESP_WIFI_STATIC_RX_BUFFER_NUM", 4, {}, "esp32c3", "wifi_started"),
    ("ESP_WIFI_DYNAMIC_RX_BUFFER_NUM", 2, {}, "esp32c3", "load"),
    ("ESP_WIFI_DYNAMIC_TX_BUFFER_NUM", 2, {}, "esp32c3", "load"),
    ("ESP_WIFI_RX_BA_WIN", 2, {}, "esp32c3", "connected"),
    ("ESP_WIFI_IRAM_OPT", False, {}, "esp32c3", "wifi_started"),
    ("ESP_WIFI_RX_IRAM_OPT", False, {}, "esp32c3", "wifi_started"),
    ("ESP_WIFI_SOFTAP_SUPPORT", False, {}, "esp32c3", "wifi_started"),
    ("LWIP_IRAM_OPTIMIZATION", False, {"LWIP_IRAM_OPTIMIZATION": True}, "esp32c3", "load"),
    ("LWIP_TCP_WND_DEFAULT", 2880, {}, "esp32c3", "load"),
    ("LWIP_TCP_SND_BUF_DEFAULT", 2880, {}, "esp32c3", "load"),
    ("MBEDTLS_DYNAMIC_BUFFER", True, {}, "esp32c3", "load"),
    ("MBEDTLS_SSL_KEEP_PEER_CERTIFICATE", False, {"MBEDTLS_SSL_KEEP_PEER_CERTIFICATE": True},
     "esp32c3", "load"),
    ("MBEDTLS_SSL_OUT_CONTENT_LEN", 2048, {}, "esp32c3", "load"),
    ("MBEDTLS_SSL_IN_CONTENT_LEN", 4096, {}, "esp32c3", "load"),
    ("BT_CTRL_RUN_IN_FLASH_ONLY", True, NIMBLE, "esp32c3", "ble"),
    ("BT_NIMBLE_MAX_CONNECTIONS", 1, NIMBLE, "esp32c3", "ble"),
    ("BT_NIMBLE_MSYS_1_BLOCK_COUNT", 6, NIMBLE, "esp32c3", "ble"),
    ("BT_NIMBLE_HOST_TASK_STACK_SIZE", 3072, NIMBLE, "esp32c3", "ble"),
    ("ESP32S3_INSTRUCTION_CACHE_32KB", False, {"ESP32S3_INSTRUCTION_CACHE_32KB": True},
     "esp32s3", "boot"),
    ("FREERTOS_UNICORE", True, {}, "esp32", "app_main"),
)  # fmt: skip


@pytest.mark.parametrize(("option", "value", "others", "chip", "state"), REACTS)
def test_options_of_the_guides_react(
    option: str, value: Value, others: dict[str, Value], chip: str, state: str
) -> None:
    demand = Demand(tcp=1, udp=1, tls=1)
    gain = won(state, others, {**others, option: value}, chip=chip, demand=demand)
    assert gain > 0


def test_a_task_counts_where_it_is_linked() -> None:
    """From 5.5 on the timer task is there where a program has timers; no option says so."""
    stack: dict[str, Value] = {"FREERTOS_TIMER_TASK_STACK_DEPTH": 1536}
    assert won("app_main", {}, stack, minor=(5, 4)) == pytest.approx(512, abs=1)
    assert won("app_main", {}, stack, minor=(5, 5)) == 0


def test_one_core_has_the_memory_of_the_second() -> None:
    """On an ESP32: its cache as IRAM, the data of its ROM, and RTC memory where it is heap."""
    single = {"FREERTOS_UNICORE": True}
    without = {**single, "ESP_SYSTEM_ALLOW_RTC_FAST_MEM_AS_HEAP": False}
    before, after = model("esp32"), model("esp32", **single)  # type: ignore[arg-type]
    assert after.scene.memory.iram - before.scene.memory.iram == 32_768
    assert after.scene.memory.dram - before.scene.memory.dram == 1_072
    assert after.scene.memory.rtc == 8_192
    assert won("app_main", without, single, chip="esp32") == pytest.approx(8_192, abs=500)


def test_what_no_part_tells_of_is_a_line() -> None:
    """Named parts and it are all code and data that a program has, to the byte."""
    for chip in ("esp32", "esp32c3", "esp32c6", "esp32s3"):
        result = model(chip)
        assert abs(result.unexplained) < 8192
        known = replace(result, static_dram=100_000)
        held = [each for each in known.held(known.busiest) if each.static and each.is_whole]
        rows = {part.component: part.bytes for part in parts_of(known)}
        elsewhere = 16_384 if chip == "esp32s3" else 0
        assert rows["not explained"] == round(
            100_000 + elsewhere - sum(each.bytes for each in held)
        )


@pytest.mark.parametrize("chip", ["esp32", "esp32c3"])
def test_a_linked_network_has_its_timer_task_from_app_main_on(chip: str) -> None:
    """The file tells that it is linked; start-up makes the task, before the network is at work, and
    what else its components allocate there."""
    known = replace(model(chip), static_dram=50_000)
    none, linked = (replace(known, linked=frozenset(each)) for each in ((), ("wifi", NET)))
    assert 4_900 < dram(none, "app_main") - dram(linked, "app_main") < 5_500
    assert dram(none, "boot") == dram(linked, "boot")
    assert dram(linked, "wifi_started") == dram(known, "wifi_started")
