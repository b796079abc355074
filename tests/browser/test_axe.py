"""axe-core finds nothing on any kind of page, light and dark, wide and narrow, with a trace open
and with a log."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

sys.path.append(str(Path(__file__).resolve().parent))

from axe_playwright_python.sync_playwright import Axe
from page_kinds import KINDS, Kind
from pictures import THEMES, Shown

ROOT = Path(__file__).resolve().parents[2]
Open = Callable[..., Any]
#: Rules of good practice are asked too; these levels are all that axe has.
OPTIONS = {
    "runOnly": {
        "type": "tag",
        "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    }
}


def findings(page: Any) -> list[str]:
    """A line for each element that breaks a rule."""
    response = Axe().run(page, options=OPTIONS).response
    assert len(response["passes"]) > 8
    return [
        f"{rule['id']}: {node['html'][:160]} ({node['failureSummary'][:300]})"
        for rule in response["violations"]
        for node in rule["nodes"]
        if not drawn(rule["id"], node["html"])
    ]


def drawn(rule: str, html: str) -> bool:
    """A frame of a flame graph is as wide as its share of the bytes, which is the meaning of the
    drawing (WCAG 2.5.8 exempts it); the table of call sites has the same rows at full size."""
    return rule == "target-size" and html.startswith("<button") and "%; width: calc(" in html


@pytest.mark.cells(3)
@pytest.mark.slow
@pytest.mark.parametrize("width", [1320, 390])
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_axe_has_no_findings(shown: Shown, kind: Kind, width: int) -> None:
    result = {theme: findings(shown.page(kind, width, theme)) for theme in THEMES}
    assert result == {theme: [] for theme in THEMES}


@pytest.mark.parametrize("dark", [False, True])
def test_axe_has_no_findings_where_a_trace_is_open(
    empty: Path, see: Open, hostile_trace: Path, *, dark: bool
) -> None:
    seen = see(empty, color_scheme="dark" if dark else "light")
    page = seen.page
    page.goto(f"{empty.as_uri()}#a=10&b=3000&at=2000,0.9&show=failed")
    page.reload()
    page.wait_for_selector("html[data-explorer=yes]", timeout=30_000)
    page.set_input_files("[data-file]", ROOT / "studies" / "workloads" / "mix" / "boot.txt")
    page.wait_for_selector("html[data-files]", timeout=30_000)
    assert findings(page) == []
    page.set_input_files("[data-file]", hostile_trace)
    page.wait_for_selector("html[data-replayed]", timeout=30_000)
    page.wait_for_timeout(300)
    assert findings(page) == []
