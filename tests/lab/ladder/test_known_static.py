"""A file of one configuration's build: the others have what their parts make of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from heapscope.forecast.ladder.compared import difference_of
from heapscope.forecast.ladder.side import named_files
from heapscope.forecast.ladder.sides import sides_of, with_static
from heapscope.forecast.predict.static_use import KnownStatic

KNOWN = KnownStatic(static_dram=60_000, static_iram=80_000)


@pytest.mark.parametrize(
    ("chip", "before", "after"),
    [
        ("esp32", "@5.5", "+CONFIG_FREERTOS_UNICORE=y"),  # a cache of 32 KB becomes heap
        ("esp32", "@5.5", "+CONFIG_LWIP_IRAM_OPTIMIZATION=y"),
        ("esp32", "@5.5", "@5.3"),
        ("esp32", "@4.4", "@5.5+CONFIG_FREERTOS_UNICORE=y"),
        ("esp32c3", "@5.5", "@5.1"),
        ("esp32s3", "@5.5", "+CONFIG_ESP32S3_DATA_CACHE_64KB=y"),
    ],
)
def test_what_is_left_differs_by_what_is_gained(
    tmp_path: Path, chip: str, before: str, after: str
) -> None:
    path = tmp_path / "sdkconfig.defaults"
    path.write_text(f'CONFIG_IDF_TARGET="{chip}"\n')
    sides = sides_of(named_files([f"{path}{before}", after]), {})
    here, there = with_static(sides, KNOWN)
    assert (here.model.static_dram, here.model.static_iram) == (60_000, 80_000)
    gained = difference_of(here, there).total.states
    assert {"boot", "app_main", "load"} <= gained.keys()
    for state, gain in gained.items():
        old, new = here.model.free(state), there.model.free(state)
        for place in ("dram", "iram"):
            more = new[place].median - old[place].median
            assert abs(more - getattr(gain, place).median) < 4, (state, place)
