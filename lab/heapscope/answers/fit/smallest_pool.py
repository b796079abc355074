"""The pools that were found: one row for each trace and allocator."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from heapscope.answers.fit.floor import Floor
from heapscope.answers.fit.limits import SHARE, STEP
from heapscope.answers.fit.net_bytes import NetBytes
from heapscope.answers.fit.perturbed_fit import PerturbedFit
from heapscope.answers.fit.provable import Provable
from heapscope.base.rows.bound import AT_LEAST, BEFORE, WITHHELD, bounds_of
from heapscope.base.rows.figure import figure
from heapscope.base.rows.request import RequestRow
from heapscope.base.rows.row import Row
from heapscope.base.verb_result import Results
from heapscope.trace.loss import Loss
from heapscope.trace.provenance import RecordedDocument


class Refusal(Row):
    """The first request that was refused on one pool."""

    pool: int = figure("Size of the pool.", least=64, step=STEP)
    event: int = figure("Its number.")
    call: str = figure("The call.", choices=("malloc", "calloc", "aligned", "realloc"))
    size: int = figure("Bytes asked for.", "B", least=1)
    align: int = figure("Alignment asked for; 0: none.")
    task: str = figure("The task that called.")


class SystemCost(Row):
    """An allocator of one system. Bytes, and instructions as RV32IMC; null: not known."""

    name: str = figure("The system.")
    own: bool = figure("It is what the system has where nothing else is chosen.")
    outside: int | None = figure("Static RAM beside the pool.", "B", heading="beside the pool")
    together: int | None = figure(
        "The pool and what is beside it; where that is not known, the pool alone. null: no pool.",
        "B",
        heading="RAM",
    )
    malloc: int | None = figure("The most instructions of any malloc.", heading="worst malloc")
    free: int | None = figure("The most instructions of any free.", heading="worst free")
    code: int | None = figure("Code.", "B", heading="code")


class FitResult(RecordedDocument):
    """The smallest pool in which a trace runs without a failed allocation; one for each trace and
    allocator, in the order asked for. Sizes in bytes; events are heap events, from 0."""

    VERB = "fit"
    LISTED = True

    trace: str = figure("The file.")
    allocator: str = figure("The allocator, with its flavours.", heading="Allocator")
    pool: int | None = figure(
        "The smallest multiple of `step` such that it and 64 sizes spread evenly over "
        "the next `window` of it all survive. null: none, for `reason`.",
        "B",
        "pool",
        least=64,
        step=STEP,
        bound=AT_LEAST,
    )
    pool_min: int | None = figure(
        "The smallest size that survived among those tried; larger ones may fail. null: "
        "none survived.",
        least=64,
        step=STEP,
        bound=BEFORE,
        heading="smallest survivor",
    )
    peak_live: int = figure(
        "The most bytes that were live at once, as asked for.", "B", bound=AT_LEAST
    )
    ratio: float | None = figure(
        "pool / peak_live. null: no pool, or nothing was ever live.",
        least=1,
        bound=WITHHELD,
        heading="of live peak",
    )
    reason: str = figure("The reason why there is no pool; empty where there is one.")
    failing: Refusal | None = figure(
        "The request that was refused on the largest pool below `pool` that failed "
        "among those tried; without a pool, on the largest that failed. null: none "
        "failed, or that one lacked room for one of `needs` alone.",
        bound=BEFORE,
        heading="refused just below",
    )
    tried: int = figure("Sizes on which the trace was replayed.")
    step: int = figure("Pools are multiples of it.", "B", least=STEP, most=STEP, default=STEP)
    window: float = figure(
        "Share of the pool's size, upwards, over which the 64 other sizes are spread.",
        least=SHARE,
        most=SHARE,
        default=SHARE,
    )
    task: str = figure("Whose blocks alone were replayed; empty: all.", default="")
    placed: str = figure(
        "The rules whose ends the heap followed; empty: none, or it takes from one end.",
        default="",
    )
    needs: tuple[RequestRow, ...] = figure(
        "The requests that `pool` and all sizes which survive have room for at every moment, too.",
        default=(),
    )
    margin: float | None = figure(
        "Percent that `advised` has above `pool`. null: not asked for.", default=None
    )
    advised: int | None = figure(
        "The size to recommend. null: no pool, not asked for, or more than the "
        "allocator's largest heap.",
        least=64,
        step=STEP,
        default=None,
        bound=WITHHELD,
        heading="with margin",
    )
    system: SystemCost | None = figure(
        "With --system: what the allocator takes there beside its pool. null: not asked for.",
        default=None,
        absent=True,
    )
    floor: Floor | None = figure(
        "The least that any allocator could take, the same in each row of a trace. null: a part of "
        "the recording is lost, or nothing is ever live.",
        default=None,
        bound=WITHHELD,
    )
    provable: Provable | None = figure(
        "With --provable: the pool that no program of these sizes and this peak fills. null: not "
        "asked for, or a part of the recording is lost.",
        default=None,
        absent=True,
        bound=WITHHELD,
        heading="cannot fail",
    )
    loss: Loss | None = figure(
        "The part of the recording that is lost; null: nothing is lost.", default=None
    )
    messages: tuple[str, ...] = figure(
        "The parts of the trace that are missing, a sentence each.", default=()
    )
    net: NetBytes | None = figure(
        "With --chip, in the row of Heapscope's heap: whether it pays there.",
        default=None,
        absent=True,
    )
    perturbed: PerturbedFit | None = figure(
        "With --jitter: how perturbed runs go. null: not asked for, or no pool.",
        default=None,
        absent=True,
    )


#: A pool on which the whole run survives is one on which its first part survives, so the pool of
#: that part is a lower bound: the search rules out every smaller size. Which request is refused
#: just below it says nothing of the whole run, whose pool is another one.
FIT = bounds_of(FitResult, without=("loss", "net", "perturbed", "system"))


class FitResults(Results[FitResult]):
    """The results of all traces; those of one trace stand together."""


@dataclass(frozen=True, kw_only=True)
class Mean:
    """The mean of one allocator's ratios over several traces; None: a trace gives it no ratio."""

    allocator: str
    ratio: float | None


def means(results: Sequence[FitResult]) -> list[Mean]:
    """Geometric means, one an allocator, in the order of the results."""
    ratios: dict[str, list[float | None]] = {}
    for result in results:
        ratios.setdefault(result.allocator, []).append(result.ratio)
    return [Mean(allocator=name, ratio=_mean(values)) for name, values in ratios.items()]


def _mean(ratios: Sequence[float | None]) -> float | None:
    given = [ratio for ratio in ratios if ratio is not None]
    if len(given) < len(ratios):
        return None
    return math.exp(sum(map(math.log, given)) / len(given))
