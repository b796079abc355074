"""Every section of every kind of page looks like its kept picture."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

import heapscope.cli
import heapscope.cli.verbs

sys.path.append(str(Path(__file__).resolve().parent))

from page_kinds import KINDS, Kind
from pictures import (
    LIMIT,
    LOOKS,
    QUICK,
    SECTIONS,
    WIDTHS,
    Shown,
    difference,
    kept_with,
    photographed,
    sources,
    unlike,
)
from window import built_with, drawn


@pytest.mark.cells(2)
@pytest.mark.parametrize(
    ("kind", "width", "theme"),
    [
        pytest.param(
            *look,
            marks=pytest.mark.slow if QUICK.get(look[1]) != look[2] else (),
            id=f"{look[0].name}-{look[1]}-{look[2]}",
        )
        for look in LOOKS
    ],
)
def test_every_section_looks_like_its_picture(
    chromium: Any, shown: Shown, kind: Kind, width: int, theme: str
) -> None:
    result = photographed(shown.page(kind, width, theme))
    results = [one.text() for one in unlike(kind, width, theme, result)]
    before, now = kept_with(), built_with(chromium)
    if results and before != now:
        # Another browser may break lines elsewhere: what no script measures has to be looked at.
        warnings.warn(f"pictures made with {before}, this is {now}: {results}", stacklevel=1)
        results = []
    assert results == [], "if it is meant to look so: make pictures"


# ---- nothing is left out -------------------------------------------------------------------------


@pytest.mark.slow
def test_every_section_of_every_template_has_a_picture(shown: Shown) -> None:
    pictured = {
        source
        for kind in KINDS
        for section in shown.page(kind, max(WIDTHS), "light").evaluate(SECTIONS)
        for source in section["source"]
    }
    assert sources() - pictured == set()


def test_every_command_that_writes_a_page_is_among_the_kinds() -> None:
    folders = [Path(package.__file__).parent for package in (heapscope.cli, heapscope.cli.verbs)]
    files = [path for folder in folders for path in folder.glob("*.py")]
    pages = ("heapscope.render.page.", "cli.tables_file import")
    writing = [path for path in files if any(name in path.read_text("utf-8") for name in pages)]
    verbs = {path.stem.removesuffix("_page") for path in writing}
    # experiment is a verb of the studies; a widget and a table's file are none
    assert (verbs | {"experiment"}) - {"widget", "tables_file"} == {kind.verb for kind in KINDS}


# ---- what the comparison sees --------------------------------------------------------------------

SMALL = (
    "document.body.style.transform = 'translateX(0.4px)'",  # other edges of all letters
    "document.body.style.textRendering = 'geometricPrecision'",
    "document.body.style.filter = 'blur(0.4px)'",
)
LARGE = (
    "document.querySelector('.stackbar i').style.visibility = 'hidden'",
    "document.querySelector('.stackbar').style.height = '13px'",
    "document.querySelector('.meter i').style.width = '0'",
    "document.querySelector('.card dd').style.clipPath = 'inset(0 50% 0 0)'",
    "document.querySelector('.keys .swatch').style.background = 'none'",
    "document.querySelector('.keys').style.clipPath = 'inset(0 0 40% 0)'",
    "document.querySelector('.cards').style.gap = '24px'",
)


@pytest.mark.cells(3)
@pytest.mark.parametrize("change", [*SMALL, *LARGE])
def test_other_edges_look_alike_and_missing_parts_do_not(shown: Shown, change: str) -> None:
    page = shown.page(KINDS[0], 800, "light")
    before = photographed(page)["memory"]
    page.evaluate(
        f"""() => {{ const one = {change.partition(".style.")[0]};
            window.changed = [one, one.style.cssText]; {change} }}"""
    )
    drawn(page)
    after = photographed(page)["memory"]
    page.evaluate("() => { window.changed[0].style.cssText = window.changed[1] }")
    what = difference(after, before, limit=LIMIT)
    print(change, difference(after, before, limit=-1))
    assert (what == "") is (change in SMALL), what
