"""The ladder as curves, published beside computed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from heapscope_studies.result import Plot, Series
from heapscope_studies.tls_ladder.ladder import Row
from heapscope_studies.tls_ladder.tables import Gain

TASKS = (("aws_iot", "client"), ("wifi", "wifi"), ("tcpip", "tiT"))


def plots(
    gains: Sequence[Gain], rows: Sequence[Row], steps: Sequence[Mapping[str, Any]]
) -> Iterator[Plot]:
    yield _by_step(
        gains,
        key="minimum_free_dram",
        title="Minimum free DRAM by step",
        y_heading="minimum free DRAM",
        series=_pair("", [g.dram for g in gains], [g.published_dram for g in gains]),
        notes=("The first step's computed figure is calibrated, so it agrees by itself.",),
    )
    yield _by_step(
        gains,
        key="minimum_free_iram",
        title="Minimum free IRAM by step",
        y_heading="minimum free IRAM",
        series=_pair("", [g.iram for g in gains], [g.published_iram for g in gains]),
    )
    yield _by_step(
        gains,
        key="task_peaks",
        title="Peak of each task in DRAM, by step",
        y_heading="peak",
        series=tuple(
            curve
            for key, name in TASKS
            for curve in _pair(
                f"{name}, ", [row.tasks[key][0] for row in rows], [_peak(s[key]) for s in steps]
            )
        ),
    )


def _by_step(gains: Sequence[Gain], **plot: Any) -> Plot:
    titles = tuple(gain.title for gain in gains)
    return Plot(x_heading="step", x_labels=titles, y_unit="B", **plot)


def _pair(
    name: str, computed: Sequence[float], published: Sequence[float]
) -> tuple[Series, Series]:
    x = tuple(float(number) for number in range(len(computed)))
    ours = Series(name=f"{name}computed", x=x, y=tuple(computed))
    return ours, Series(name=f"{name}published", x=x, y=tuple(published), beside=ours.name)


def _peak(reported: Any) -> int:
    """The figure of DRAM, where the study tells it with IRAM's."""
    return int(reported[0] if isinstance(reported, list) else reported)
