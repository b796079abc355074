"""The head of the page: how it stands in one word, and a card for each kind of memory."""

from __future__ import annotations

from dataclasses import dataclass

from heapscope.base.wording import count, percent, size
from heapscope.memory.layout.region_rows import MemoryFigures
from heapscope.render.page.side import PageSide
from heapscope.render.text.tables import tightest_parts
from heapscope.simulation.result.result import ReplayResult
from heapscope.simulation.result.survey import Closest
from heapscope.trace.loss import is_cut

#: How a page shows each kind of verdict.
STATUS = {
    "failed": ("bad", "requests failed"),
    "short": ("bad", "would not always fit"),
    "damage": ("close", "damaged trace"),
    "near": ("close", "close"),
    "fine": ("good", "no request failed"),
}


#: A bar of so many per cent or more is in the colour of a warning.
NEAR = 90.0


@dataclass(frozen=True, kw_only=True)
class Card:
    """`peak_share`: per cent of the size, for the bar."""

    title: str
    size: str
    figures: tuple[tuple[str, str, str], ...]  # what, how much, when
    peak_share: float
    bad: bool

    @property
    def near(self) -> bool:
        return self.peak_share >= NEAR


@dataclass(frozen=True, kw_only=True)
class Part:
    """A stretch of a bar."""

    name: str
    bytes: int
    share: float
    css: str


def status(result: ReplayResult) -> tuple[str, str]:
    """A class for the page's colours and a word, by the kind of the verdict."""
    return STATUS[result.verdict.kind]


def cards(side: PageSide) -> list[Card]:
    """malloc's own view first, then each kind of memory."""
    result = side.result
    spare = [row.closest for row in side.survey.closest if row.closest is not None]
    nearest = min(spare, key=lambda row: row.spare, default=None)
    part = "before the loss" if is_cut(result.loss) else ""
    failures = ("failed requests", count(result.summary.failures), part)
    first = _card("malloc", result.malloc, nearest, failures, side)
    closest = {row.kind: row.closest for row in side.survey.closest}
    results = [first]
    for row in result.kinds:
        refused = sum(r.failures for r in result.regions if r.kind == row.kind)
        tries = ("tries refused here", count(refused), part)
        results.append(_card(row.kind, row, closest.get(row.kind), tries, side))
    return results


def _card(
    title: str,
    row: MemoryFigures,
    nearest: Closest | None,
    failures: tuple[str, str, str],
    side: PageSide,
) -> Card:
    place = side.result.place
    used = row.size - row.minimum_free
    lost = is_cut(side.result.loss)  # then a figure bounds the whole run
    least, most = ("at least ", "at most ") if lost else ("", "")
    figures = [
        ("peak payload", least + size(row.peak_payload), ""),
        ("minimum free", most + size(row.minimum_free), _when(side, row.minimum_free_event)),
        (
            "largest allocatable, minimum",
            most + size(row.minimum_largest_allocatable),
            _when(side, row.minimum_largest_event),
        ),
    ]
    if nearest is None:
        figures.append(("nearest miss", "none", "no request was served here"))
    else:
        what = f"{size(nearest.size)} where {size(nearest.largest)} would have fitted"
        figures.append(
            (
                "nearest miss",
                f"{most}{size(nearest.spare)} to spare",
                f"{what}, {place(nearest.event)}",
            )
        )
    return Card(
        title=title,
        size=size(row.size),
        figures=(*figures, failures),
        peak_share=round(100 * used / row.size, 2) if row.size else 0.0,
        bad=title == "malloc" and failures[1] != "0",
    )


def _when(side: PageSide, event: int | None) -> str:
    return f"at {side.result.place(event)}"


def tightest(result: ReplayResult) -> list[Part]:
    """Where the bytes were at the tightest moment."""
    whole = max(result.summary.tightest.size, 1)
    return [
        Part(
            name=f"{name}: {percent(value, whole)}", bytes=value, share=100 * value / whole, css=css
        )
        for name, value, css in tightest_parts(result)
    ]
