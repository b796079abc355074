"""Two replays side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from heapscope.base.rows.bound import Bound, after
from heapscope.base.rows.figure import computed, figure
from heapscope.base.rows.row import Document, Row
from heapscope.simulation.result.difference import DifferencePart, parts_of
from heapscope.simulation.result.figure import ComparedFigure, figures, served_alike
from heapscope.simulation.result.result import ReplayResult
from heapscope.simulation.result.verdict import Verdict
from heapscope.trace.loss import Loss
from heapscope.trace.provenance import WORD_SIZE_TEXT, LayoutFacts, TraceFacts, largest_word


class Side(Row):
    """One side of a comparison: a trace and the memory that it was replayed on."""

    label: str = figure("Short name that tells the sides apart.")
    trace: TraceFacts = figure("The trace.")
    layout: LayoutFacts = figure("The memory that was replayed on.")
    digest: str = figure(
        "Digest of the side's results; equal digests: every request got the same place.",
        pattern="^[0-9a-f]{16}$",
    )
    verdict: Verdict = figure("The answer.")


class DifferenceRow(Row):
    """One figure of both sides."""

    section: str = figure("Group of the figure.")
    name: str = figure("Its name, unique within its section.")
    unit: str = figure("B (bytes), events, requests or steps.")
    better: str = figure("Which direction is better; empty: neither.", choices=("less", "more", ""))
    left: int | None = figure("The left side's figure; null: it has none.", least=None)
    right: int | None = figure("The right side's figure; null: it has none.", least=None)
    comparable: bool = figure(
        "Whether the sides are of the same part of a run; where they are not, no "
        "difference is reported.",
        default=True,
    )
    bound: str | None = figure(
        "The mark of both sides after a loss, as in `replay`; null: nothing is lost.",
        default=None,
        choices=Bound,
    )

    @property
    @computed("Right minus left; null: none.", least=None, last=True)
    def difference(self) -> int | None:
        if self.left is None or self.right is None or not self.comparable:
            return None
        return self.right - self.left

    @property
    @computed("The difference in percent of left; null: that says nothing.", least=None, last=True)
    def percent(self) -> float | None:
        if self.difference is None or self.left is None or self.left <= 0 or (self.right or 0) < 0:
            return None
        return round(100 * self.difference / self.left, 2)

    @property
    @computed(
        "How right stands to left; empty: neither direction is better.",
        choices=("better", "worse", "same", ""),
        last=True,
    )
    def outcome(self) -> str:
        return outcome(self.better, self.left, self.right) if self.comparable else ""


def outcome(better: str, left: int | None, right: int | None) -> str:
    """How the right figure stands to the left: better, worse, same, or "" without a direction."""
    if left is None or right is None:
        return ""
    if left == right or not better:
        return "same" if left == right else ""
    return "better" if (right > left) == (better == "more") else "worse"


class Comparison(Document):
    """Two replays side by side."""

    VERB = "compare"
    KIND = "replays"
    VERSION = 1
    main_table = "rows"

    left: Side = figure("The left side.")
    right: Side = figure("The right side.")
    served_alike: bool | None = figure(
        "Whether it is sure that both sides served the same requests; else no figure of "
        "what was held has an outcome, and better is empty. null: nothing was asked of a side."
    )
    conclusion: tuple[str, ...] = figure("The changes for the user, in sentences.")
    parts: tuple[DifferencePart, ...] = figure(
        "The parts of the difference in malloc's least free memory, which add up to it; empty: "
        "no difference, or it cannot be told."
    )
    rows: tuple[DifferenceRow, ...] = figure("Every figure of either side.")
    losses: tuple[Loss, ...] = figure(
        "The losses of the left side, the right or both; empty: nothing is lost. "
        "The marks are in the rows.",
        entries=(0, 2),
        default=(),
    )

    @property
    @computed(WORD_SIZE_TEXT, "B", last=True)
    def word_size(self) -> int | None:
        return largest_word(self.left.trace.word_size, self.right.trace.word_size)


def compare(
    left: ReplayResult, right: ReplayResult, *, labels: tuple[str, str] | None = None
) -> Comparison:
    """`labels`: short names of both; None: the facts that tell them apart."""
    from heapscope.simulation.result.conclusion import conclusion

    labels = labels or _labels(left, right)
    alike = served_alike(left, right)
    losses = left.loss, right.loss
    rows = tuple(
        _row(one, values, alike=bool(alike), bound=_bound(one, losses))
        for one, values in aligned((left, right))
    )
    if not comparable(left, right):
        rows = tuple(
            replace(row, comparable=row.bound in (Bound.EXACT, Bound.AS_RECORDED)) for row in rows
        )
    same = all(row.outcome == "same" for row in rows)
    parts = parts_of(left, right) if alike is not None and comparable(left, right) else ()
    return Comparison(
        left=side_of(left, labels[0]),
        right=side_of(right, labels[1]),
        served_alike=alike,
        conclusion=conclusion(left, right, labels, same=same, parts=parts),
        parts=parts,
        rows=rows,
        losses=tuple(_in_rows(loss, rows) for loss in losses if loss is not None),
    )


def _row(
    one: ComparedFigure, values: tuple[int | None, ...], *, alike: bool, bound: Bound | None
) -> DifferenceRow:
    left, right = (None, None) if bound == Bound.WITHHELD else values
    return DifferenceRow(
        section=one.section,
        name=one.name,
        unit=one.unit,
        better=one.judged(alike=alike),
        left=left,
        right=right,
        bound=bound,
    )


def _in_rows(loss: Loss, rows: tuple[DifferenceRow, ...]) -> Loss:
    """The marks stand in the rows, each with its figure."""
    withheld = sum(row.bound == Bound.WITHHELD for row in rows)
    return replace(loss, marks={}, figures=len(rows), withheld=withheld)


def comparable(left: ReplayResult, right: ReplayResult) -> bool:
    """Both sides are whole, or end at the same event of the same trace."""
    ends = [None if side.loss is None else side.loss.event for side in (left, right)]
    return ends == [None, None] or (ends[0] == ends[1] != 0 and left.trace == right.trace)


def side_of(result: ReplayResult, label: str) -> Side:
    return Side(
        label=label,
        trace=result.trace,
        layout=result.layout,
        digest=result.summary.digest,
        verdict=result.verdict,
    )


#: Facts that can name a side, the plainest first.
NAMES: tuple[Callable[[ReplayResult], str], ...] = (
    lambda result: _path(result)[-1],
    lambda result: result.layout.chip,
    lambda result: f"ESP-IDF {result.layout.sdk}" if result.layout.sdk else "",
    lambda result: ", ".join(result.layout.allocators),
    lambda result: result.layout.name,
)


def _labels(left: ReplayResult, right: ReplayResult) -> tuple[str, str]:
    """The first fact in which the sides differ names them."""
    for name in NAMES:
        labels = name(left), name(right)
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


def aligned(
    results: Sequence[ReplayResult],
) -> Iterator[tuple[ComparedFigure, tuple[int | None, ...]]]:
    """Each figure of any side, with its value on every side. The first side's order; what only a
    later one has follows its section. Regions go by their addresses."""
    sides = [{(one.section, one.name): one for one in figures(result)} for result in results]
    known: dict[tuple[str, str], ComparedFigure] = {}
    for side in sides:
        known = known | {key: one for key, one in side.items() if key not in known}
    sections = list(dict.fromkeys(section for section, _ in known))
    for key in sorted(known, key=lambda key: (sections.index(key[0]), known[key].order)):
        entries = (side.get(key) for side in sides)
        yield known[key], tuple(None if one is None else one.value for one in entries)


def _bound(figure: ComparedFigure, losses: tuple[Loss | None, Loss | None]) -> Bound | None:
    """The same for both sides: what the one with the earlier loss can say."""
    known = [loss for loss in losses if loss is not None]
    if not known:
        return None
    ends = [loss.event for loss in known if loss.event is not None]
    return after(
        figure.bound, min(ends, default=None), facts_lost=any(loss.unknown for loss in known)
    )
