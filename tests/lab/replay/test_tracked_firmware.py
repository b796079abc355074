"""Task tracking of ESP-IDF 5.5: its own firmware's requests, addresses and print-outs."""

from __future__ import annotations

import csv
import functools
from pathlib import Path

import pytest
import zstandard

import heapscope as hs
from heapscope.capture.line_forms import import_text
from heapscope.simulation.result.result import ReplayResult

DATA = Path(__file__).with_name("tracked")
#: A lock that printf has while the firmware prints, and its entry: no request of the trace.
PRINTF = 84 + 4 + 8 + 20


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> ReplayResult:
    folder = tmp_path_factory.mktemp("tracked")
    unpack = zstandard.ZstdDecompressor().decompressobj
    for name in ("trace.txt", "start.log"):
        (folder / name).write_bytes(unpack().decompress((DATA / f"{name}.zst").read_bytes()))
    import_text(folder / "trace.txt", folder / "T.hst")
    return hs.replay(folder / "T.hst", state=folder / "start.log")


@functools.cache
def printed() -> tuple[dict[str, str], ...]:
    return tuple(csv.DictReader((DATA / "figures.csv").read_text().splitlines()))


def test_every_address_of_the_firmware_is_met(result: ReplayResult) -> None:
    assert {region.allocator for region in result.regions} == {"idf-5.5+track"}
    assert (result.summary.address_matched, result.summary.address_compared) == (1337, 1337)


def test_every_region_stands_as_the_firmware_prints_it(result: ReplayResult) -> None:
    regions = {(mark.name, row.start): row for mark in result.marks for row in mark.regions}
    rows = [row for row in printed() if row["memory"] != "malloc"]
    assert len(rows) == 8 * 4
    for row in rows:
        one = regions[row["mark"], int(row["memory"], 16)]
        figures = (one.reported_free, one.largest_reported, one.used_blocks, one.free_blocks)
        told = ("free", "largest", "used_blocks", "free_blocks")
        assert figures == tuple(int(row[name]) for name in told), row
        assert 0 <= one.reported_minimum_free - int(row["min_free"]) <= PRINTF, row


def test_the_sums_are_those_of_heap_caps_get_info(result: ReplayResult) -> None:
    """The largest block has the task's word taken off once for each region that comes after it."""
    sums = {mark.name: mark.sets[0] for mark in result.marks}
    for row in printed():
        if row["memory"] == "malloc":
            one = sums[row["mark"]]
            assert one.free_reported == int(row["free"])
            assert one.largest_reported == int(row["largest"])


def test_the_parts_of_a_region_are_its_whole(result: ReplayResult) -> None:
    for one in result.regions:
        parts = one.control + one.header + one.startup + one.payload + one.rounding + one.free
        assert parts == one.size
