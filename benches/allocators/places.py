"""Where things are."""

from __future__ import annotations

from pathlib import Path

__all__ = ["HERE", "MEASURED", "PAGE", "PICTURE", "RAW", "ROOT"]

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
REFERENCE = ROOT / "docs" / "reference"

PAGE = REFERENCE / "allocators.md"
PICTURE = REFERENCE / "allocators.svg"
RAW = REFERENCE / "allocators.csv"
#: Our own heap as `experiment heap-change` shows it.
MEASURED = ROOT / "studies" / "heapscope_studies" / "data" / "measured" / "heap.json"
