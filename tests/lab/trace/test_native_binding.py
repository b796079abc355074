"""The binding agrees with lab.h and the library, and fails in plain words."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from heapscope.base.errors import HeapscopeError
from heapscope.native import library
from heapscope.native.config import NativeConfig, NativeRegion
from heapscope.native.events import NativeWriter, event_dtype, keep_events, take_events
from heapscope.native.library import ffi, load
from heapscope.native.reader import NameTable, NativeReader
from heapscope.native.status import Status, StatusError
from heapscope.native.structs import NEVER, dtype


def complete_structs() -> list[str]:
    return [name for name in ffi.list_types()[0] if is_complete(name)]


def is_complete(name: str) -> bool:
    try:
        return ffi.typeof(name).kind == "struct" and ffi.sizeof(name) > 0
    except ffi.error:  # a handle: the header does not say what is in it
        return False


@pytest.mark.parametrize("name", complete_structs())
def test_every_struct_of_the_header_has_the_size_of_the_library(name: str) -> None:
    assert load().hs_lab_sizeof(name.encode()) == ffi.sizeof(name)


@pytest.mark.parametrize(
    "name", [one for one in complete_structs() if one.endswith(("row_t", "event_t", "sample_t"))]
)
def test_an_array_of_a_struct_has_its_layout(name: str) -> None:
    struct = ffi.typeof(name)
    built = dtype(name)
    offsets = {field: at.offset for field, at in struct.fields}
    assert {field: built.fields[field][1] for field in built.fields or ()} == offsets
    assert built.itemsize == ffi.sizeof(name)


def test_never_is_that_of_the_header() -> None:
    assert load().HS_LAB_NEVER == NEVER
    assert load().HS_LAB_ABI == library.ABI


def test_a_missing_library_says_reinstall(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HEAPSCOPE_LIBRARY", str(tmp_path / "gone.so"))
    with pytest.raises(HeapscopeError, match="missing") as caught:
        load.__wrapped__()
    assert "reinstall" in caught.value.remedy


def test_a_library_that_is_none_says_reinstall(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.so"
    broken.write_bytes(b"not a library")
    monkeypatch.setenv("HEAPSCOPE_LIBRARY", str(broken))
    with pytest.raises(HeapscopeError, match="cannot be loaded") as caught:
        load.__wrapped__()
    assert "reinstall" in caught.value.remedy


def test_a_closed_reader_is_an_error_and_not_a_crash() -> None:
    with NativeReader() as reader:
        reader.finish()
    reader.close()
    with pytest.raises(HeapscopeError, match="closed"):
        reader.push(b"x")


def test_an_unfit_region_is_named_by_its_index() -> None:
    good = NativeRegion(
        start=0x2000_0000, size=4096, caps=(0x1804, 0, 0), kind=0, allocator="idf-5.5"
    )
    bad = dataclasses.replace(good, start=0x3000_0000, size=64)
    config = NativeConfig(regions=(good, bad), malloc_small_caps=0x1800)
    with pytest.raises(StatusError) as caught:
        NativeReader(config)
    assert (caught.value.where, caught.value.status) == (1, Status.MEMORY)


def test_an_optional_region_that_is_unfit_is_left_without_a_heap() -> None:
    tiny = NativeRegion(
        start=0x2000_0000, size=4, caps=(0x1804, 0, 0), kind=0, allocator="idf-4.2", optional=True
    )
    good = dataclasses.replace(tiny, start=0x2000_1000, size=4096)
    config = NativeConfig(regions=(tiny, good), malloc_small_caps=0x1800)
    with NativeReader(config) as reader:
        assert [row.has_heap for row in reader.regions()] == [0, 1]


def failures_of_one_malloc(size: int, *, request_max: int) -> int:
    region = NativeRegion(
        start=0x2000_0000, size=65_536, caps=(0x1804, 0, 0), kind=0, allocator="idf-5.5"
    )
    row = np.zeros(1, dtype=event_dtype())
    row["kind"], row["size"] = 1, size
    with NativeWriter() as writer:
        writer.events(row)
        writer.finish()
        trace = b"".join(writer.take())
    config = NativeConfig(regions=(region,), malloc_small_caps=0x1800, request_max=request_max)
    with NativeReader(config) as reader:
        reader.push(trace)
        reader.finish()
        return reader.summary().failures


def test_requests_above_the_maximum_fail_though_they_would_fit() -> None:
    assert failures_of_one_malloc(2000, request_max=0) == 0
    assert failures_of_one_malloc(2000, request_max=2000) == 0
    assert failures_of_one_malloc(2001, request_max=2000) == 1


def test_events_written_are_the_events_read() -> None:
    rows_in = np.zeros(3, dtype=event_dtype())
    rows_in["kind"] = [1, 1, 5]  # malloc, malloc, free
    rows_in["key"] = [0, 1, 0]
    rows_in["size"] = [100, 2000, 0]
    rows_in["task"] = [1, 1, 1]
    with NativeWriter() as writer:
        writer.metadata("source", "test")
        writer.name(NameTable.TASK, 1, b"worker")
        writer.events(rows_in)
        writer.finish()
        trace = b"".join(writer.take())
    with NativeReader() as reader:
        keep_events(reader)
        reader.push(trace)
        assert reader.finish() is Status.OK
        rows_out = np.concatenate(list(take_events(reader)))
        assert reader.metadata() == {"source": b"test"}
        assert reader.names(NameTable.TASK) == {1: b"worker"}
    for field in ("kind", "key", "size", "task"):
        assert rows_out[field].tolist() == rows_in[field].tolist()


def test_an_event_that_the_format_cannot_take_is_named() -> None:
    rows_in = np.zeros(2, dtype=event_dtype())
    rows_in["kind"] = [1, 99]
    with NativeWriter() as writer, pytest.raises(StatusError, match="event 1 of 2"):
        writer.events(rows_in)
