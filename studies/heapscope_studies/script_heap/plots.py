"""The week as curves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np

from heapscope_studies.result import Plot, Series
from heapscope_studies.script_heap.measures import Measured, Values

DIGITS = 6
POINTS = 200  #: of a curve


def plots(measured: Sequence[Measured]) -> Iterator[Plot]:
    timed = [one for one in measured if one.timed]
    private = [one for one in measured if one.played.arrangement.private is not None]
    for kind, title in (
        ("collection", "A collection"),
        ("json", "JSON of 5 x 1440 values"),
        ("cbor", "CBOR of 5 x 1440 values"),
    ):
        yield _plot(
            key=f"{kind}_seconds",
            title=f"{title}: estimated time on the chip",
            heading="time",
            unit="s",
            series=[_series(one, kind, partial(_seconds, kind)) for one in timed],
            logarithmic=True,
        )
    yield _plot(
        key="cpu_percent",
        title="Processor's time that timers and collections take",
        heading="share",
        unit="%",
        series=[_series(one, "minute", lambda one: one.busy("middle")) for one in timed],
        logarithmic=True,
    )
    yield _plot(
        key="fragmentation",
        title="Free memory of the script's private heap that no single request can have",
        heading="share",
        unit="%",
        series=[_series(one, "collection", lambda one: one.fragmented()) for one in private],
    )
    yield _plot(
        key="largest_block",
        title="The largest block that the script's private heap can give",
        heading="largest",
        unit="B",
        series=[_series(one, "collection", lambda one: one.heap("largest")) for one in private],
    )
    yield _plot(
        key="free_blocks",
        title="Free blocks of the heap that the script is on",
        heading="blocks",
        unit="",
        series=[
            _series(one, "collection", lambda one: one.heap("free_blocks")) for one in measured
        ],
    )


def _seconds(kind: str, one: Measured) -> Values:
    return one.seconds[kind]["middle"]


def _plot(
    *,
    key: str,
    title: str,
    heading: str,
    unit: str,
    series: Sequence[Series],
    logarithmic: bool = False,
) -> Plot:
    return Plot(
        key=key,
        title=title,
        x_heading="since boot",
        x_unit="h",
        y_heading=heading,
        y_unit=unit,
        series=tuple(series),
        logarithmic=logarithmic,
    )


def _series(one: Measured, kind: str, values: Callable[[Measured], Values]) -> Series:
    """At most so many points that a page stays small: of the longer run every so-manieth."""
    hours, shown = one.hours(kind), values(one)
    every = max(1, len(hours) // POINTS)
    order = np.argsort(hours, kind="stable")[::every]
    return Series(
        name=one.name,
        x=tuple(round(float(hours[i]), 3) for i in order),
        y=tuple(round(float(shown[i]), DIGITS) for i in order),
    )
