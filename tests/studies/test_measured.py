"""The benchmark's figures of our heap, beside those measured of the others' real code."""

from __future__ import annotations

import pytest
from needs import MissingError

from heapscope_studies.data_file import read_measured, read_published
from heapscope_studies.heap_change import measured, timing
from heapscope_studies.heap_change.measured import KEYS, our_rows

FIGURE = {"instructions": {"x86-32-zig": 90, "rv32imc": 80}, "ns": {"host": 1.5}}
FILE = {
    "provenance": {"machine": "some PC", "commit": "abc"},
    "article": dict.fromkeys(KEYS, FIGURE),
}


def test_each_target_and_unit_is_a_row_with_its_source() -> None:
    rows = list(our_rows(FILE))
    assert [(row.target, row.unit) for row in rows] == [
        ("x86-32-zig", "instructions"),
        ("rv32imc", "instructions"),
        ("host", "ns"),
    ]
    assert {row.allocator for row in rows} == {"heapscope"}
    assert rows[0].values == dict.fromkeys(KEYS.values(), 90)
    assert "machine: some PC, commit: abc" in rows[0].source


def test_a_target_may_lack_a_figure() -> None:
    partial = {"article": {"worst_free": {"ns": {"host": 3}}}}
    (row,) = our_rows(partial)
    assert row.values == {"worst_free": 3}


def test_what_was_not_measured_is_stated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measured, "read_measured", lambda name: None)
    table = timing._real_code(measured.measured_rows())
    assert "heapscope: not measured; benches/allocators measures it" in table.notes
    assert "heapscope" not in table.column("allocator")


def test_what_was_measured_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measured, "read_measured", lambda name: FILE)
    table = timing._real_code(measured.measured_rows())
    assert table.column("allocator")[-3:] == ("heapscope",) * 3
    assert not any("not measured" in note for note in table.notes)
    assert any("some PC" in note for note in table.notes)


def test_the_benchmark_s_file_has_all_that_is_shown() -> None:
    """Skipped only as long as nobody has measured."""
    document = read_measured("heap")
    if document is None or "article" not in document:
        raise MissingError("data/measured/heap.json has no article: run benches/allocators")
    for row in our_rows(document):
        assert set(row.values) == set(KEYS.values()), row.target
        assert row.source


def test_the_data_file_has_every_phase_of_every_allocator() -> None:
    for row in read_published("heap_change")["measured"]["allocator"]:
        assert set(row["instructions"]) == set(KEYS.values())
        assert len(row["blocks"]) == 9
        assert row["code"]
