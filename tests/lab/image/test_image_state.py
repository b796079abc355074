"""A trace goes on from a device's memory, with the addresses that the device would give."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from tests.lab.image.drawn_heap import START, DrawnHeap, state_of
from tests.lab.image.dumps import captured, put

import heapscope as hs
from heapscope.base.errors import InputError
from heapscope.base.output import open_output
from heapscope.cli.verbs.compare import compare
from heapscope.cli.verbs.log import log
from heapscope.cli.verbs.why import why
from heapscope.logs.answer.log_comparison import LogComparison
from heapscope.logs.heaps.held_heaps import is_image, labelled
from heapscope.logs.heaps.image_state import image_layout
from heapscope.logs.heaps.state_file import state_file

MakeTrace = Callable[..., Path]
ALLOCATORS = ["idf-4.2", "idf-4.4.0", "idf-5.1+light", "idf-5.5", "idf-5.5+light"]


def written(drawn: DrawnHeap, random: Random, folder: Path, *, name: str = "") -> Path:
    path = folder / f"{START:08x}{name}.raw"
    path.write_bytes(drawn.memory(random))
    return path


@pytest.mark.parametrize("allocator", ALLOCATORS)
def test_the_next_requests_get_the_device_s_addresses(
    allocator: str, seed: int, tmp_path: Path
) -> None:
    random = Random(f"{seed} {allocator}")
    drawn = DrawnHeap.draw(allocator, random)
    path = written(drawn, random, tmp_path)
    assert is_image(str(path))
    layout = image_layout(str(path), allocator=allocator)
    (one,) = layout.regions
    with state_of(one) as state:
        for _ in range(100):
            size = random.randint(1, 400)
            assert vars(state.request(size)) == vars(drawn.state.request(size))


@pytest.mark.parametrize("allocator", ["heap_4", "heap_4-4"])
def test_a_heap_of_freertos_goes_on(allocator: str, seed: int, tmp_path: Path) -> None:
    random = Random(f"{seed} {allocator}")
    drawn = DrawnHeap.draw(allocator, random)
    path = written(drawn, random, tmp_path)
    (one,) = image_layout(str(path)).regions
    assert one.allocator == allocator
    with state_of(one) as state:
        for _ in range(100):
            size = random.randint(1, 900)
            assert vars(state.request(size)) == vars(drawn.state.request(size))


@pytest.mark.parametrize("allocator", ["umm", "sys_heap", "heapscope"])
def test_a_heap_whose_next_blocks_are_not_known_is_no_state(
    allocator: str, seed: int, tmp_path: Path
) -> None:
    random = Random(f"{seed} {allocator}")
    path = written(DrawnHeap.draw(allocator, random), random, tmp_path)
    with pytest.raises(InputError):
        image_layout(str(path))


def test_a_trace_is_replayed_from_an_image(
    seed: int, tmp_path: Path, make_trace: MakeTrace
) -> None:
    random = Random(seed)
    drawn = DrawnHeap.draw("idf-5.5+light", random)
    path = written(drawn, random, tmp_path)
    later = make_trace(*[f"a {number} {100 + number}" for number in range(20)])
    result = hs.replay(later, state=path)
    for number in range(20):
        drawn.state.request(100 + number)
    (row,) = drawn.state.regions()
    assert result.regions[0].free == row.free
    assert result.regions[0].largest_free == row.largest_free


@pytest.mark.parametrize("allocator", ALLOCATORS)
def test_a_state_file_is_the_image_s_state(allocator: str, seed: int, tmp_path: Path) -> None:
    random = Random(f"{seed} {allocator}")
    path = written(DrawnHeap.draw(allocator, random), random, tmp_path)
    file = tmp_path / "state.hst"
    file.write_bytes(state_file(labelled(str(path))))
    (one,) = image_layout(str(path), allocator=allocator).regions
    assert image_layout(str(file), allocator=allocator).regions == (one,)
    assert log(file, need=[500], idf="").requests == log(path, need=[500], idf="").requests


def test_a_state_file_is_a_trace_whose_blocks_lie_where_they_lay(seed: int, tmp_path: Path) -> None:
    random = Random(seed)
    drawn = DrawnHeap.draw("idf-5.5+light", random)
    path = written(drawn, random, tmp_path)
    (row,) = drawn.state.regions()
    need = row.largest_free + 8
    for trace in path, tmp_path / "state.hst.zst":
        result = why(trace, need=[need], allocator="idf-5.5+light")
        assert result.trace.path == str(trace)
        (region,) = result.needs[0].worst.case.regions
        assert (region.free, region.largest_free) == (row.free, row.largest_free)
        with open_output(tmp_path / "state.hst.zst") as write:
            write(state_file(labelled(str(path))))


def test_a_damaged_state_file_is_no_state(seed: int, tmp_path: Path) -> None:
    random = Random(seed)
    path = written(DrawnHeap.draw("idf-5.1", random), random, tmp_path)
    file = tmp_path / "state.hst"
    data = bytearray(state_file(labelled(str(path))))
    for _ in range(30):
        at = random.randrange(len(data))
        file.write_bytes(bytes(data[:at]) + bytes([data[at] ^ 0x41]) + bytes(data[at + 1 :]))
        try:
            image_layout(str(file), allocator="idf-5.1")
        except InputError:
            continue


def test_a_log_s_questions_are_answered_by_an_image(seed: int, tmp_path: Path) -> None:
    """Where two free blocks of one size class differ, the image has their order, and a dump in a
    log has not."""
    random = Random(seed)
    drawn = DrawnHeap.draw("idf-5.5+light", random)
    path = written(drawn, random, tmp_path)
    sizes = [random.randint(20, 900) for _ in range(8)]
    result = log(path, requests=", ".join(map(str, sizes)))
    served = [drawn.state.request(size) for size in sizes]
    assert [row.address for row in result.requests] == [one.address for one in served]


def test_two_images_are_compared_by_their_blocks(seed: int, tmp_path: Path) -> None:
    random = Random(seed)
    drawn = DrawnHeap.draw("idf-5.5+light", random)
    first = written(drawn, random, tmp_path, name=".before")
    for _ in range(3):
        served = drawn.state.request(777)
        drawn.live[served.address] = served, 777
    second = written(drawn, random, tmp_path, name=".after")
    result = compare(str(first), str(second))
    assert isinstance(result, LogComparison)
    (row,) = [row for row in result.rows if row.name == "of 777 B"]
    assert (row.values[1] or 0) - (row.values[0] or 0) == 3 * 777


def test_a_damaged_heap_is_no_state(seed: int, tmp_path: Path) -> None:
    random = Random(seed)
    drawn = DrawnHeap.draw("idf-5.1", random)
    memory = drawn.memory(random)
    block = next(one for one in drawn.blocks[3:] if one.used)
    at = block.address - START - 4
    memory[at : at + 4] = b"\x5a" * 4
    path = tmp_path / f"{START:08x}.raw"
    path.write_bytes(memory)
    with pytest.raises(InputError, match="damaged at"):
        image_layout(str(path), allocator="idf-5.1")


def test_a_dump_of_used_blocks_alone_is_no_state(tmp_path: Path) -> None:
    """An earlier version wanted all of the RAM, as if a part of the heap had been lost."""
    with pytest.raises(InputError, match=r"used blocks of the heap at 0x[0-9a-f]{8} alone"):
        image_layout(put(tmp_path, "c3_none.core"), chip="esp32c3", idf="5.5")


def test_two_core_dumps_show_what_grew_and_nothing_of_what_is_free(tmp_path: Path) -> None:
    first, second = tmp_path / "first.core", tmp_path / "second.core"
    data = captured("c3_none.core")
    first.write_bytes(data)
    second.write_bytes(data[: 9 * len(data) // 10])  # a block's text is missing: another name
    result = compare(str(first), str(second))
    assert isinstance(result, LogComparison)
    assert {row.section for row in result.rows} >= {"blocks by name", "blocks in use"}
    assert not [row for row in result.rows if "free" in row.name]
    assert any("The blocks that grew most in second.core" in line for line in result.conclusion)
    assert sum("is free is not known" in note for note in result.notes) == 2
