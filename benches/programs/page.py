"""docs/reference/programs.md, from the rows of programs.csv."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tools.places import ROOT

__all__ = ["PAGE", "page"]

PAGE = ROOT / "docs" / "reference" / "programs.md"


def page(rows: Sequence[Mapping[str, str]]) -> str:
    return ""
