"""Nothing on any kind of page is empty, cut off, outside or without a height: what a script
measures, whatever the browser."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).resolve().parent))

from page_kinds import KINDS, Kind
from pictures import QUICK, THEMES, WIDTHS, Shown

LOOKS = Path(__file__).with_name("looks.js").read_text(encoding="utf-8")


@pytest.mark.cells(2)
@pytest.mark.parametrize(
    "width", [pytest.param(w, marks=pytest.mark.slow if w not in QUICK else ()) for w in WIDTHS]
)
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_nothing_is_empty_cut_off_or_outside(shown: Shown, kind: Kind, width: int) -> None:
    wrong = {theme: shown.page(kind, width, theme).evaluate(LOOKS) for theme in THEMES}
    assert wrong == {theme: [] for theme in THEMES}
