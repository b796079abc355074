"""Leaks of states without events: images, and dumps and tables in a log."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import heapscope as hs
from heapscope.base.errors import InputError
from heapscope.base.growth import growth
from heapscope.logs.answer.held import HeldResult
from heapscope.logs.heaps.held_heaps import labelled
from heapscope.logs.heaps.state_file import state_file

CAPTURED = Path(__file__).parents[1] / "image" / "captured"
TASKS = Path(__file__).parents[1] / "capture" / "logs" / "esp32s3_v5.5_leaks.log"
FIRST, LAST = (
    f"{CAPTURED / name}.3fc8c600.zst@0x3fc8c600" for name in ("c3_comprehensive", "c3_514_light")
)
Logged = Callable[[str], Path]


@pytest.fixture
def logged(tmp_path: Path) -> Logged:
    def write(text: str) -> Path:
        path = tmp_path / "device.log"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def states(*files: str | Path) -> HeldResult:
    result = hs.leaks(*files)
    assert isinstance(result, HeldResult)
    return result


def test_one_image_tells_who_holds_what_and_convicts_nobody() -> None:
    result = states(FIRST)
    image = hs.image(FIRST)
    assert result.bytes == sum(row.bytes for row in image.census)
    assert [(row.name, row.blocks, row.bytes) for row in result.holders] == [
        (row.name, row.blocks, row.bytes) for row in image.census
    ]
    assert {row.verdict for row in result.holders} == {"unknown", "no pointer"}
    assert {row.change for row in result.holders} == {None}
    unreached = sum(row.bytes for row in image.suspects if row.reach == "none")
    assert result.unreached == unreached == 2_600
    assert result.answer[-1].startswith("One state shows who holds what")


def test_two_images_tell_the_growth_of_each_holder() -> None:
    before, after = ({row.name: row.bytes for row in hs.image(one).census} for one in (FIRST, LAST))
    result = states(FIRST, LAST)
    assert {row.name: row.change for row in result.holders} == {
        name: after.get(name, 0) - before.get(name, 0) for name in {**before, **after}
    }
    grown = f"{sum(after.values()) - sum(before.values()):,} B"
    assert f"the bytes in use grew by {grown}" in result.answer[2]
    assert "is unknown" in result.answer[-1]


def test_tables_of_tasks_tell_their_growth() -> None:
    result = states(TASKS)
    assert [(row.name, row.bytes, row.change) for row in result.holders] == [
        ("task sensor", 11_264, 6_144),
        ("task Pre-scheduler", 2_236, 0),
        ("task main", 1_204, 0),
    ]


def block(address: int, size: int, *, used: bool) -> str:
    """A line of heap_caps_dump()."""
    return f"Block 0x{address:08x} data, size: {size} bytes, Free: {'No' if used else 'Yes'} \n"


def dump(sizes: list[int]) -> str:
    text, address = "Showing data for heap: 0x3fc90000 \n", 0x3FC90100
    for each in sizes:
        text += block(address, each, used=True)
        address += each + 4
    return text + block(address, 4_000, used=False)


def test_dumps_of_a_heap_are_moments_by_the_sizes_of_blocks(logged: Logged) -> None:
    path = logged("\n".join(dump([64, 64] + [48] * count) for count in (1, 5, 9)))
    result = states(path)
    assert [(row.name, row.blocks, row.change) for row in result.holders] == [
        ("blocks of 48 B", 9, 8 * 48),
        ("blocks of 64 B", 2, 0),
    ]
    assert len(result.places) == 3
    assert "nothing came back so far" in result.answer[-1]


@pytest.mark.parametrize("options", [{"begin": "x"}, {"suppress": "r.txt"}, {"pool": 65_536}])
def test_a_state_has_no_events_that_an_option_can_be_about(options: dict[str, object]) -> None:
    with pytest.raises(InputError, match="a state has none"):
        hs.leaks(TASKS, **options)  # type: ignore[arg-type]


def test_what_is_neither_a_trace_nor_a_state_is_refused(logged: Logged) -> None:
    with pytest.raises(InputError, match="no text form of a trace"):
        hs.leaks(logged("Nothing of a heap is here.\n"))
    with pytest.raises(InputError, match="neither a trace nor a state"):
        hs.leaks(TASKS, logged("Nothing of a heap is here.\n"))
    with pytest.raises(InputError, match="no heap is in it"):
        hs.leaks(CAPTURED / "esp32_tracking.core.zst")


@pytest.mark.parametrize(
    ("totals", "parts"),
    [
        ([500], []),
        ([500, 500], ["did not change: 500 B."]),
        ([500, 300], ["fell by 200 B, from 500 B to 300 B: a -200 B."]),
        ([300, 500], ["grew by 200 B", "that comes back is unknown"]),
        ([300, 400, 500], ["grew by 200 B", "nothing came back so far"]),
        (
            [300, 900, 500],
            ["grew by 200 B", "were 900 B (2), of which 400 B came back", "Some of it came back"],
        ),
    ],
)
def test_growth_says_what_came_back(totals: list[int], parts: list[str]) -> None:
    moments = [{"a": total} for total in totals]
    places = [str(number + 1) for number in range(len(totals))]
    result = list(growth(moments, places, what="the bytes in use", one="dump"))
    assert len(result) == len(parts)
    for sentence, part in zip(result, parts, strict=True):
        assert part in sentence


def test_a_state_file_tells_what_its_image_tells_but_pointers(tmp_path: Path) -> None:
    kept = tmp_path / "state.hst"
    kept.write_bytes(state_file(labelled(FIRST)))
    of_image, of_file = states(FIRST), states(kept)
    assert [row.name for row in of_file.holders] == [row.name for row in of_image.holders]
    assert [(row.blocks, row.bytes, row.largest) for row in of_file.holders] == [
        (row.blocks, row.bytes, row.largest) for row in of_image.holders
    ]
    assert {row.verdict for row in of_file.holders} == {"unknown"}
