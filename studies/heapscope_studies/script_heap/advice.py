"""How large the private heap has to be: `heapscope fit` of the script's blocks alone, a margin on
top, and the composed week as the proof."""

from __future__ import annotations

from dataclasses import dataclass

from heapscope.answers.fit.fit_trace import fit
from heapscope.answers.fit.smallest_pool import FitResult
from heapscope_studies.captured import captured_trace
from heapscope_studies.script_heap.parts import SCRIPT, Tenants
from heapscope_studies.script_heap.runs import PUBLISHED, Arrangement, Played, play
from heapscope_studies.script_heap.schedule import Week

MARGIN = 10.0  #: percent
ALLOCATORS = ("heapscope", "idf-5.5", "sys_heap", "tlsf")


@dataclass(frozen=True, kw_only=True)
class Advised:
    """`week` None: there is no size."""

    fit: FitResult
    week: Played | None

    @property
    def failures(self) -> int | None:
        return None if self.week is None else self.week.failures

    @property
    def least_free(self) -> int | None:
        """Bytes, after any collection of the week."""
        if self.week is None:
            return None
        return int(self.week.heap("free")[self.week.week.of("collection")].min())


def advise(tenants: Tenants, week: Week) -> tuple[Advised, ...]:
    """One allocator after the other; the recorded hour gives the size, the week tries it."""
    rows = fit(captured_trace(SCRIPT), ALLOCATORS, task="script", margin=MARGIN)
    return tuple(Advised(fit=row, week=_tried(tenants, week, row)) for row in rows)


def _tried(tenants: Tenants, week: Week, row: FitResult) -> Played | None:
    if row.advised is None:
        return None
    shared = PUBLISHED["published"]["shared"]
    return play(tenants, week, Arrangement(shared=shared, private=row.allocator, size=row.advised))
