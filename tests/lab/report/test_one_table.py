"""A figure with a heading is a column of its table on the terminal, in Markdown and on the page."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from heapscope.base.rows.row import Row, described
from heapscope.capture.line_forms import import_text
from heapscope.cli.verbs.report import report
from heapscope.render.text.table import CellText, Table, headed

from ..sums.views import Page, ran

Tables = dict[str, list[dict[str, str]]]


@pytest.fixture
def trace(tmp_path: Path, seed: int) -> Path:
    """Two tasks, marks, requests that are served, fail and stay."""
    chance = random.Random(seed)
    lines = ["! begun"]
    for block in range(300):
        lines.append(f"t {chance.choice(('net', 'gui'))}")
        lines.append(f"a {block} {chance.choice((24, 100, 900, 90_000))}")
        if chance.random() < 0.7:
            lines.append(f"f {block}")
    (tmp_path / "T.txt").write_text("\n".join([*lines, "! over"]) + "\n", encoding="utf-8")
    import_text(tmp_path / "T.txt", tmp_path / "T.hst")
    return tmp_path / "T.hst"


def markdown_tables(text: str) -> Tables:
    """By title, without its unit."""
    result = {}
    for part in re.split(r"^### ", text, flags=re.MULTILINE)[1:]:
        title, *lines = part.splitlines()
        rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in lines if line.startswith("|")]
        head, _, *cells = ([cell.strip() for cell in row] for row in rows)
        result[title.removesuffix(" (bytes)")] = [
            dict(zip(head, row, strict=True)) for row in cells
        ]
    return result


def headings_of(rows: Sequence[Row]) -> set[str]:
    """Those of the figures that any of the rows has."""
    figures = described(type(rows[0])).items()
    return {
        reported.heading
        for name, reported in figures
        if reported.heading and any(getattr(row, name) not in (None, "") for row in rows)
    }


def test_each_rendering_has_every_figure_with_a_heading(trace: Path, tmp_path: Path) -> None:
    requested = {"pool": "48KB", "need": [20_000], "remedies": True}
    built = report(trace, out=tmp_path / "R.md", **requested)  # type: ignore[arg-type]
    report(trace, out=tmp_path / "R.html", **requested)  # type: ignore[arg-type]
    page = Page((tmp_path / "R.html").read_text(encoding="utf-8")).tables
    written = markdown_tables((tmp_path / "R.md").read_text(encoding="utf-8"))
    (side,) = built.sides
    assert side.why is not None
    result = side.result
    expected: dict[str, tuple[str, Sequence[Row]]] = {
        "tasks": ("Tasks", [row for row in result.tasks if row.payload_peak or row.failures]),
        "regions": ("Regions", result.regions),
        "memory": ("Memory at the end, and its extremes over the run", [result.malloc]),
        "needs": ("Headroom for a contiguous request", result.needs),
        "failures": ("Failed requests", result.failures),
        "marks": ("Marks, for malloc; minima since the start", result.marks),
        "leaks": (
            f"Still held at {side.leaks.end}, of what was allocated since {side.leaks.start}",
            side.leaks.holders,
        ),
    }
    for name, (title, rows) in expected.items():
        wanted = headings_of(rows) - {"aligned to", "size before"}  # of no request here
        assert wanted - {"capabilities"} <= set(page[name][0]) | {"Memory"}, name
        assert wanted <= set(written[title][0]) | {"Memory"}, title
        assert len(page[name]) == len(written[title]), name


def test_the_page_and_markdown_have_the_same_cells(trace: Path, tmp_path: Path) -> None:
    for name in ("R.md", "R.html"):
        ran("report", trace, "--pool", "48KB", "--no-remedies", "-o", tmp_path / name)
    page = Page((tmp_path / "R.html").read_text(encoding="utf-8")).tables
    written = markdown_tables((tmp_path / "R.md").read_text(encoding="utf-8"))
    for name, title in (("regions", "Regions"), ("failures", "Failed requests")):
        assert page[name] == written[title]


@pytest.mark.parametrize("width", [30, 80, 300])
def test_a_terminal_of_any_width_has_every_column_and_every_number(
    trace: Path, tmp_path: Path, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran("report", trace, "--pool", "48KB", "--no-remedies", "-o", tmp_path / "R.md")
    (region,) = markdown_tables((tmp_path / "R.md").read_text(encoding="utf-8"))["Regions"]
    monkeypatch.setenv("COLUMNS", str(width))
    text = ran("replay", trace, "--pool", "48KB")
    shown = text[text.index("\nRegions (bytes)") + 1 :].split("\n\n")[0]
    wide = {"used blocks", "free blocks", "allocatable at event"} if width < 116 else set()
    numbers = [region[heading] for heading in region if heading not in wide]
    for cell in numbers[2:]:
        assert re.search(rf"(?<![\d,]){re.escape(cell)}(?![\d,])", shown), cell
    assert ("3 columns more on a wider terminal" in " ".join(shown.split())) == bool(wide)


def test_a_name_in_a_trace_makes_no_column_and_no_line_of_markdown() -> None:
    from heapscope.render.text.markdown import table_lines

    evil = CellText("a|b\n| c <script>\\")
    table = Table(title="T", columns=headed("Name", "#bytes"), rows=((evil, 1),))
    assert [*table_lines(table)][2] == "| a\\|b \\| c &lt;script>\\\\ | 1 |"
