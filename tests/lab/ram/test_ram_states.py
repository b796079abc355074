"""The heap of a firmware state by state, beside the bars of its memories."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.lab.ram.ram_of import ram_of
from tests.lab.static.test_static_image import esp32

import heapscope as hs
from heapscope.answers.ram.ram_result import RamResult
from heapscope.forecast.predict.part_table import STATES

CONFIG = {"IDF_TARGET": "esp32", "ESP_WIFI_ENABLED": True, "ESP_MAIN_TASK_STACK_SIZE": 3584}


@pytest.fixture
def build(tmp_path: Path) -> Path:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "sdkconfig.json").write_text(json.dumps(CONFIG), encoding="utf-8")
    described = {"app_bin": "app.bin", "target": "esp32"}
    (tmp_path / "project_description.json").write_text(json.dumps(described), encoding="utf-8")
    image = esp32(bluetooth=False, idf="v5.3.1", text=b"wifi driver task\0tcpip_thread\0")
    (tmp_path / "app.bin").write_bytes(image)
    return tmp_path


def sums(result: RamResult, kind: str, state: str) -> int:
    return sum(row.of(state) or 0 for row in result.states if row.kind == kind)


def test_what_is_left_is_the_heap_less_all_parts(build: Path) -> None:
    result = ram_of(build, tls=1)
    states = [state for state in STATES if result.states[0].of(state) is not None]
    assert states[:5] == ["boot", "app_main", "wifi_started", "connected", "load"]
    for state in states:
        left = sums(result, "start", state) - sums(result, "part", state)
        assert sums(result, "left", state) == left
    assert sums(result, "left", "boot") == sum(
        bar.heap for bar in result.memories if bar.memory in ("DRAM", "D/IRAM")
    )
    free = [sums(result, "left", state) for state in states]
    assert free == sorted(free, reverse=True)


def test_what_is_left_is_what_predict_says(build: Path) -> None:
    ram = ram_of(build, tls=1)
    config = str(build / "config" / "sdkconfig.json")
    told = hs.predict(config, bin=str(build / "app.bin"), idf="5.3.1", tls=1).states
    for state, free in told.items():
        assert abs(sums(ram, "left", state) - free.dram.median) <= len(ram.states)  # rounded parts


def test_why_opens_a_component_of_the_heap(build: Path) -> None:
    opened = ram_of(build, why="stacks").why_heap
    main = next(row for row in opened if row.what == "main task")
    assert main.boot is None
    assert 3584 <= (main.app_main or 0) < 4700
