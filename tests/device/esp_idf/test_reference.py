"""The reference has a row for each function of the ESP-IDF interfaces, and no other."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
HEADERS = ROOT / "device" / "compat" / "esp_idf" / "include"
PAGE = (ROOT / "docs" / "reference" / "esp_idf.md").read_text(encoding="utf-8")
#: How many the original has, those that the C library calls, the hooks and the quiet ones included.
COUNTS = {
    "multi_heap.h": 19,
    "esp_heap_caps.h": 38,
    "esp_heap_caps_init.h": 4,
    "esp_heap_task_info.h": 11,
    "esp_heap_trace.h": 11,
}
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
FUNCTION = re.compile(r"\b(\w+)\([^()]*\);")


def declared(header: str) -> set[str]:
    text = COMMENT.sub("", (HEADERS / header).read_text(encoding="utf-8"))
    return set(FUNCTION.findall(re.sub(r"__attribute__\(\(\w+\)\)|typedef[^;]*;", "", text)))


def described(header: str) -> list[str]:
    section = PAGE.split(f"\n## {header}\n")[1].split("\n## ")[0]
    return re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)


@pytest.mark.parametrize("header", COUNTS)
def test_each_function_has_its_row(header: str) -> None:
    rows = described(header)
    assert set(rows) == declared(header)
    assert len(rows) == len(set(rows)) == COUNTS[header]
