"""Each rank beside what the others say of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from heapscope.experiments.result import Cell, Column, Table
from heapscope.experiments.wifi_ranks.errors import METRIC_NAMES
from heapscope.predict.validate import LeftOut
from heapscope.predict.wifi_table import METRICS

__all__ = ["tables"]


def tables(found: Sequence[LeftOut]) -> Iterator[Table]:
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
        rows=tuple(_row(each) for each in found),
        notes=(
            "tables of 2020-07 (ESP32, ESP32-S2), 2021-01 (C3), 2021-08 (S3), 2022-05 (C2) and "
            "2023-03 (C6); shielded box, one stream, the iperf example",
        ),
    )
    yield Table(
        key="bands",
        title="The same predictions with their bands",
        columns=(
            Column(key="id", heading="Rank", name=True),
            *(
                Column(key=f"{what}_{edge}", heading=f"{what} {edge.replace('_', ' ')}", digits=1)
                for what in (*METRICS, "memory")
                for edge in ("low_80", "high_80", "low_95", "high_95")
            ),
        ),
        rows=tuple(_band_row(each) for each in found),
        detail=True,
    )


def _row(found: LeftOut) -> tuple[Cell, ...]:
    row = found.row
    cells: list[Cell] = [row.knobs.chip, row.knobs.psram, row.label, row.memory_kb]
    cells.append(round(found.memory.mean, 1))
    for metric in METRICS:
        cells.append(row.throughput.get(metric))
        cells.append(round(float(np.exp(found.throughput[metric].mean)), 2))
    return tuple(cells)


def _band_row(found: LeftOut) -> tuple[Cell, ...]:
    cells: list[Cell] = [found.row.id]
    for metric in METRICS:
        guess = found.throughput[metric]
        for share in (0.8, 0.95):
            for sign in (-1, 1):
                cells.append(round(float(np.exp(guess.mean + sign * guess.reach(share))), 2))
    for share in (0.8, 0.95):
        for sign in (-1, 1):
            cells.append(round(found.memory.mean + sign * found.memory.reach(share), 1))
    return tuple(cells)
