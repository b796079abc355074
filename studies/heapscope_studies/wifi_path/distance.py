"""A longer way and losses: what the throughput model adds for them, beside the simulation; and the
form of the model, fitted to simulated windows alone.

    1/T = 1/C + trip / (window + a segment)

The segment is the one whose acknowledgement opens the window again, in the model's words.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from heapscope.forecast.predict.constants import read_constants
from heapscope.forecast.predict.environment import Environment, seen_in
from heapscope.forecast.predict.guess import predicted_throughput
from heapscope.forecast.predict.posterior import Array
from heapscope.forecast.predict.wifi_table import WifiRow, ranks
from heapscope_studies.conclusion import concluded
from heapscope_studies.result import Column, Table
from heapscope_studies.wifi_path.measured import Link
from heapscope_studies.wifi_path.sweeps import point
from heapscope_studies.wifi_ranks.errors import METRIC_NAMES

BASE = "esp32-default"
TCP = ("tcp_tx", "tcp_rx")
#: Round trips behind the access point as the sweep names them, ms; the first is the box's own.
TRIPS = {"round trip 2 ms": 2, "20 ms": 20, "80 ms": 80}
LOSSES = {"": 0.0, ", 1 % lost": 0.01}
WINDOWS = (5760, 11520, 23040)
_SEGMENT_KB = 1.44
_LONGEST = 28_800  # bytes: the windows that the rank's 20 dynamic receive buffers hold
_MS = 8.192  # a KB at 1 Mbit/s


@dataclass(frozen=True, kw_only=True)
class Far:
    metric: str
    window: int
    trip_ms: int
    loss: float
    predicted: float
    simulated: float

    @property
    def ratio(self) -> float:
        return self.simulated / self.predicted


@dataclass(frozen=True, kw_only=True)
class Form:
    """The model's form on simulated windows: the round trip it finds, and its worst error, %; and
    the worst error without the segment."""

    metric: str
    trip_ms: int
    located_ms: float
    worst_pct: float
    bare_pct: float


def far(link: Link) -> tuple[Far, ...]:
    row = next(row for row in ranks() if row.id == BASE)
    own = next(iter(TRIPS.values()))
    return tuple(
        Far(
            metric=metric,
            window=window,
            trip_ms=trip,
            loss=loss,
            predicted=_predicted(
                row, metric, window, Environment(round_trip_ms=trip - own, loss=loss)
            ),
            simulated=point(link, "window", case + lost, metric, window)[0],
        )
        for metric in TCP
        for case, trip in TRIPS.items()
        for lost, loss in LOSSES.items()
        for window in WINDOWS
    )  # fmt: skip


def _predicted(row: WifiRow, metric: str, window: int, environment: Environment) -> float:
    knobs = replace(row.knobs, tcp_wnd=window, tcp_snd_buf=window)
    constants = read_constants()
    (guess,) = predicted_throughput(
        [(knobs, metric)], constants.names, constants.throughput, constants.widths
    )
    return seen_in(environment, knobs, metric, guess).mbps()


def forms(link: Link) -> tuple[Form, ...]:
    """The fitted forms of windows that the dynamic buffers hold, without loss."""
    built = []
    for metric in TCP:
        for case, trip in TRIPS.items():
            curve = next(
                c for c in link.sweeps["window"] if (c["case"], c["phase"]) == (case, metric)
            )
            count = sum(size <= _LONGEST for size in curve["x"])
            size = np.array(curve["x"][:count], dtype=float) / 1024
            mbit = np.array(curve["mbit"][:count])
            result, worst = _fit(size + _SEGMENT_KB, mbit)
            _, bare = _fit(size, mbit)
            built.append(
                Form(metric=metric, trip_ms=trip, located_ms=result, worst_pct=worst, bare_pct=bare)
            )
    return tuple(built)


def _fit(kilobytes: Array, mbit: Array) -> tuple[float, float]:
    """Round trip, ms, and the worst error, %. Least squares of shares: each window counts alike."""
    terms = np.stack([np.ones_like(kilobytes), 1 / kilobytes], axis=1)
    constants, *_ = np.linalg.lstsq(terms * mbit[:, None], np.ones_like(mbit), rcond=None)
    worst = np.abs(1 / (terms @ constants) / mbit - 1).max()
    return float(constants[1]) * _MS, float(worst) * 100


def figures(fars: tuple[Far, ...], form: tuple[Form, ...]) -> dict[str, dict[str, float]]:
    return {
        "wifi_distance": {
            "ratio_median": round(_median(fars, lost=False), 3),
            "ratio_lost_median": round(_median(fars, lost=True), 3),
            "form_worst_pct": round(max(one.worst_pct for one in form), 2),
            "form_bare_pct": round(max(one.bare_pct for one in form), 2),
            **{
                f"{one.metric}_trip_found_ms": round(one.located_ms, 2)
                for one in form
                if one.trip_ms == min(TRIPS.values())
            },
        }
    }


def _median(fars: tuple[Far, ...], *, lost: bool) -> float:
    return float(np.median([one.ratio for one in fars if bool(one.loss) == lost]))


def findings(fars: tuple[Far, ...], form: tuple[Form, ...]) -> Iterator[str]:
    near = [one for one in form if one.trip_ms == min(TRIPS.values())]
    text = " and ".join(f"{one.located_ms:.1f} ms ({METRIC_NAMES[one.metric]})" for one in near)
    worst, bare = max(one.worst_pct for one in form), max(one.bare_pct for one in form)
    yield (
        f"The model's form is a ceiling and a round trip over the window with one segment more. "
        f"Fitted to simulated windows alone it is off by up to "
        f"{worst:.0f} %, without the segment by "
        f"{bare:.0f}: "
        + concluded(
            bare < worst,
            "lwIP's windows are worth what they are, and the segment stands for something else "
            "in the published ranks.",
            "the segment more is lwIP's, too.",
        )
        + f" With it a round trip of {text} is found where {near[0].trip_ms} ms are behind the "
        "access point."
    )
    lost = [one.ratio for one in fars if one.loss]
    whole, gaps = _median(fars, lost=False), _median(fars, lost=True)
    yield (
        f"Farther away without loss, lwIP is simulated at {whole:.2f} times "
        f"the model's figure in the median; with 1 % lost at {gaps:.2f} "
        f"({min(lost):.2f} to {max(lost):.2f}): "
        + concluded(
            gaps < min(whole, 1),
            "the model's bound for losses knows no timeouts, and lwIP, whose timer runs at "
            "500 ms, waits for one when a window is too small for three duplicate "
            "acknowledgements, or two packets of one are lost.",
            "losses cost lwIP no more than the model's bound for them says.",
        )
    )


def tables(fars: tuple[Far, ...], form: tuple[Form, ...]) -> Iterator[Table]:
    yield Table(
        key="form",
        title="The model's form, fitted to simulated windows",
        columns=(
            Column(key="metric", heading="Metric", name=True),
            Column(key="trip", heading="behind the access point", unit="ms"),
            Column(key="found", heading="round trip found", unit="ms", digits=1),
            Column(key="worst", heading="worst error", unit="%", digits=1),
            Column(key="bare", heading="without the segment", unit="%", digits=1),
        ),
        rows=tuple(
            (
                METRIC_NAMES[one.metric],
                one.trip_ms,
                round(one.located_ms, 2),
                round(one.worst_pct, 2),
                round(one.bare_pct, 2),
            )
            for one in form
        ),
    )
    yield Table(
        key="distance",
        title=f"A longer way and losses, other windows of {BASE}: predicted and simulated",
        columns=(
            Column(key="metric", heading="Metric", name=True),
            Column(key="trip", heading="round trip", unit="ms"),
            Column(key="loss", heading="lost", unit="%"),
            Column(key="window", heading="window", unit="bytes"),
            Column(key="predicted", heading="predicted", unit="Mbit/s"),
            Column(key="simulated", heading="simulated", unit="Mbit/s"),
            Column(key="difference", heading="difference", unit="Mbit/s", signed=True),
            Column(key="ratio", heading="ratio", ratio=True),
        ),
        rows=tuple(
            (
                METRIC_NAMES[one.metric],
                one.trip_ms,
                round(100 * one.loss),
                one.window,
                round(one.predicted, 3),
                round(one.simulated, 3),
                round(one.simulated - one.predicted, 3),
                round(one.ratio, 3),
            )
            for one in fars
        ),
        notes=("lost: one packet in a hundred, both ways; five runs",),
    )
