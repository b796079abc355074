"""Each rank against the best configuration that takes no more memory, as tune finds it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median

from heapscope.forecast.predict.wifi_table import METRICS
from heapscope.forecast.tune.answer import Candidate
from heapscope.forecast.tune.goals import SPEED
from heapscope.forecast.tune.memory import FREE
from heapscope.forecast.tune.options import LABELS, label
from heapscope.forecast.tune.ranks import RankGain
from heapscope_studies.result import Cell, Column, Table
from heapscope_studies.wifi_ranks.errors import METRIC_NAMES


def figures(rank_gains: Sequence[RankGain]) -> dict[str, dict[str, float]]:
    """`gain_tcp_rx_median_pct`: of the ranks that can be bettered."""
    gained = [each for each in rank_gains if each.gained]
    return {
        "tune": {
            "ranks": len(rank_gains),
            "bettered": len(gained),
            "proven_best": sum(each.proven_none for each in rank_gains),
            "outside_kconfig": sum(bool(each.refused) for each in rank_gains),
            **{
                f"gain_{metric}_median_pct": round(
                    median(each.gain_pct[metric] for each in gained), 2
                )
                for metric in METRICS
                if gained
            },
        }
    }


def findings(rank_gains: Sequence[RankGain]) -> Iterator[str]:
    sums = figures(rank_gains)["tune"]
    most = max(rank_gains, key=lambda each: max(each.gain_pct.values()))
    metric = max(METRICS, key=lambda name: most.gain_pct[name])
    yield (
        f"{sums['bettered']} of the {sums['ranks']} ranks can be bettered at no less memory and no "
        f"lower throughput, by the models (most: {most.row.id}, {METRIC_NAMES[metric]} "
        f"{most.gain_pct[metric]:+.0f} %); for {sums['proven_best']} it is proven that nothing is "
        f"better. {sums['outside_kconfig']} are outside Kconfig's ranges as published, and stand "
        f"at the nearest configuration that a build takes."
    )


def tables(rank_gains: Sequence[RankGain]) -> Iterator[Table]:
    yield Table(
        key="gains",
        title="Each rank, and the best that takes no more memory",
        columns=(
            Column(key="rank", heading="Rank", name=True),
            Column(key="better", heading="better", name=True),
            *(
                Column(
                    key=f"{metric}_gain", heading=METRIC_NAMES[metric], unit="%", digits=1,
                    signed=True,
                )
                for metric in METRICS
            ),
            Column(key="free_gain", heading="memory", unit="KB", digits=1, signed=True),
            Column(key="by", heading="by", name=True, wide=True),
        ),
        rows=tuple(_row(each) for each in rank_gains),
        notes=(
            "predicted, medians, software and clock of the tables; none of the four throughputs "
            "and not the memory may fall",
            "best: the solver's bound on the time per bit, added up over the four throughputs, is "
            "the rank's own; windows end at the published proportion to the buffers behind them",
            *(
                f"{each.row.id} is outside Kconfig's ranges: {'; '.join(each.refused)}"
                for each in rank_gains
                if each.refused
            ),
        ),
    )  # fmt: skip
    yield Table(
        key="gains_knobs",
        title="The same with all options",
        columns=(
            Column(key="rank", heading="Rank", name=True),
            Column(key="direction", heading="most of", name=True),
            Column(key="outside", heading="outside Kconfig", name=True),
            Column(key="base", heading="rank, or what stands for it", name=True),
            Column(key="best", heading="best", name=True),
            *(
                Column(
                    key=f"{metric}_{which}", heading=f"{METRIC_NAMES.get(metric, metric)} {which}"
                )
                for metric in (*METRICS, FREE)
                for which in ("base", "best")
            ),
            Column(key="spare", heading="below the bound", unit="%", digits=4),
        ),
        rows=tuple(_full_row(each) for each in rank_gains),
        detail=True,
    )


def _row(each: RankGain) -> tuple[Cell, ...]:
    if not each.gained:
        verdict = "no: proven" if each.proven_none else "none found"
        return (each.row.id, verdict, *(None for _ in METRICS), None, "")
    gains = each.gain_pct
    return (
        each.row.id,
        "yes",
        *(round(gains[metric], 1) + 0.0 for metric in METRICS),
        round(_free(each.then) - _free(each.base), 1) + 0.0,
        each.moved,
    )


def _full_row(each: RankGain) -> tuple[Cell, ...]:
    return (
        each.row.id,
        "all throughputs" if each.direction == SPEED else METRIC_NAMES[each.direction],
        "; ".join(each.refused),
        _knobs(each.base),
        _knobs(each.then),
        *(
            round(candidate.median[metric], 2)
            for metric in (*METRICS, FREE)
            for candidate in (each.base, each.then)
        ),
        round(each.spare_pct, 4) + 0.0,
    )


def _free(candidate: Candidate) -> float:
    return candidate.median[FREE]


def _knobs(candidate: Candidate) -> str:
    return ", ".join(
        f"{LABELS[name]} {label(name, value)}" for name, value in candidate.choice.items()
    )
