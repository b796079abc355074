"""How much of a report goes onto its page, so that no trace makes a page too large to open. The
figures are never touched: only rows, pins and names for the pointer are left out, and counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from heapscope.render.page.side import PageSide
from heapscope.simulation.result.survey import Picture, gathered

Row = TypeVar("Row")


@dataclass(frozen=True, kw_only=True)
class Detail:
    """`rows` of a table, and pins of a kind; `blocks` that the pointer names; `names`: call sites
    in the flame graph and for the pointer; `points` of a curve."""

    rows: int
    blocks: int
    names: int
    points: int


#: From what nearly every trace gets to what a page has room for whatever the trace.
DETAILS = (
    Detail(rows=1000, blocks=20000, names=1000, points=4000),
    Detail(rows=300, blocks=5000, names=300, points=1200),
    Detail(rows=60, blocks=1000, names=60, points=400),
)


def trimmed(side: PageSide, detail: Detail) -> PageSide:
    survey, result = side.survey, side.result
    failures = spread(result.failures, detail.rows, largest=lambda row: row.size)
    picture = _picture(survey.picture, detail)
    return replace(
        side,
        result=replace(result, failures=failures),
        survey=replace(survey, sites=gathered(survey.sites, detail.names), picture=picture),
    )


def spread(
    rows: tuple[Row, ...], most: int, *, largest: Callable[[Row], int] | None = None
) -> tuple[Row, ...]:
    """At most so many, over their whole length; the first is among them, and the largest."""
    if len(rows) <= most:
        return rows
    kept = {at * len(rows) // (most - 1) for at in range(most - 1)}
    last = len(rows) - 1
    if largest is not None:
        last = max(range(len(rows)), key=lambda at: largest(rows[at]))
    return tuple(rows[at] for at in sorted(kept | {last}))


def _picture(picture: Picture, detail: Detail) -> Picture:
    """The blocks that cover most cells stay, and the names that most of them carry."""
    count = len(picture.blocks["size"])
    cells = np.bincount(picture.block.ravel(), minlength=count + 1)[1:]
    kept = np.sort(np.argsort(-cells, kind="stable")[: detail.blocks])
    numbers = np.zeros(count + 1, dtype=np.uint16)
    numbers[kept + 1] = np.arange(1, len(kept) + 1)
    table = {name: [values[i] for i in kept] for name, values in picture.blocks.items()}
    for name, noun in (("task", "another task"), ("site", "another site")):
        table[name] = _common(table[name], detail.names, noun)
    return replace(picture, block=numbers[picture.block], blocks=table)


def _common(values: list[Any], limit: int, other: str) -> list[Any]:
    common = {name for name, _ in Counter(values).most_common(limit)}
    return [value if value in common else other for value in values]
