"""Static use out of the JSON of esp-idf-size, in each of its forms."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from heapscope.base.errors import InputError
from heapscope.memory.layout.chips import load_chip
from heapscope.memory.static.heap_start import heap_start
from heapscope.memory.static.read import read_static
from heapscope.memory.static.use import StaticUse


def part(size: int, **sections: int) -> dict[str, Any]:
    named = {key.replace("_", "."): {"size": value} for key, value in sections.items()}
    return {"size": size, "sections": named}


SUMMARY = {
    "version": "1.2",
    "total_size": 9,
    "layout": [
        {"name": "DRAM", "total": 180736, "used": 495, "free": 1,
         "parts": {".bss": {"size": 448}, ".data": {"size": 47}}},
        {"name": "IRAM", "total": 131072, "used": 18, "free": 1, "parts": {".text": {"size": 18}}},
        {"name": "Flash Code", "total": 0, "used": 43, "free": 0, "parts": {".text": {"size": 43}}},
    ],
}  # fmt: skip
ARCHIVES = {
    "esp-idf/net/libnet.a": {
        "abbrev_name": "libnet.a",
        "size": 471,
        "memory_types": {
            "DRAM": part(471, _dram0_bss=428, _dram0_data=43),
            "Flash Code": part(43, _flash_text=43),
            "IRAM": part(18, _iram0_text=18),
        },
    }
}
FILES = {"esp-idf/net/libnet.a:wifi.c.obj": ARCHIVES["esp-idf/net/libnet.a"]}
RAW = {
    "version": "1.0",
    "target": "esp32",
    "memory_types": {
        "DRAM": {"used": 448, "sections": {".dram0.bss": {"size": 448, "archives": {
            "libnet.a": {"size": 428, "object_files": {"wifi.c.obj": {
                "size": 428, "symbols": {"s_cache": {"size": 400}}}}}}}}},
        "Flash Code": {"used": 1, "sections": {}},
    },
}  # fmt: skip
FLAT = {"dram_data": 47, "dram_bss": 448, "used_dram": 495, "iram_text": 18, "flash_code": 43}
OLD_ARCHIVES = {"libnet.a": {".dram0.bss": 428, ".iram0.text": 18, "ram_st_total": 446}}


def read(folder: Path, document: object, chip: str = "esp32") -> StaticUse:
    path = folder / "size.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return read_static(path, chip)


@pytest.mark.parametrize(
    ("document", "dram", "iram"),
    [
        (SUMMARY, 495, 18),
        (ARCHIVES, 471, 18),
        (FILES, 471, 18),
        (RAW, 448, 0),
        (FLAT, 495, 18),
        (OLD_ARCHIVES, 428, 18),
    ],
)
def test_every_form_is_read(tmp_path: Path, document: object, dram: int, iram: int) -> None:
    use = read(tmp_path, document)
    assert (use.bytes_of("DRAM"), use.bytes_of("IRAM")) == (dram, iram)
    assert sum(piece.size for piece in use.pieces) == dram + iram
    assert "no addresses" in use.notes[0]


def test_components_and_symbols_are_reported_where_the_form_has_them(tmp_path: Path) -> None:
    assert {p.component for p in read(tmp_path, ARCHIVES).pieces} == {"libnet.a"}
    assert {(p.component, p.symbol) for p in read(tmp_path, FILES).pieces} == {
        ("libnet.a", "wifi.c.obj")
    }
    assert {(p.component, p.symbol, p.size) for p in read(tmp_path, RAW).pieces} == {
        ("libnet.a", "s_cache", 400),
        ("libnet.a", "wifi.c.obj", 28),
        ("(padding)", "(padding)", 20),
    }


def test_sizes_alone_move_the_heap(tmp_path: Path) -> None:
    start = heap_start(read(tmp_path, SUMMARY), load_chip("esp32").data)
    assert (start.static_dram, start.static_iram, start.dram) == (496, 20, None)


def test_shared_memory_is_code_and_data(tmp_path: Path) -> None:
    shared = {"diram_data": 100, "diram_bss": 200, "diram_text": 1000, "used_diram": 1300}
    start = heap_start(read(tmp_path, shared, "esp32c3"), load_chip("esp32c3").data)
    assert (start.static_dram, start.static_iram) == (300, 1000)


@pytest.mark.parametrize(
    ("document", "text"),
    [
        ({}, "names no RAM"),
        ({"layout": 7}, "not as esp-idf-size"),
        ({"layout": [{"name": "DRAM", "parts": {".bss": {"size": -1}}}]}, "not as esp-idf-size"),
        ({"a": {"memory_types": [1]}}, "not as esp-idf-size"),
        ({"dram_bss": "12"}, "not as esp-idf-size"),
        (RAW | {"target": "esp32c3"}, "sizes of esp32c3, not of esp32"),
    ],
)
def test_other_json_is_refused(tmp_path: Path, document: object, text: str) -> None:
    with pytest.raises(InputError, match=text):
        read(tmp_path, document)


@pytest.mark.parametrize(
    "text", ["{", '{"layout": ', "{" * 100_000, '{"a":' * 100_000, '{"a": 1}x']
)
def test_damaged_json_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "size.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="JSON"):
        read_static(path, "esp32")
