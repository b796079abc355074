"""The figures by which two replays are compared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from heapscope.base.rows.bound import Bound, flat
from heapscope.simulation.result.result import REPLAY, ReplayResult

#: Our own heap runs itself instead of a model: it counts no steps, and 0 would read as none.
_UNCOUNTED = "heapscope"


@dataclass(frozen=True, kw_only=True)
class ComparedFigure:
    """One number with its meaning. `better` is "less", "more" or "" where neither is. `bound`: what
    it says of the whole run after a loss (heapscope.base.rows.bound). `held`: it follows from the
    blocks that were live, so it says nothing of two sides that served different requests: who
    serves more holds more. `order` sorts figures of a section."""

    section: str
    name: str
    unit: str
    better: str
    value: int
    bound: Bound
    held: bool
    order: int = 0

    def judged(self, *, alike: bool) -> str:
        """`better` for two sides; `alike`: they served the same requests."""
        return self.better if alike or not self.held else ""


@dataclass(frozen=True)
class _FigureNames:
    """A figure of a row: its field, its name in a comparison, and the fields of ComparedFigure."""

    field: str
    name: str
    better: str = ""
    unit: str = "B"
    held: bool = True


_SUMMARY = (
    _FigureNames("event_count", "heap events", unit="events", held=False),
    _FigureNames("failures", "failed", "less", "requests", held=False),
    _FigureNames("live_peak", "live payload, peak", "less"),
    _FigureNames("live", "live payload, end", "less"),
)
_NEED = (
    _FigureNames("short_events", "without room", "less", "events"),
    _FigureNames("minimum_margin", "smallest margin", "more"),
)
_TIGHTEST = (
    _FigureNames("payload", "payload"),
    _FigureNames("rounding", "rounding", "less"),
    _FigureNames("header", "headers", "less"),
    _FigureNames("control", "control", "less"),
    _FigureNames("startup", "start-up"),
    _FigureNames("moving", "old block of a moving realloc"),
    _FigureNames("free", "free", "more"),
)
_SET = (
    _FigureNames("minimum_free", "minimum free", "more"),
    _FigureNames("minimum_largest_allocatable", "minimum largest_allocatable", "more"),
)
_KIND = (
    _FigureNames("size", "size", "more", held=False),
    _FigureNames("peak_payload", "peak payload"),
    _FigureNames("minimum_free", "minimum free", "more"),
)
_REGION = (
    _FigureNames("control", "control", "less", held=False),
    _FigureNames("minimum_free", "minimum free"),
)
_RULE = (
    _FigureNames("payload_peak", "peak payload"),
    _FigureNames("refused", "refused", "less", "requests"),
)
_TASK = (
    _FigureNames("payload_peak", "peak payload"),
    _FigureNames("held_peak", "peak held", "less"),
)


def figures(result: ReplayResult) -> Iterator[ComparedFigure]:
    """Every comparable figure; section and name together are unique."""
    yield from _of(result.summary, "summary", "requests", _SUMMARY)
    for need in result.needs:
        yield from _of(need, "needs[]", "needs", _NEED, f"{need.size:,} B for {need.capabilities}")
    yield from _of(result.summary.tightest, "summary.tightest", "tightest moment", _TIGHTEST)
    for one in result.sets:
        yield from _of(one, "sets[]", "memory", _SET, one.capabilities)
    for kind in result.kinds:
        yield from _of(kind, "kinds[]", "kinds", _KIND, kind.kind)
    for region in result.regions:
        yield from _of(region, "regions[]", "regions", _REGION, region.name, order=region.start)
    for rule in result.placement:
        if rule.rule is not None:
            name = f"rule {rule.rule}, {rule.conditions} to {rule.target}"
            yield from _of(rule, "placement[]", "placement", _RULE, name)
    yield from _tasks(result)
    yield from _work(result)


_MARKS = flat(REPLAY)


def served_alike(left: ReplayResult, right: ReplayResult) -> bool | None:
    """Is it sure that both served the same requests: all, or all but the same ones of one trace?
    None: nothing was asked of one of them."""
    if 0 in (left.summary.results, right.summary.results):
        return None
    failures = left.summary.failures, right.summary.failures
    if failures == (0, 0):
        return True
    if failures[0] != failures[1] or left.census != right.census:
        return False
    kept = [[(row.number, row.event) for row in side.failures] for side in (left, right)]
    whole = len(kept[0]) == len(kept[1]) == failures[0]
    return left.summary.digest == right.summary.digest or (whole and kept[0] == kept[1])


def _of(
    row: object,
    place: str,
    section: str,
    reported: tuple[_FigureNames, ...],
    whose: str = "",
    order: int = 0,
) -> Iterator[ComparedFigure]:
    """`place`: that of the row in the result of a replay, by which figures are marked."""
    for one in reported:
        yield ComparedFigure(
            section=section,
            name=f"{whose}: {one.name}" if whose else one.name,
            unit=one.unit,
            better=one.better,
            value=getattr(row, one.field),
            bound=_MARKS[f"{place}.{one.field}"],
            held=one.held,
            order=order,
        )


def _tasks(result: ReplayResult) -> Iterator[ComparedFigure]:
    seen = set()
    for row in result.tasks:
        name = f"{row.task} in {row.kind}"
        name = f"{name} (task {row.task_index})" if name in seen else name
        seen.add(name)
        yield from _of(row, "tasks[]", "tasks", _TASK, name)


def _work(result: ReplayResult) -> Iterator[ComparedFigure]:
    """The work of the model, of all regions together."""
    regions = result.regions
    work = {"step_copied": ("copied or zeroed", "B", sum(row.step_copied for row in regions))}
    if not any(row.allocator.startswith(_UNCOUNTED) for row in regions):
        visited = sum(row.step_nodes + row.step_bins for row in regions)
        work = {"step_nodes": ("nodes and bins visited", "steps", visited)} | work
    for field, (name, unit, value) in work.items():
        yield ComparedFigure(
            section="work of the model",
            name=name,
            unit=unit,
            better="less",
            value=value,
            bound=_MARKS[f"regions[].{field}"],
            held=True,
        )
