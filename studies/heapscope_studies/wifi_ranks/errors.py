"""How far off predictions of what was left out are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from heapscope.forecast.predict.wifi_table import METRICS
from heapscope_studies.result import Cell, Column, Table
from heapscope_studies.wifi_model.folds import SPLITS
from heapscope_studies.wifi_model.left_out import (
    LeftOut,
    covered,
    ordered,
    percent,
)
from heapscope_studies.wifi_ranks.memory import errors_kb

Match = Mapping[str, Sequence[LeftOut]]

METRIC_NAMES = {
    "tcp_tx": "TCP TX",
    "tcp_rx": "TCP RX",
    "udp_tx": "UDP TX",
    "udp_rx": "UDP RX",
}


def figures(match: Match) -> dict[str, dict[str, float]]:
    """The headline figures, as --json carries them. `new_chip`: everything of the chip is hidden
    but one best row; `new_table`: its other tables (with other PSRAM) are not."""
    rows = match["row"]
    errors = percent(rows)
    right, pairs = ordered(rows)
    return {
        "throughput": {
            "loo_median_pct": _round(np.median(errors)),
            "loo_mean_pct": _round(errors.mean()),
            "loo_p90_pct": _round(np.percentile(errors, 90)),
            "pairs_right": right,
            "pairs": pairs,
            "in_80_pct": _share(covered(rows, share=0.8)),
            "in_95_pct": _share(covered(rows, share=0.95)),
        },
        "new_table": _table_figures(match["new_table"]),
        "new_chip": _table_figures(match["new_chip"]),
        "unseen_chip": _table_figures(match["chip"]),
        "unseen_release": _table_figures(match["release"]),
        "unseen_table": _table_figures(match["table"]),
        "memory": {
            "parts_median_kb": _round(np.median(errors_kb())),
            "parts_p90_kb": _round(np.percentile(errors_kb(), 90)),
            "parts_computed_rows_median_kb": _round(np.median(errors_kb(computed=True))),
            "rows": len(errors_kb()),
        },
    }


def _table_figures(left_outs: Sequence[LeftOut]) -> dict[str, float]:
    errors = percent(left_outs)
    return {
        "median_pct": _round(np.median(errors)),
        "p90_pct": _round(np.percentile(errors, 90)),
        "in_80_pct": _share(covered(left_outs, share=0.8)),
        "in_95_pct": _share(covered(left_outs, share=0.95)),
    }


def findings(match: Match) -> Iterator[str]:
    stated = figures(match)
    rows, chip, memory = stated["throughput"], stated["new_chip"], stated["memory"]
    yield (
        f"A rank that the model has not seen is predicted within {rows['loo_median_pct']:.1f} % of "
        f"its throughput (median of {len(percent(match['row']))}; 9 of 10 within "
        f"{rows['loo_p90_pct']:.0f} %), and {rows['pairs_right']:.0f} of {rows['pairs']:.0f} pairs "
        f"of ranks come out in the right order."
    )
    yield (
        "The sum of parts never saw a rank. With the other rows of a table, which tell what the "
        f"program takes, it gives available memory within {memory['parts_median_kb']:.0f} KB "
        f"(median of the {memory['rows']:.0f} ranks that were measured)."
    )
    yield (
        "Where one row of a chip is known, its other rows are predicted within "
        f"{chip['median_pct']:.1f} %; "
        f"within {stated['new_table']['median_pct']:.1f} % where its tables with other PSRAM are "
        f"known. A chip without any row: {stated['unseen_chip']['median_pct']:.0f} %."
    )
    yield (
        f"Bands that are to hold 80 % hold {rows['in_80_pct']:.0f} % of ranks not seen, "
        f"{stated['unseen_chip']['in_80_pct']:.0f} % of chips not seen, and "
        f"{stated['unseen_release']['in_80_pct']:.0f} % of SDK releases not seen."
    )


def tables(match: Match) -> Iterator[Table]:
    yield Table(
        key="left_out",
        title="Predictions of what was left out, by what was left out with it",
        columns=(
            Column(key="left_out", heading="left out", name=True),
            Column(key="figures", heading="figures"),
            Column(key="median", heading="error, median", unit="%", digits=1),
            Column(key="p90", heading="p90", unit="%", digits=1, wide=True),
            Column(key="right", heading="pairs right"),
            Column(key="pairs", heading="of"),
            Column(key="in_80", heading="in 80 % band", unit="%", digits=0),
            Column(key="in_95", heading="in 95 % band", unit="%", digits=0),
        ),
        rows=tuple(_split_row(split.title, match[split.key]) for split in SPLITS),
        notes=("everything is chosen anew from the rows left in; a row is left out whole",),
    )
    yield Table(
        key="left_out_by_metric",
        title="One row left out, by direction: median error in percent",
        columns=(
            Column(key="metric", heading="Throughput", name=True),
            Column(key="median", heading="median", unit="%", digits=1),
            Column(key="p90", heading="p90", unit="%", digits=1),
        ),
        rows=tuple(_metric_row(metric, match["row"]) for metric in METRICS),
    )

    yield Table(
        key="left_out_by_table",
        title="One row left out, by rank table",
        columns=(
            Column(key="table", heading="Chip and PSRAM", name=True),
            Column(key="figures", heading="figures"),
            Column(key="median", heading="error, median", unit="%", digits=1),
            Column(key="right", heading="pairs right"),
            Column(key="pairs", heading="of"),
        ),
        rows=tuple(_table_rows(match["row"])),
    )


def _table_rows(left_outs: Sequence[LeftOut]) -> Iterator[tuple[Cell, ...]]:
    for group in dict.fromkeys(each.row.knobs.group for each in left_outs):
        of = [each for each in left_outs if each.row.knobs.group == group]
        errors = percent(of)
        yield (group.replace(".", " "), len(errors), _round(np.median(errors)), *ordered(of))


def _split_row(title: str, left_outs: Sequence[LeftOut]) -> tuple[Cell, ...]:
    errors = percent(left_outs)
    right, pairs = ordered(left_outs)
    return (
        title,
        len(errors),
        _round(np.median(errors)),
        _round(np.percentile(errors, 90)),
        right,
        pairs,
        _share(covered(left_outs, share=0.8)),
        _share(covered(left_outs, share=0.95)),
    )


def _metric_row(metric: str, left_outs: Sequence[LeftOut]) -> tuple[Cell, ...]:
    errors = percent(left_outs, [metric])
    return (
        METRIC_NAMES[metric],
        _round(np.median(errors)),
        _round(np.percentile(errors, 90)),
    )


def _share(counted: tuple[int, int]) -> float:
    inside, total = counted
    return _round(100 * inside / total)


def _round(value: float | np.floating[object]) -> float:  # type: ignore[type-var]
    return round(float(value), 2)
