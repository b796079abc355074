"""The benchmark that holds the regions of logs against maps and allocators, on logs made here."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from heapscope.memory.layout.chips import load_chip

from .test_evidence import boot, summary

BENCH = Path(__file__).resolve().parents[3] / "benches" / "log_regions"


@pytest.fixture
def check(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    monkeypatch.syspath_prepend(str(BENCH))
    yield importlib.import_module("check")
    for name in ("check", "borders"):
        sys.modules.pop(name, None)


def test_regions_of_a_log_are_exact_explained_or_left(check: ModuleType, tmp_path: Path) -> None:
    layout = load_chip("esp32c3").layout(idf="5.4", startup_use=0)
    lines = [*boot(layout), *summary(layout, "idf-5.5")]
    (tmp_path / "a.log").write_text("\n".join(lines) + "\n", encoding="utf-8")
    start, summaries = check.check_folder(tmp_path)["a"]
    assert (start["regions"], start["exact"], start["explained"]) == (4, 4, 0)
    assert (summaries["exact"], summaries["explained"]) == (4, 0)
    assert "idf-5.5" in summaries["allocators"]


def test_a_region_that_ends_elsewhere_is_left_and_a_known_border_explained(
    check: ModuleType, tmp_path: Path
) -> None:
    text = [
        "I (1) heap_init: At 3FFAE6E0 len 00001920 (6 KiB): DRAM",
        "I (1) heap_init: At 3FFB31F8 len 00010000 (64 KiB): DRAM",
        "I (1) heap_init: At 3FFE4350 len 0001BCB0 (111 KiB): D/IRAM",
    ]
    (tmp_path / "b.log").write_text("\n".join(text) + "\n", encoding="utf-8")
    (start,) = check.check_folder(tmp_path)["b"]
    assert (start["regions"], start["exact"], start["explained"]) == (3, 1, 1)
    assert "Bluetooth" in start["why"]


def test_figures_of_no_allocator_are_not_taken_for_exact(check: ModuleType, tmp_path: Path) -> None:
    layout = load_chip("esp32").layout(idf="5.4", startup_use=0)
    lines = [line.replace("free ", "free 9", 1) for line in summary(layout, "idf-5.5")]
    (tmp_path / "c.log").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (row,) = check.check_folder(tmp_path)["c"]
    assert (row["exact"], row["explained"]) == (0, 0)
