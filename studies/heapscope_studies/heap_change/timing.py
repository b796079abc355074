"""The article's four timings: published nanoseconds, steps of models, instructions of real code.

Steps are what a model's algorithm does: nodes visited, bins looked at, words written. They are not
its time. Instructions and nanoseconds come only from real code.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from heapscope.memory.layout.pool import POOL_BASE
from heapscope.native.single_heap import DRILL_PHASES, DrillRow, PhaseRow, drill
from heapscope_studies.heap_change.measured import Measured, measured_rows
from heapscope_studies.heap_change.subjects import LIGHT, PUBLISHED, is_ours, names
from heapscope_studies.result import Cell, Column, Table

FIGURES = PUBLISHED["timing"]
BEFORE, AFTER = PUBLISHED["counts"]["before"], PUBLISHED["counts"]["after"]
REQUESTS = DrillRow(**{key: FIGURES[key] for key in ("first", "small", "count", "last")})
TIMED = DRILL_PHASES[:4]  # those that the article timed
HEADINGS = {
    "first": f"first {REQUESTS.first} B",
    "small": f"{REQUESTS.count:,} x {REQUESTS.small} B",
    "free": f"free every odd one ({REQUESTS.count // 2:,})",
    "last": f"then one {REQUESTS.last} B",
    "worst_free": "worst single free",
}


@dataclass(frozen=True, kw_only=True)
class Drilled:
    """One allocator's steps, phase by phase."""

    phases: dict[str, PhaseRow]

    @property
    def counted(self) -> bool:
        """False for a heap that runs as it ships and counts no steps of its own."""
        return any(phase.steps for phase in self.phases.values())

    def steps(self, phase: str) -> int | None:
        return self.phases[phase].steps if self.counted else None


def drill_all() -> dict[str, Drilled]:
    """Every allocator that can be set up on the pool."""
    size = PUBLISHED["counts"]["pool"]
    rows = {n: drill(n, base=POOL_BASE, size=size, requests=REQUESTS) for n in names()}
    return {
        name: Drilled(phases=dict(zip(DRILL_PHASES, row, strict=True)))
        for name, row in rows.items()
        if row is not None
    }


# ---- tables -------------------------------------------------------------------------------------


def tables(drilled: dict[str, Drilled]) -> Iterator[Table]:
    measured = measured_rows()
    yield _published(drilled, measured)
    yield _real_code(measured)
    yield _steps(drilled)
    yield _sorts_of_steps(drilled)


def _published(drilled: dict[str, Drilled], measured: tuple[Measured, ...]) -> Table:
    """How many times as much the new heap takes: the one figure that all three sources share."""
    return Table(
        key="published_timings",
        title="Four timings: what TLSF takes of what the free list takes",
        columns=(
            Column(key="phase", heading="Phase", name=True),
            *_source_columns("published", "published ns", "ns", "TLSF takes"),
            *_source_columns("steps", "steps of the model", "steps", "in steps", wide=True),
            *_source_columns("code", "instructions", "instructions", "in instructions", wide=True),
        ),
        rows=tuple(_published_rows(drilled, measured)),
        notes=(
            f"published: on a PC, builds as in the counts; steps: {BEFORE} and {AFTER}; real code: "
            f"{BEFORE} and {AFTER.removesuffix(LIGHT)}, so without poisoning",
            "instructions and nanoseconds are of real code, steps are the models'",
            *_like_the_first(drilled),
        ),
    )


def _source_columns(
    key: str, what: str, unit: str, ratio: str, *, wide: bool = False
) -> tuple[Column, ...]:
    return (
        Column(key=f"{key}_before", heading=f"{what}: 4.2", unit=unit, wide=wide),
        Column(key=f"{key}_after", heading="4.3.2", unit=unit, wide=wide),
        Column(key=f"{key}_ratio", heading=ratio, ratio=True),
    )


def _like_the_first(drilled: dict[str, Drilled]) -> Iterator[str]:
    """In which build the last allocation is like the first one, as in the published figures."""
    for name in (AFTER, AFTER.removesuffix(LIGHT)):
        first, last = (_steps_of(drilled, name, phase) for phase in ("first", "last"))
        yield (
            f"{name}: {first} steps for the first allocation, {last} for the last; published "
            f"{FIGURES['after']['first']:,} and {FIGURES['after']['last']:,} ns"
        )


