"""heap_caps changes a request before it looks: one rule for replay, log and why."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest

from heapscope.base import capabilities
from heapscope.cli.verbs.replay import replay
from heapscope.config.chip_data import read_chip
from heapscope.memory.layout.attempts import attempts
from heapscope.memory.layout.chips import load_chip
from heapscope.memory.layout.versions import chip_version
from heapscope.native.attempts import by_hardware

ROWS = list(csv.DictReader(Path(__file__).with_name("caps_rules.csv").open(encoding="utf-8")))
SIZE = 1001


@pytest.mark.parametrize("row", ROWS, ids=lambda row: "-".join(map(str, list(row.values())[:4])))
def test_a_request_is_changed_as_esp_idf_changes_it(row: dict[str, str]) -> None:
    """The rows were found by running ESP-IDF's own function (5.3.5 to 6.1) and by reading it."""
    chip = read_chip(row["chip"])
    version, _ = chip_version(chip, row["release"].removeprefix("v"))
    hardware = version.hardware
    if row["encryption"] == "on":
        hardware = type(hardware)(**{**vars(hardware), "encrypted": 16})
    external = capabilities.SPIRAM if row["memory"] == "SPIRAM" else 0
    asked = capabilities.parse(row["flags"]) | external
    wanted = by_hardware(hardware, SIZE, asked)
    if row["null"]:
        assert not attempts(load_chip(row["chip"]).layout(idf=version.name), asked)
        return
    taken, added = (capabilities.parse(row[each]) for each in ("taken", "added"))
    assert wanted.caps == asked & ~taken | added
    align = int(row["align"].split(" or ")[-1 if hardware.external == 128 else 0])
    if " or " in row["align"]:  # by an option: the default
        align = hardware.external
        assert str(align) in row["align"].split(" or ")
    assert wanted.align == align
    assert wanted.size == -(-SIZE // align) * align


@pytest.mark.parametrize("chip", ["esp32", "esp32p4"])
def test_before_5_3_a_request_is_as_it_was_made(chip: str) -> None:
    version, _ = chip_version(read_chip(chip), "5.2.7")
    caps = capabilities.parse("DMA|SPIRAM")
    assert by_hardware(version.hardware, SIZE, caps) == (4, SIZE, caps)


def test_dma_in_psram_is_served_from_5_3_on(make_trace: Callable[..., Path]) -> None:
    """The flag is taken off, where releases before look for a memory that has both."""
    trace = make_trace("a 1 4096 DMA|SPIRAM")
    for idf, failures in (("5.2.7", 1), ("5.3.5", 0)):
        result = replay(trace, chip="esp32s3", idf=idf, psram="8MB")
        assert result.summary.failures == failures
