"""The bytes that a program wrote over in the memory of real firmware are found."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from heapscope.answers.image.find import find_heaps
from heapscope.answers.image.heap import ImageHeap
from heapscope.memory.image.read import read_images

HERE = Path(__file__).parent / "damaged"
ROWS = tuple(csv.DictReader((HERE / "damage.csv").open(encoding="utf-8")))
SEEN = [row for row in ROWS if row["kind"]]
UNSEEN = [row for row in ROWS if not row["kind"]]  # in slack, or a free that nobody repeated yet


def heaps_in(row: dict[str, str]) -> tuple[ImageHeap, ...]:
    address = row["file"].split(".")[1]
    return find_heaps(read_images([f"{HERE / row['file']}@0x{address}"]))


@pytest.mark.parametrize("row", SEEN, ids=lambda row: row["file"].split(".")[0])
def test_the_bytes_and_their_block_are_named(row: dict[str, str]) -> None:
    heaps = heaps_in(row)
    ((heap, found),) = [(heap, one) for heap in heaps for one in heap.damage]
    block = next(one for one in heap.blocks if one.address == found.block)
    victim = int(row["block"], 0)
    assert (found.address, found.size) == (int(row["at"], 0), int(row["bytes"]))
    assert found.kind == row["kind"]
    assert block.address <= victim < block.end
    assert not block.used or block.given == victim
    assert found.before
    assert found.after


@pytest.mark.parametrize("row", UNSEEN, ids=lambda row: row["file"].split(".")[0])
def test_what_cannot_be_seen_is_not_claimed(row: dict[str, str]) -> None:
    heaps = heaps_in(row)
    assert heaps
    assert not any(heap.damage for heap in heaps)
