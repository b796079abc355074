"""The names of a trace with very many of them."""

from __future__ import annotations

import random

import numpy as np
import pytest

from heapscope.native.events import NativeWriter, event_dtype
from heapscope.native.reader import NameTable, NativeReader
from heapscope.trace.call_sites import site_names


def read(names: dict[int, bytes], used: list[int]) -> NativeReader:
    rows = np.zeros(len(used), dtype=event_dtype())
    rows["kind"], rows["size"], rows["key"] = 1, 8, np.arange(len(used))
    rows["site"] = used
    with NativeWriter(features=4) as writer:
        for index, name in names.items():
            writer.name(NameTable.SITE, index, name)
        writer.events(rows)
        writer.finish()
        data = b"".join(writer.take())
    reader = NativeReader()
    reader.push(data)
    reader.finish()
    return reader


def test_each_index_has_its_own_name(seed: int) -> None:
    chance = random.Random(seed)
    named = {chance.randrange(1 << 20): chance.randbytes(chance.randrange(40)) for _ in range(500)}
    used = [chance.randrange(1, 1 << 20) for _ in range(50)]
    with read(named, used) as reader:
        names = reader.names(NameTable.SITE)
    expected: dict[int, bytes | None] = {**dict.fromkeys(used), **named}
    assert list(names) == sorted(expected)
    assert dict(names) == expected
    for index in (-1, 1 << 40, max(expected) + 1):
        assert index not in names


@pytest.mark.parametrize("many", [2, 3000])
def test_equal_names_are_told_apart_and_no_others(many: int) -> None:
    named = {index: b"main;f%d" % index for index in range(1, 2000)}
    equal = range(5000, 5000 + many)
    with read(named | dict.fromkeys(equal, b"main;g"), [1]) as reader:
        sites = site_names(reader.names(NameTable.SITE))
    assert {sites[index] for index in named} == {f"f{index} ← main" for index in named}
    assert {sites[index] for index in equal} == {f"g (site {index}) ← main" for index in equal}
