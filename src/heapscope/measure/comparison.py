"""Two replays side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from heapscope.measure.figure import Figure, figures
from heapscope.measure.record import Record
from heapscope.measure.result import ReplayResult
from heapscope.measure.source import LayoutFacts, TraceFacts

__all__ = ["Comparison", "DifferenceRow", "Side", "compare"]

FORMAT = 1


@dataclass(frozen=True, kw_only=True)
class Side(Record):
    """What was replayed on what; `label` tells the two apart."""

    label: str
    trace: TraceFacts
    layout: LayoutFacts
    digest: str


@dataclass(frozen=True, kw_only=True)
class DifferenceRow(Record):
    """One figure of both sides; null where a side has none. `better`: "less", "more" or ""."""

    section: str
    name: str
    unit: str
    better: str
    left: int | None
    right: int | None

    @property
    def difference(self) -> int | None:
        """Right minus left."""
        if self.left is None or self.right is None:
            return None
        return self.right - self.left

    @property
    def percent(self) -> float | None:
        """The difference as a share of the left figure; None where that says nothing."""
        if self.difference is None or self.left is None or self.left <= 0 or (self.right or 0) < 0:
            return None
        return round(100 * self.difference / self.left, 2)

    @property
    def outcome(self) -> str:
        """How right stands to left: better, worse, same, or "" where there is no direction."""
        if self.difference == 0:
            return "same"
        if self.difference is None or not self.better:
            return ""
        return "better" if (self.difference > 0) == (self.better == "more") else "worse"

    def to_json(self) -> dict[str, Any]:
        return super().to_json() | {
            "difference": self.difference,
            "percent": self.percent,
            "outcome": self.outcome,
        }


@dataclass(frozen=True, kw_only=True)
class Comparison(Record):
    """`conclusion`: what changes for the user, in sentences."""

    left: Side
    right: Side
    conclusion: tuple[str, ...]
    rows: tuple[DifferenceRow, ...]

    def to_json(self) -> dict[str, Any]:
        return {"heapscope_compare": FORMAT} | super().to_json()


def compare(left: ReplayResult, right: ReplayResult) -> Comparison:
    from heapscope.measure.conclusion import conclusion

    labels = _labels(left, right)
    rows = _rows(list(figures(left)), list(figures(right)))
    same = all(row.outcome == "same" for row in rows)
    return Comparison(
        left=_side(left, labels[0]),
        right=_side(right, labels[1]),
        conclusion=conclusion(left, right, labels, same=same),
        rows=rows,
    )


def _side(result: ReplayResult, label: str) -> Side:
    digest = result.summary.digest
    return Side(label=label, trace=result.trace, layout=result.layout, digest=digest)


def _labels(left: ReplayResult, right: ReplayResult) -> tuple[str, str]:
    """The first fact in which the sides differ names them."""
    for one in (_trace_name, _chip, _sdk, _allocators, _layout_name):
        labels = one(left), one(right)
        if labels[0] != labels[1] and all(labels):
            return labels
    return _path_ends(_path(left), _path(right))


def _path_ends(left: list[str], right: list[str]) -> tuple[str, str]:
    """The ends of two paths, no longer than it takes to tell them apart."""
    for parts in range(1, max(len(left), len(right)) + 1):
        ends = "/".join(left[-parts:]), "/".join(right[-parts:])
        if ends[0] != ends[1]:
            return ends
    return "left", "right"


def _path(result: ReplayResult) -> list[str]:
    return result.trace.path.replace("\\", "/").split("/")


def _trace_name(result: ReplayResult) -> str:
    return _path(result)[-1]


def _chip(result: ReplayResult) -> str:
    return result.layout.chip


def _sdk(result: ReplayResult) -> str:
    return f"ESP-IDF {result.layout.sdk}" if result.layout.sdk else ""


def _allocators(result: ReplayResult) -> str:
    return ", ".join(result.layout.allocators)


def _layout_name(result: ReplayResult) -> str:
    return result.layout.name


def _rows(left: list[Figure], right: list[Figure]) -> tuple[DifferenceRow, ...]:
    """Left's order; what only right has follows its section."""
    values = [{(f.section, f.name): f.value for f in side} for side in (left, right)]
    known = {(f.section, f.name): f for f in (*left, *right)}
    sections = list(dict.fromkeys(f.section for f in known.values()))
    ordered = sorted(known.values(), key=lambda f: sections.index(f.section))
    return tuple(
        DifferenceRow(
            section=f.section,
            name=f.name,
            unit=f.unit,
            better=f.better,
            left=values[0].get((f.section, f.name)),
            right=values[1].get((f.section, f.name)),
        )
        for f in ordered
    )
