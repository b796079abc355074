"""The windows of each chip agree with the memory that its heap may have."""

from __future__ import annotations

import pytest

from heapscope.memory.layout.chips import chip_names, load_chip
from heapscope.memory.static.window import read_windows


@pytest.mark.parametrize("chip", chip_names())
def test_all_memory_that_may_be_heap_is_in_one_window(chip: str) -> None:
    windows = read_windows(chip)
    for version in load_chip(chip).data.versions:
        for entry in version.map:
            if entry.option == "psram" or not entry.on:
                continue
            first, last = windows.find(entry.start), windows.find(entry.end - 1)
            assert first is not None
            assert last is not None
            assert first[0] == last[0]


@pytest.mark.parametrize("chip", chip_names())
def test_windows_do_not_overlap(chip: str) -> None:
    spans = [
        (base, base + window.size)
        for window in read_windows(chip).windows
        for base in {window.start, window.start if window.code is None else window.code}
    ]
    for (_, end), (start, _) in zip(sorted(spans), sorted(spans)[1:], strict=False):
        assert end <= start


def test_code_addresses_are_those_of_the_data() -> None:
    """On the C3, code at 0x40380200 takes the memory of data at 0x3FC80200."""
    result = read_windows("esp32c3").find(0x40380200)
    assert result is not None
    assert result[1] == 0x3FC80200
