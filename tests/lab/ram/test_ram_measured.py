"""The heap of a firmware as a log or a trace has it, and what its memory can do."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.lab.ram.ram_of import ram_of
from tests.lab.static.test_static_image import esp32

import heapscope as hs
from heapscope.base.errors import InputError
from heapscope.memory.static.read import read_image

FREE = "I (900) app: free heap: 200000, largest free block: 90000, minimum free: 180000\n"


@pytest.fixture
def image(tmp_path: Path) -> Path:
    path = tmp_path / "app.bin"
    path.write_bytes(esp32(bluetooth=False))
    return path


def log_of(image: Path, *, more: int = 0) -> Path:
    lines = ["I (200) heap_init: Initializing. RAM available for dynamic allocation:\n"]
    for each in read_image(image).regions:
        size = each.size - more
        lines.append(
            f"I (210) heap_init: At {each.start:08X} len {size:08X} (1 KiB): {each.kind}\n"
        )
    path = image.with_name("device.log")
    path.write_text("".join(lines) + FREE, encoding="ascii")
    return path


def test_what_a_log_has_left_stands_beside_the_heap_at_the_start(image: Path) -> None:
    result = ram_of(image, log=log_of(image))
    (row,) = result.measured
    heap = sum(bar.heap for bar in result.memories if bar.memory in ("DRAM", "D/IRAM"))
    assert (row.heap, row.held, row.free) == (heap, heap - 200_000, 200_000)
    assert (row.largest, row.least, row.source) == (90_000, 180_000, "log")
    assert any("the heap of the bars, to the byte" in note for note in result.notes)


def test_a_log_of_another_build_is_reported(image: Path) -> None:
    notes = ram_of(image, log=log_of(image, more=16)).notes
    assert any("it is of another build" in note for note in notes)


def test_a_stack_that_overflowed_in_the_log_is_named(image: Path) -> None:
    log = image.with_name("crash.log")
    log.write_text("***ERROR*** A stack overflow in task httpd has been detected.\n")
    assert "The stack of task httpd overflowed (line 1)" in ram_of(image, log=log).notes[0]


def test_a_trace_needs_the_configuration_of_the_build(image: Path, tmp_path: Path) -> None:
    trace = tmp_path / "t.hst"
    (tmp_path / "t.txt").write_text("t net\na 1 30000\na 2 24\nf 1\n", encoding="ascii")
    hs.import_(tmp_path / "t.txt", out=trace)
    with pytest.raises(InputError, match="--trace needs the configuration"):
        ram_of(image, trace=trace)
    project = tmp_path / "project"
    project.mkdir()
    (project / "CMakeLists.txt").write_text("project(x)\n", encoding="ascii")
    line = 'CONFIG_IDF_TARGET="esp32"\n'
    (project / "sdkconfig.defaults").write_text(line, encoding="ascii")
    result = ram_of(project, idf="5.5", trace=trace)
    (row,) = result.measured
    left = next(row for row in result.states if row.kind == "left")
    assert left.load is not None
    assert row.source == "trace"
    assert 30_000 <= left.load - row.free < 31_000
    assert row.largest is not None
    assert row.largest <= row.free


def test_memory_for_dma_and_for_code_is_a_part_of_the_heap(image: Path) -> None:
    result = ram_of(image)
    heap = {row.capability: row.bytes for row in result.capabilities}
    bars = {bar.memory: bar.heap for bar in result.memories}
    assert heap["8BIT"] == heap["DMA"] == bars["DRAM"] + bars["D/IRAM"]
    assert heap["EXEC"] >= bars["IRAM"] > 0
    assert "SPIRAM" not in heap
