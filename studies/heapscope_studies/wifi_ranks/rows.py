"""Each rank beside what the others say of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from heapscope.forecast.predict.wifi_table import METRICS
from heapscope_studies.result import Cell, Column, Plot, Series, Table
from heapscope_studies.wifi_model.left_out import LeftOut
from heapscope_studies.wifi_ranks.errors import METRIC_NAMES
from heapscope_studies.wifi_ranks.memory import predicted_kb


def tables(left_outs: Sequence[LeftOut]) -> Iterator[Table]:
    yield Table(
        key="ranks",
        title="Each rank, and what is predicted of it from all others",
        columns=(
            Column(key="chip", heading="Chip", name=True),
            Column(key="psram", heading="PSRAM", name=True),
            Column(key="rank", heading="Rank", name=True),
            Column(key="memory", heading="memory KB", unit="KB", digits=1),
            Column(key="memory_predicted", heading="pre- dicted", unit="KB", digits=0),
            *(
                column
                for metric in METRICS
                for column in (
                    Column(
                        key=metric,
                        heading=METRIC_NAMES[metric],
                        unit="Mbit/s",
                        digits=1,
                        wide=not metric.startswith("tcp"),
                    ),
                    Column(
                        key=f"{metric}_predicted",
                        heading="pre- dicted",
                        unit="Mbit/s",
                        digits=1,
                        wide=not metric.startswith("tcp"),
                    ),
                )
            ),
        ),
        rows=tuple(_row(each) for each in left_outs),
        notes=(
            "tables of 2020-07 (ESP32, ESP32-S2), 2021-01 (C3), 2021-08 (S3), 2022-05 (C2) and "
            "2023-03 (C6); shielded box, one stream, the iperf example",
            "memory is predicted by the sum of parts; what the program takes is from the other "
            "rows of its table",
        ),
    )
    yield Table(
        key="bands",
        title="The same predictions with their bands",
        columns=(
            Column(key="id", heading="Rank", name=True),
            *(
                Column(key=f"{what}_{edge}", heading=f"{what} {edge.replace('_', ' ')}", digits=1)
                for what in METRICS
                for edge in ("low_80", "high_80", "low_95", "high_95")
            ),
        ),
        rows=tuple(_band_row(each) for each in left_outs),
        detail=True,
    )


def _row(left_out: LeftOut) -> tuple[Cell, ...]:
    row = left_out.row
    cells: list[Cell] = [row.knobs.chip, row.knobs.psram, row.label, row.memory_kb]
    cells.append(round(predicted_kb(row), 1))
    for metric in METRICS:
        cells.append(row.throughput.get(metric))
        cells.append(round(left_out.throughput[metric].mbps(), 2))
    return tuple(cells)


def _band_row(left_out: LeftOut) -> tuple[Cell, ...]:
    cells: list[Cell] = [left_out.row.id]
    for metric in METRICS:
        guess = left_out.throughput[metric]
        for share in (0.8, 0.95):
            for sign in (-1, 1):
                cells.append(round(guess.mbps(sign * guess.reach(share)), 2))
    return tuple(cells)


# ---- curves -------------------------------------------------------------------------------------


def plots(left_outs: Sequence[LeftOut]) -> Iterator[Plot]:
    predicted = [round(predicted_kb(each.row), 1) for each in left_outs]
    yield _by_rank(
        left_outs,
        key="memory_by_rank",
        title="Available memory by rank: published, and by the sum of parts",
        y_heading="available memory",
        y_unit="KB",
        series=_pair("", predicted, [each.row.memory_kb for each in left_outs]),
    )
    for protocol in ("TCP", "UDP"):
        metrics = [metric for metric in METRICS if METRIC_NAMES[metric].startswith(protocol)]
        yield _by_rank(
            left_outs,
            key=f"{protocol.lower()}_by_rank",
            title=f"{protocol} throughput by rank: published, and predicted from all others",
            y_heading="throughput",
            y_unit="Mbit/s",
            series=tuple(
                curve
                for metric in metrics
                for curve in _pair(
                    f"{METRIC_NAMES[metric]} ",
                    [round(each.throughput[metric].mbps(), 2) for each in left_outs],
                    [each.row.throughput.get(metric) for each in left_outs],
                )
            ),
        )


def _by_rank(left_outs: Sequence[LeftOut], **plot: Any) -> Plot:
    names = tuple(each.row.id for each in left_outs)
    return Plot(x_heading="rank", x_labels=names, **plot)


def _pair(
    name: str, predicted: Sequence[float], published: Sequence[float | None]
) -> tuple[Series, Series]:
    """Dots: nothing lies between two ranks."""
    x = tuple(float(number) for number in range(len(predicted)))
    ours = Series(name=f"{name}predicted", x=x, y=tuple(predicted), points=True)
    series = Series(name=f"{name}published", x=x, y=tuple(published), points=True, beside=ours.name)
    return ours, series
