"""A trace that starts from the state of a device's log."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import heapscope as hs
from heapscope.base.errors import InputError
from heapscope.logs.heaps.hole import HoleHeap
from heapscope.memory.layout.layout import MallocRule, Region
from heapscope.native.config import HeldBlock
from heapscope.native.state import NativeState

MakeTrace = Callable[..., Path]
START, SIZE = 0x3FFE_4350, 113_840  # D/IRAM of an ESP32
BEFORE = [20_000, 300, 4000, 300, 9000, 12]
AFTER = ["a 1 5000", "a 2 200", "a 3 3000", "f 1", "a 4 700", "r 2 4000", "f 3", "a 5 60000"]


def blocks_before(allocator: str) -> tuple[HeldBlock, ...]:
    """The heap of a device that has made the requests of BEFORE."""
    region = Region(start=START, size=SIZE, kind="D/IRAM", caps=(0x1804, 0, 0), allocator=allocator)
    heap = HoleHeap(region, MallocRule(small=0x1800), 0)
    with NativeState(heap.config(())) as state:
        for size in BEFORE:
            assert state.request(size).region == 0
        return state.blocks(0)


def dump(blocks: tuple[HeldBlock, ...]) -> str:
    lines = [f"Showing data for heap: {START:#010x} "]
    lines += [
        f"Block {one.address:#010x} data, size: {one.size} bytes, "
        f"Free: {'No' if one.used else 'Yes'} "
        for one in blocks
    ]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("idf", ["4.3.2", "4.4.8", "5.3", "5.5"])
def test_a_trace_goes_on_where_the_dump_was_built(
    idf: str, tmp_path: Path, make_trace: MakeTrace
) -> None:
    """One replay of all requests, and one of the later ones from the dump, end alike."""
    allocator = {"4.3.2": "idf-4.3.2", "4.4.8": "idf-5.1", "5.3": "idf-5.3", "5.5": "idf-5.5"}[idf]
    log = tmp_path / "state.log"
    log.write_text(dump(blocks_before(allocator)))
    later = make_trace(*AFTER, name="later.hst")
    whole = make_trace(*[f"a {100 + i} {n}" for i, n in enumerate(BEFORE)], *AFTER, name="all.hst")
    layout = tmp_path / "one.toml"
    layout.write_text(
        "[[region]]\n"
        f'start = {START}\nsize = {SIZE}\nkind = "D/IRAM"\n'
        f'caps = ["8BIT|DEFAULT|INTERNAL", "", ""]\nallocator = "{allocator}"\n'
    )
    expected = hs.replay(whole, layout=layout)
    result = hs.replay(later, state=log, chip="esp32", idf=idf, allocator=allocator)
    (one,), (other,) = expected.regions, result.regions
    for name in ("free", "largest_free", "largest_reported", "used_blocks", "reported_free"):
        assert getattr(one, name) == getattr(other, name), name
    assert result.summary.failures == expected.summary.failures
    assert result.summary.live == expected.summary.live - sum(BEFORE)
    assert other.startup >= sum(BEFORE)


SUMMARY = (
    "Heap summary for capabilities 0x00000004:\n"
    "  At 0x3ffe4350 len 113840 free 45764 allocated 67200 min_free 45764\n"
    "    largest_free_block 45056 alloc_blocks 1 free_blocks 1 total_blocks 2\n"
    "  Totals:\n"
    "    free 45764 allocated 67200 min_free 45764 largest_free_block 45056\n"
)


def test_a_summary_with_one_free_block_a_region_is_a_start(
    tmp_path: Path, make_trace: MakeTrace
) -> None:
    log = tmp_path / "state.log"
    log.write_text(SUMMARY)
    trace = make_trace("a 1 45056", "a 2 400", "f 1", "a 3 45057")
    result = hs.replay(trace, state=log, chip="esp32", idf="4.4.8")
    assert result.summary.failures == 1
    assert result.regions[0].minimum_free == 45_756 - 45_056 - 4 - 400 - 4
    assert any("aligned" in note for note in result.layout.notes)


def test_the_sdkconfig_tells_what_a_log_does_not(tmp_path: Path, make_trace: MakeTrace) -> None:
    """Its chip, release and debugging of the heap; one of another firmware is refused."""
    log, config = tmp_path / "state.log", tmp_path / "sdkconfig"
    log.write_text(SUMMARY)
    later = make_trace(*AFTER, name="later.hst")
    plain = 'CONFIG_IDF_TARGET="esp32"\n'
    config.write_text(plain)
    result = hs.replay(later, state=log, sdkconfig=config, idf="4.4.8")
    assert result.regions == hs.replay(later, state=log, chip="esp32", idf="4.4.8").regions
    assert not any("heap poisoning is unknown" in note for note in result.layout.notes)
    config.write_text(f"{plain}CONFIG_HEAP_POISONING_LIGHT=y\n")
    with pytest.raises(InputError, match=r"the heap with \+light"):
        hs.replay(later, state=log, sdkconfig=config, idf="4.4.8")


def test_a_start_is_as_new(tmp_path: Path, make_trace: MakeTrace) -> None:
    log = tmp_path / "boot.log"
    log.write_text(
        "I (239) heap_init: At 3FFAE6E0 len 00001920 (6 KiB): DRAM\n"
        "I (245) heap_init: At 3FFE0440 len 0001FBC0 (126 KiB): D/IRAM\n"
    )
    trace = make_trace("a 1 100", "a 2 100000")
    result = hs.replay(trace, state=log, chip="esp32", idf="5.5")
    assert [row.startup for row in result.regions] == [0, 0]
    assert result.summary.failures == 0


ESP32 = {"chip": "esp32"}


@pytest.mark.parametrize(
    ("text", "options", "message", "remedy"),
    [
        (SUMMARY, {"idf": "5.5", "pool": "64KB"}, "--state and --pool", "leave --pool out"),
        (
            SUMMARY.replace("3ffe4350", "10004350"),
            {"idf": "4.4.8"},
            "the chip is not known",
            "--chip",
        ),
        (SUMMARY, ESP32, "4 allocators print", "--idf"),
        (SUMMARY, ESP32 | {"idf": "4.2"}, "are not printed by any release", "check the lines"),
        (SUMMARY, ESP32 | {"allocator": "idf-4.2"}, "not printed by idf-4.2", "check the lines"),
        (
            SUMMARY.replace("45764", "45760").replace(
                "blocks 1 free_blocks 1", "blocks 2 free_blocks 2"
            ),
            ESP32 | {"idf": "4.4.8"},
            "2 free blocks whose sizes",
            "heap_caps_dump",
        ),
        ("nothing\n", {}, "no state of a heap", "heap_caps_print_heap_info"),
    ],
)
def test_what_leaves_the_start_open_is_refused(
    text: str,
    options: dict[str, str],
    message: str,
    remedy: str,
    tmp_path: Path,
    make_trace: MakeTrace,
) -> None:
    log = tmp_path / "state.log"
    log.write_text(text)
    with pytest.raises(InputError, match=message) as caught:
        hs.replay(make_trace("a 1 100"), state=log, **options)
    assert remedy in str(caught.value.remedy)
