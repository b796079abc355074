"""Options that give RAM of a firmware back: each with its line, and no byte twice."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.lab.ram.ram_of import ram_of
from tests.lab.static.conftest import MAP
from tests.lab.static.test_static_image import esp32
from typer.testing import CliRunner

from heapscope.answers.ram.firmware import read_built
from heapscope.answers.ram.had_back import by_options
from heapscope.answers.ram.states import heap_model
from heapscope.cli.app import app
from heapscope.config.value import Value
from heapscope.forecast.predict.demand import Demand


@pytest.fixture
def build(tmp_path: Path) -> Path:
    (tmp_path / "sdkconfig").write_text(
        '# Espressif IoT Development Framework (ESP-IDF) 5.3.1\nCONFIG_IDF_TARGET="esp32"\n'
    )
    described = {"app_bin": "app.bin", "target": "esp32"}
    (tmp_path / "project_description.json").write_text(json.dumps(described), encoding="utf-8")
    image = esp32(bluetooth=False, text=b"wifi driver task\0tcpip_thread\0")
    (tmp_path / "app.bin").write_bytes(image)
    return tmp_path


def value_of(text: str) -> Value:
    return {"y": True, "n": False}[text] if text in "yn" else int(text)


def test_the_bytes_of_all_together_are_their_sum(build: Path) -> None:
    back = ram_of(build).back
    assert 5 <= len(back) <= 10
    lines = [line.removeprefix("CONFIG_").split("=") for row in back for line in row.lines]
    model = heap_model(read_built(str(build), chip=None, idf=None), Demand())
    assert model is not None
    after = model.of(model.scene.config.changed_to({name: value_of(at) for name, at in lines}))
    won = model.difference(after, model.busiest).median
    assert abs(won - sum(row.bytes for row in back)) <= len(back)
    assert all(row.low <= row.bytes <= row.high and row.loses for row in back)
    assert len({name for name, _ in lines}) == len(lines)


def test_code_gives_what_this_map_has_of_it_to_the_byte(build: Path) -> None:
    (build / "app.bin").unlink()
    text = MAP.replace("net/libnet.a", "heap/libheap.a").replace("0x3fe ", "0x1fe ")
    (build / "app.map").write_text(text, encoding="utf-8")
    back = ram_of(build).back
    rows = {row.lines[0]: row for row in back if "INTO_FLASH" in row.lines[0]}
    assert set(rows) == {"CONFIG_HEAP_PLACE_FUNCTION_INTO_FLASH=y"}  # no other archive is linked
    (row,) = rows.values()
    assert (row.low, row.bytes, row.high) == (4 + 0x1FE,) * 3  # and not its data
    assert row.what == "libheap.a"


def test_code_that_goes_is_no_more_than_its_archive_has_in_this_map(build: Path) -> None:
    (build / "app.bin").unlink()
    text = MAP.replace("net/libnet.a", "heap/libheap.a").replace("0x3fe ", "0x1fe ")
    (build / "app.map").write_text(text, encoding="utf-8")
    firmware = read_built(str(build), chip=None, idf=None)
    model = heap_model(firmware, Demand())
    assert model is not None
    rows = {row.lines[0]: row for row in by_options(model, firmware.use, "DRAM")}
    row = rows["CONFIG_HEAP_PLACE_FUNCTION_INTO_FLASH=y"]
    assert (row.bytes, row.high) == (4 + 0x1FE + 0x20, 4 + 0x1FE + 0x20)


def test_a_line_to_copy_is_whole_in_a_narrow_terminal(build: Path) -> None:
    lines = [line for row in ram_of(build).back for line in row.lines]
    for width in ("80", "40"):
        result = CliRunner().invoke(app, ["ram", str(build)], env={"COLUMNS": width})
        words = result.stdout.split()
        assert all(line in words for line in lines)
