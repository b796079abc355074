"""One memory: predict, replay, why, compare, tune and log take the same of one configuration."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from heapscope.cli.app import app

MakeTrace = Callable[..., Path]
#: Options of the system, of networks and of the heap; which network is linked is none of them.
LINES = {
    "FREERTOS_UNICORE": ("y", "n"),
    "FREERTOS_HZ": (100, 1000),
    "FREERTOS_PLACE_FUNCTIONS_INTO_FLASH": ("y", "n"),
    "ESP_SYSTEM_ALLOW_RTC_FAST_MEM_AS_HEAP": ("y", "n"),
    "ESP_MAIN_TASK_STACK_SIZE": (3584, 8192),
    "ESP_TIMER_TASK_STACK_SIZE": (3584, 6144),
    "HEAP_POISONING_LIGHT": ("y", "n"),
    "HEAP_PLACE_FUNCTION_INTO_FLASH": ("y", "n"),
    "LWIP_IRAM_OPTIMIZATION": ("y", "n"),
    "LWIP_TCP_WND_DEFAULT": (4320, 17280),
    "ESP_WIFI_STATIC_RX_BUFFER_NUM": (6, 16),
    "ESP_WIFI_IRAM_OPT": ("y", "n"),
    "COMPILER_OPTIMIZATION_SIZE": ("y", "n"),
    "LOG_DEFAULT_LEVEL_NONE": ("y", "n"),
}
CHIPS = {
    "esp32": ("4.2", "4.4", "5.1", "5.5", "6.0"),
    "esp32s2": ("4.3", "5.3"),
    "esp32s3": ("4.4", "5.5"),
    "esp32c2": ("5.1", "5.5"),
    "esp32c3": ("4.4", "5.1", "6.0"),
    "esp32c6": ("5.2", "6.0"),
    "esp32h2": ("5.5",),
    "esp32p4": ("5.5",),
}
NEAR = 8  # bytes: blocks are whole


def answer(*args: object) -> dict[str, Any]:
    done = CliRunner().invoke(app, [*map(str, args), "--json", "-"])
    assert done.exit_code in (0, 1), done.output
    document: dict[str, Any] = json.loads(done.stdout)
    return document


@pytest.fixture
def draw(seed: int) -> random.Random:
    print(f"seed {seed}")
    return random.Random(seed)


def configured(folder: Path, chip: str, draw: random.Random) -> Path:
    lines = [f'CONFIG_IDF_TARGET="{chip}"']
    for name, values in LINES.items():
        if draw.random() < 0.5:
            lines.append(f"CONFIG_{name}={draw.choice(values)}")
    path = folder / "sdkconfig"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(path.read_text(encoding="utf-8"))
    return path


def free(document: dict[str, Any]) -> int:
    """Bytes that the heaps of malloc report as free before the first event."""
    rows = [row for row in document["regions"] if row["kind"] not in ("SPIRAM", "IRAM")]
    return sum(row["reported_free"] for row in rows)


def boot_log(path: Path, regions: list[dict[str, Any]]) -> Path:
    lines = [
        f"I (200) heap_init: At {row['start']:08X} len {row['size']:08X} "
        f"({row['size'] >> 10} KiB): {row['kind']}"
        for row in regions
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.mark.slow
@pytest.mark.cells(1)
@pytest.mark.parametrize(
    ("chip", "idf"), [(chip, idf) for chip, releases in CHIPS.items() for idf in releases]
)
def test_every_verb_takes_the_same_memory(
    tmp_path: Path, make_trace: MakeTrace, draw: random.Random, chip: str, idf: str
) -> None:
    config, trace = configured(tmp_path, chip, draw), make_trace("a 0 100", "f 0")
    of = ("--idf", idf)
    states = answer("predict", config, *of)["states"]
    here = ("--sdkconfig", config, *of)
    replayed = answer("replay", trace, *here)
    assert abs(free(replayed) - states["app_main"]["dram"]["median"]) <= NEAR
    assert answer("replay", trace, *here, "--load", "none")["layout"] == replayed["layout"]
    assert answer("why", trace, *here)["layout"] == replayed["layout"]
    network = "net" if "wifi_started" not in states else "wifi"
    loaded = answer("replay", trace, *here, "--load", network)
    assert abs(free(loaded) - states["load"]["dram"]["median"]) <= NEAR
    compared = answer("compare", config, "+CONFIG_ESP_MAIN_TASK_STACK_SIZE=5000", *of)
    assert compared["rungs"][0]["states"] == states
    if network == "wifi":
        tuned = answer("tune", config, *of, "--goal", "free>=1KB")["now"]
        assert tuned["median"]["free"] * 1024 == pytest.approx(
            states["load"]["dram"]["median"], abs=1
        )
    log = boot_log(tmp_path / "boot.txt", replayed["regions"])
    again = answer("replay", trace, "--boot-log", log, "--chip", chip, *of)
    assert [(row["start"], row["size"]) for row in again["regions"]] == [
        (row["start"], row["size"]) for row in replayed["regions"]
    ]


@pytest.mark.slow
def test_what_no_part_explains_is_the_same_in_every_verb(
    tmp_path: Path, make_trace: MakeTrace
) -> None:
    config, elf = tmp_path / "sdkconfig", "studies/workloads/static/firmware.elf"
    config.write_text('CONFIG_IDF_TARGET="esp32"\n', encoding="utf-8")
    of = ("--idf", "5.5", "--elf", elf)
    predicted = answer("predict", config, *of)
    replayed = answer("replay", make_trace("a 0 100", "f 0"), "--sdkconfig", config, *of)
    compared = answer("compare", config, "+CONFIG_ESP_MAIN_TASK_STACK_SIZE=5000", *of)
    assert abs(free(replayed) - predicted["states"]["app_main"]["dram"]["median"]) <= NEAR
    assert compared["rungs"][0]["states"] == predicted["states"]
    notes = predicted["notes"], replayed["layout"]["notes"], compared["notes"]
    assert {first[0] for first in notes} == {predicted["notes"][0]}
    assert predicted["notes"][0].startswith("not explained: ")
