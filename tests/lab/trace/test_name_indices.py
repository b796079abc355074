"""A trace chooses its indices of tasks, sites, marks and heaps: what a verb does follows how many
there are, and not the highest of them."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import heapscope as hs
from heapscope.memory.options import MemoryOptions
from heapscope.native.events import NativeWriter, event_dtype
from heapscope.native.reader import NameTable, NativeReader
from heapscope.trace.all_names import read_all_names
from heapscope.trace.feed import read_trace

MALLOC, MARK, SITES = 1, 7, 4
HIGHEST = 0xF_FFFF
SIDES: tuple[MemoryOptions, ...] = ({"idf": "4.2"}, {"idf": "5.5"})
VERBS: dict[str, Callable[[Path, Path], Any]] = {
    "contents": lambda trace, _: hs.replay(trace),
    "replay": lambda trace, _: hs.replay(trace, pool="8KB", allocator="tlsf"),
    "leaks": lambda trace, _: hs.leaks(trace),
    "why": lambda trace, _: hs.why(trace, pool="1KB", allocator="heap_4"),
    "fit": lambda trace, _: hs.fit(trace, allocator="tlsf"),
    "csv": lambda trace, out: hs.export(trace, to="csv", out=out / "x.csv"),
    "json": lambda trace, out: hs.export(trace, to="json", out=out / "x.json"),
    "compare": lambda trace, _: hs.compare(trace, chip="esp32", sides=SIDES, parts=True),
}


def trace_of(path: Path, index: int, *, named: bool = True) -> Path:
    """Twenty events; one task, one site and one mark have the index."""
    rows = [(key, 0, 100, 0, 0, 0, 0, 0, MALLOC, 0) for key in range(20)]
    rows[7] = (7, 0, 100, 0, index, 0, index, 0, MALLOC, 0)
    rows.append((index, 0, 0, 0, 0, 0, 0, 0, MARK, 0))
    with NativeWriter(features=SITES) as writer:
        for table in (NameTable.TASK, NameTable.SITE, NameTable.MARK) if named else ():
            writer.name(table, index, b"net")
        writer.events(np.array(rows, dtype=event_dtype()))
        writer.finish()
        path.write_bytes(b"".join(writer.take()))
    return path


@pytest.mark.parametrize("named", [True, False])
def test_names_are_those_that_are_named_or_used(tmp_path: Path, *, named: bool) -> None:
    trace = trace_of(tmp_path / "T.hst", HIGHEST, named=named)
    name = b"net" if named else None
    with NativeReader() as reader:
        read_trace(trace, reader)
        assert reader.names(NameTable.TASK) == {0: None, HIGHEST: name}
        assert reader.names(NameTable.SITE) == {HIGHEST: name}
        assert reader.names(NameTable.MARK) == ({HIGHEST: b"net"} if named else {})
        assert reader.names(NameTable.HEAP) == {0: None}
    assert read_all_names(trace).tasks[HIGHEST] == ("net" if named else f"task {HIGHEST}")


@pytest.mark.cells(3)
@pytest.mark.parametrize("verb", VERBS)
def test_the_highest_index_costs_no_memory(verb: str, tmp_path: Path) -> None:
    def peak(index: int) -> int:
        trace = trace_of(tmp_path / f"{index}.hst", index)
        VERBS[verb](trace, tmp_path)  # what it imports and keeps
        tracemalloc.start()
        try:
            VERBS[verb](trace, tmp_path)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    assert peak(HIGHEST) < peak(5) + (1 << 18)


def test_a_table_has_the_same_names_however_high_they_are(tmp_path: Path) -> None:
    for to in ("csv", "json"):
        texts = []
        for index in (5, HIGHEST):
            out = tmp_path / f"{index}.{to}"
            hs.export(trace_of(tmp_path / f"{index}.hst", index), to=to, out=out)
            texts.append(out.read_text().replace(str(tmp_path / f"{index}.hst"), "T"))
        assert texts[0] == texts[1]


def test_a_rule_finds_a_task_however_high_its_index_is(tmp_path: Path) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text(
        '[[private]]\nname = "net"\nsize = "8KB"\n[[rule]]\ntask = "net"\nprivate = "net"\n'
    )
    for index in (5, HIGHEST):
        trace = trace_of(tmp_path / "T.hst", index)
        result = hs.replay(trace, pool="32KB", allocator="tlsf", place=rules)
        assert [rule.requests for rule in result.placement] == [1, 19]
