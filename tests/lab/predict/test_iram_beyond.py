"""Code of the ESP32 that does not fit into IRAM takes SRAM1, byte for byte, by an option."""

from __future__ import annotations

import pytest

from heapscope.config.config import Config
from heapscope.forecast.predict.iram_beyond import MOST_BEYOND, code_beyond
from heapscope.forecast.predict.memory_scene import MemoryScene
from heapscope.forecast.predict.memory_states import DRAM, IRAM, MemoryModel
from heapscope.forecast.predict.part_table import APP_MAIN, BOOT
from heapscope.forecast.predict.system_layout import NEAR, SystemMemory, free_of

OPTION = "ESP_SYSTEM_ESP32_SRAM1_REGION_AS_IRAM"
IRAM_SIZE = 0x20000
CODES = (50_000, IRAM_SIZE - 1, IRAM_SIZE, IRAM_SIZE + 4, IRAM_SIZE + 9_000, IRAM_SIZE + 40_000)


def model(code: int | None, *, on: bool, **values: bool) -> MemoryModel:
    config = Config(chip="esp32", sdk="5.3").changed_to({OPTION: on, **values})
    return MemoryModel(scene=MemoryScene(config=config, minor=(5, 3)), static_iram=code)


@pytest.mark.parametrize("one_core", [False, True])
@pytest.mark.parametrize("code", CODES)
def test_the_heap_loses_what_code_needs_beyond_iram(code: int, one_core: bool) -> None:
    """Whether the second core's cache is heap makes no difference: no code goes there."""
    without = model(code, on=False, FREERTOS_UNICORE=one_core)
    has = model(code, on=True, FREERTOS_UNICORE=one_core)
    beyond = max(0, code - IRAM_SIZE)
    for state in (BOOT, APP_MAIN):
        lost = without.free(state)[DRAM].median - has.free(state)[DRAM].median
        assert lost == pytest.approx(beyond, abs=1 + beyond / 1000)
    left = has.free(BOOT)[IRAM].median
    assert left == pytest.approx(max(0, IRAM_SIZE - code) + 0x8000 * one_core, abs=40)
    gain = has.difference(without, BOOT)
    assert gain.median == pytest.approx(beyond, abs=1 + beyond / 1000)
    assert gain.half_80 <= 300 + beyond / 10


def test_more_code_in_iram_takes_heap_only_behind_its_end() -> None:
    small, full = model(60_000, on=True), model(IRAM_SIZE, on=True)
    for program, share in ((small, 0), (full, 1)):
        moved = program.of(program.scene.config.changed_to({"LWIP_IRAM_OPTIMIZATION": True}))
        more = program.at(APP_MAIN).linking("wifi"), moved.at(APP_MAIN).linking("wifi")
        lost = -more[0].difference(more[1], APP_MAIN).median
        assert (lost > 5_000) == bool(share)


def test_the_band_of_a_forecast_holds_both_that_it_fits_and_that_it_does_not() -> None:
    """The expected bytes, and so wide a band, that 80 % of cases are in it."""
    for more in range(-20_000, 40_001, 2_500):
        sure, perhaps = code_beyond(more, 5_000.0)
        assert 0 <= sure <= max(0, more) <= sure + perhaps + 1e-6 <= MOST_BEYOND
        assert perhaps <= 5_500
    assert code_beyond(60_000, 0.0) == (MOST_BEYOND, 0.0)
    assert sum(code_beyond(-20_000, 5_000.0)) < 1


@pytest.mark.parametrize("code", CODES)
def test_the_regions_of_a_replay_end_where_the_code_begins(code: int) -> None:
    """Code in SRAM1 is at its upper end, so that the heap loses that end and no other."""
    memory = SystemMemory(model=model(code, on=True), state=APP_MAIN)
    layout = memory.layout()
    assert abs(free_of(layout) - memory.left) <= NEAR
    beyond = max(0, code - IRAM_SIZE)
    end = max(each.end for each in layout.regions if each.kind == "D/IRAM")
    assert 0x4000_0000 - end == pytest.approx(beyond, abs=16)
    assert sum(each.size for each in layout.regions if each.kind == "IRAM") <= IRAM_SIZE
