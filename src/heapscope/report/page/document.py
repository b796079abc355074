"""Everything of a report, and its page."""

from __future__ import annotations

import base64
import functools
import hashlib
import json
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from bokeh.resources import Resources
from jinja2 import Environment, StrictUndefined
from rich.text import Text

from heapscope import __version__
from heapscope.measure.result import ReplayResult
from heapscope.measure.wording import count, plural, size
from heapscope.report.health import health, match
from heapscope.report.leaks import sentences
from heapscope.report.page import cards, comparison, tables
from heapscope.report.page.charts import draw
from heapscope.report.page.data import side_data
from heapscope.report.page.detail import DETAILS, Detail, trimmed
from heapscope.report.page.flame import has_stacks
from heapscope.report.page.side import Side
from heapscope.report.page.why_tables import explanations

__all__ = ["FORMAT", "PAGE_MAX", "Report", "html"]

#: Version of the JSON form; raised when a key changes its meaning or goes.
FORMAT = 1

#: Bytes of a page at most, whatever the trace.
PAGE_MAX = 6_000_000

SCRIPTS = ("theme.js", "tables.js", "tip.js", "charts.js", "map.js", "flame.js")


@dataclass(frozen=True, kw_only=True)
class Report:
    """One side: what happened on one memory. Several: the same questions of each, the first one is
    what the others are compared with."""

    title: str
    sides: tuple[Side, ...]

    @property
    def answer(self) -> tuple[str, ...]:
        """In sentences: the verdict, or what changes from the first side to each other one."""
        results = [side.result for side in self.sides]
        if len(results) == 1:
            return results[0].verdict()
        return tuple(one.conclusion[0] for one in comparison.compared(results))

    def to_json(self) -> dict[str, Any]:
        results = [side.result for side in self.sides]
        document = {
            "heapscope_report": FORMAT,
            "title": self.title,
            "sides": [side.to_json() for side in self.sides],
        }
        if len(self.sides) > 1:
            document["conclusions"] = [list(one.conclusion) for one in comparison.compared(results)]
            document["differing"] = [row.to_json() for row in comparison.differing(results).rows]
        return document


def html(report: Report) -> str:
    """The page, below PAGE_MAX. All names in it are escaped, and its policy lets only the page's
    own scripts run and nothing be loaded."""
    page = ""
    for detail in DETAILS:
        page = _page(report, detail)
        if len(page) <= PAGE_MAX and len(page.encode("utf-8")) <= PAGE_MAX:
            break
    return page


def _page(report: Report, detail: Detail) -> str:
    scripts = [_bokeh(), *(_asset(name) for name in SCRIPTS)]
    sides = [trimmed(side, detail) for side in report.sides]
    docs, item = draw(sides, detail)
    data = {
        "docs": docs,
        "item": item,
        "sides": [side_data(side, number, detail) for number, side in enumerate(sides)],
    }
    results = [side.result for side in sides]
    several = len(results) > 1
    return (
        _environment()
        .from_string(_asset("page.html.j2"))
        .render(
            report=report,
            sides=sides,
            first=sides[0],
            several=several,
            version=__version__,
            policy=_policy(scripts),
            css=_asset("page.css"),
            scripts=scripts,
            data=script_json(data),
            detail=detail,
            status=_worst(results),
            comparisons=comparison.compared(results) if several else [],
            differing=comparison.differing(results) if several else None,
            tables=tables,
            cards=cards,
            leak_sentences=sentences,
            has_stacks=has_stacks,
            explanations=explanations,
            match=match,
            wrong=_wrong,
        )
    )


def script_json(data: Any) -> str:
    """JSON that cannot end the element it stands in, whatever names are in it."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    for mark in "<>&":
        text = text.replace(mark, f"\\u{ord(mark):04x}")
    return text


def _worst(results: list[ReplayResult]) -> tuple[str, str]:
    order = ("bad", "close", "good")
    return min((cards.status(result) for result in results), key=lambda one: order.index(one[0]))


def _wrong(result: ReplayResult) -> list[str]:
    """What was wrong with the trace, a line each, as on a terminal."""
    lines = [line.plain.strip() for line in health(result) if isinstance(line, Text)]
    return lines[1:]  # behind the heading


def _policy(scripts: list[str]) -> str:
    """Only scripts of these very bytes run; nothing is fetched from anywhere. Bokeh puts styles
    into the page, and its icons are data."""
    hashes = []
    for script in scripts:
        digest = hashlib.sha256(script.encode("utf-8")).digest()
        hashes.append(f"'sha256-{base64.b64encode(digest).decode('ascii')}'")
    return (
        f"default-src 'none'; script-src {' '.join(hashes)}; style-src 'unsafe-inline'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


@functools.cache
def _bokeh() -> str:
    """BokehJS without widgets, tables, WebGL and mathematics, which the page does not use."""
    return "\n".join(Resources(mode="inline", components=["bokeh"], log_level="warn").js_raw)


@functools.cache
def _asset(name: str) -> str:
    return files("heapscope.report.page").joinpath("assets", name).read_text(encoding="utf-8")


def _environment() -> Environment:
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters.update(
        {"count": count, "size": size, "plural": plural, "cell": _cell, "sort_key": _sort_key}
    )
    return environment


def _cell(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int | float) else str(value)


def _sort_key(value: object) -> str:
    """For numbers only; text sorts as it stands."""
    if isinstance(value, tables.Sorted):
        return str(value.number)
    return str(value) if isinstance(value, int | float) else ""