def _published_rows(
    drilled: dict[str, Drilled], measured: tuple[Measured, ...]
) -> Iterator[tuple[Cell, ...]]:
    real = {row.allocator: row.instructions for row in measured}
    for phase in TIMED:
        pairs = (
            (FIGURES["before"][phase], FIGURES["after"][phase]),
            (_steps_of(drilled, BEFORE, phase), _steps_of(drilled, AFTER, phase)),
            (real[BEFORE].get(phase), real[AFTER.removesuffix(LIGHT)].get(phase)),
        )
        cells: list[Cell] = [HEADINGS[phase]]
        for before, after in pairs:
            cells += [before, after, _ratio(before, after)]
        yield tuple(cells)


def _real_code(measured: tuple[Measured, ...]) -> Table:
    notes = [f"real code of the others: {PUBLISHED['measured']['what']}"]
    if not any(is_ours(row.allocator) for row in measured):
        notes.append("heapscope: not measured; benches/allocators measures it")
    notes += dict.fromkeys(row.source for row in measured if row.source)
    return Table(
        key="real_code",
        title="The same, measured on real code",
        columns=(
            Column(key="allocator", heading="Allocator", name=True),
            Column(key="target", heading="target", name=True),
            Column(key="unit", heading="unit", name=True),
            *(Column(key=phase, heading=HEADINGS[phase], digits=1) for phase in DRILL_PHASES),
        ),
        rows=tuple(
            (row.allocator, row.target, row.unit, *(row.values.get(p) for p in DRILL_PHASES))
            for row in measured
        ),
        notes=tuple(notes),
    )


def _steps(drilled: dict[str, Drilled]) -> Table:
    return Table(
        key="steps",
        title="Steps of the models: nodes visited, bins looked at, words written",
        columns=(
            Column(key="allocator", heading="Allocator", name=True),
            *(Column(key=p, heading=HEADINGS[p], unit="steps") for p in DRILL_PHASES),
        ),
        rows=tuple(
            (name, *(row.steps(phase) for phase in DRILL_PHASES))
            for name, row in drilled.items()
            if row.counted
        ),
        notes=(
            "a model's steps are not the allocator's time: what a step costs differs between them",
            *_refused(drilled),
            *_uncounted(drilled),
        ),
    )


def _refused(drilled: dict[str, Drilled]) -> Iterator[str]:
    for name, row in drilled.items():
        small = row.phases["small"]
        if small.failures:
            served = small.calls - small.failures
            yield f"{name} serves {served:,} of the {small.calls:,} before the pool is full"


def _uncounted(drilled: dict[str, Drilled]) -> Iterator[str]:
    missing = [name for name, row in drilled.items() if not row.counted]
    if missing:
        yield f"not here, since the code that ships counts no steps: {', '.join(missing)}"


def _sorts_of_steps(drilled: dict[str, Drilled]) -> Table:
    return Table(
        key="steps_by_sort",
        title="Steps by their sort",
        detail=True,
        columns=(
            Column(key="allocator", heading="Allocator", name=True),
            Column(key="phase", heading="phase", name=True),
            Column(key="calls", heading="calls"),
            Column(key="failed", heading="failed"),
            Column(key="nodes", heading="nodes visited", unit="steps"),
            Column(key="bins", heading="bins looked at", unit="steps"),
            Column(key="writes", heading="words written", unit="steps"),
        ),
        rows=tuple(
            (name, HEADINGS[p], r.calls, r.failures, r.nodes, r.bins, r.writes)
            for name, row in drilled.items()
            if row.counted
            for p, r in row.phases.items()
        ),
    )


def findings(drilled: dict[str, Drilled]) -> Iterator[str]:
    """The article left open where the free list's 93 ms come from."""
    if BEFORE not in drilled:
        return
    frees, worst = (drilled[BEFORE].phases[phase] for phase in ("free", "worst_free"))
    if frees.nodes:
        each = FIGURES["before"]["free"] / frees.nodes
        yield (
            f"The article wonders at the free list's {FIGURES['before']['free'] / 1e6:.0f} ms for "
            f"{frees.calls:,} frees: they visit {frees.nodes:,} nodes, {each:.1f} ns each; the "
            f"worst one alone visits {worst.nodes:,}."
        )


def _steps_of(drilled: dict[str, Drilled], name: str, phase: str) -> int | None:
    return drilled[name].steps(phase) if name in drilled else None


def _ratio(before: Cell, after: Cell) -> float | None:
    if not isinstance(before, int | float) or not isinstance(after, int | float) or not before:
        return None
    return after / before
