"""The views of one report, read as a program would: its JSON, its page's data and tables."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from heapscope.cli.app import app

__all__ = ["Page", "flame_sums", "number", "ran", "report"]


def ran(*arguments: object, code: int = 0) -> str:
    done = CliRunner().invoke(app, [*map(str, arguments)])
    assert done.exit_code == code, done.output
    return done.stdout


class Page(HTMLParser):
    """Tables by name, as rows of texts under their headings, and what the scripts read."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tables: dict[str, list[dict[str, str]]] = {}
        self._rows: list[list[str]] | None = None
        self._cell: list[str] | None = None
        self._name = ""
        self._unit = False
        self.feed(text)
        match = re.search(r'<script type="application/json" id="data">(.*?)</script>', text)
        assert match is not None
        self.side: dict[str, Any] = json.loads(match[1])["sides"][0]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        if named.get("data-table"):
            self._name = named["data-table"] or ""
        if tag == "table":
            self._rows = []
        if tag == "tr" and self._rows is not None:
            self._rows.append([])
        if tag in ("td", "th"):
            self._cell = []
        self._unit = named.get("class") == "unit"

    def handle_endtag(self, tag: str) -> None:
        self._unit = False
        if tag in ("td", "th") and self._rows and self._cell is not None:
            self._rows[-1].append("".join(self._cell).strip())
            self._cell = None
        if tag == "table" and self._rows:
            head, *rows = self._rows
            self.tables[self._name] = [dict(zip(head, row, strict=True)) for row in rows]
            self._name, self._rows = "", None

    def handle_data(self, data: str) -> None:
        if self._cell is not None and not self._unit:
            self._cell.append(data)


def report(trace: Path, *options: object) -> tuple[dict[str, Any], Page]:
    """The only side of the document, and the page."""
    out, document = trace.with_suffix(".html"), trace.with_suffix(".json")
    ran("report", trace, *options, "-o", out, "--json", document, "--no-remedies")
    side: dict[str, Any] = json.loads(document.read_text(encoding="ascii"))["sides"][0]
    return side, Page(out.read_text(encoding="utf-8"))


def number(text: str) -> int:
    return 0 if text == "-" else int(text.replace(",", ""))


def flame_sums(node: dict[str, Any]) -> dict[str, int]:
    """The sums of a node and of all below it, which are its width."""
    sums: dict[str, int] = dict(node["own"])
    for child in node["children"]:
        for name, value in flame_sums(child).items():
            sums[name] += value
    return sums
