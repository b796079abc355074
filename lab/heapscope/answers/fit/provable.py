"""The pool that cannot fail, whatever a program of these sizes and this peak does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from heapscope.base.rows.figure import figure
from heapscope.base.rows.row import Row
from heapscope.base.wording import size
from heapscope.native.steps import NativeSteps, Proof

_WHY = {
    Proof.PROVEN: "",
    Proof.SEARCH: "nothing is known of when its search gives up",
    Proof.ALIGNED: "the trace has requests with an alignment",
    Proof.NEVER: "it refuses one of the requests on a pool of any size",
    Proof.LARGE: "it takes {pool}, and none of its heaps has so much",
}


class Provable(Row):
    """For every program whose requests have the sizes of the trace and whose blocks, live at once,
    never take more than the trace's (docs/design/provable.md)."""

    pool: int | None = figure(
        "On a pool of that size none of its requests is refused. null: that is not proven.", "B"
    )
    live: int = figure("Bytes that live blocks take at most, a moving realloc's both blocks.", "B")
    smallest: int = figure("The smallest request.", "B")
    largest: int = figure("The largest request.", "B")
    strata: int = figure(
        "Classes of sizes that the proof has, each above those before; 1 where a block may be put "
        "anywhere."
    )
    reason: str = figure("The reason why nothing is proven; empty: it is.")


def provable_of(steps: NativeSteps, allocator: str) -> Provable:
    bound = steps.bound(allocator)
    return Provable(
        pool=bound.pool if bound.outcome == Proof.PROVEN and bound.pool else None,
        live=bound.live,
        smallest=bound.smallest,
        largest=bound.largest,
        strata=bound.strata,
        reason=_WHY[Proof(bound.outcome)].format(pool=size(bound.pool)),
    )


def provable_sentences(rows: Sequence[tuple[str, int | None, Provable]]) -> Iterator[str]:
    """`rows`: allocator, the measured pool, and what is proven of it."""
    proven = [row for row in rows if row[2].pool is not None]
    if proven:
        allocator, pool, best = min(proven, key=lambda row: row[2].pool or 0)
        assert best.pool is not None
        times = f", {best.pool / pool:.3g} times what this run needs" if pool else ""
        yield (
            f"Proven for any order of requests of {best.smallest:,} to {best.largest:,} B with at "
            f"most {size(best.live)} of blocks live: no request fails in {size(best.pool)} with "
            f"{allocator}{times}. The pool above is measured on this run alone."
        )
    for allocator, _, row in rows:
        if row.pool is None:
            yield f"{allocator}: no pool is proven: {row.reason}."
