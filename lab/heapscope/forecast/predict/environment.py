"""Where the device will be: the tables are of a shielded box; air costs time per bit, distance a
longer round trip, and loss both.

    1/T = 1/T(shielded) + air + added trip / window + round trip * sqrt(loss) / (1.22 * segment)

The third and the last are TCP's (the last is the well-known bound on a window that halves at each
loss); UDP loses just the share that is lost.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import exp, hypot, log, sqrt
from statistics import median

from heapscope.base.errors import InputError
from heapscope.base.rows.figure import computed, figure
from heapscope.base.rows.row import Row
from heapscope.forecast.predict.guess import Guess
from heapscope.forecast.predict.radio import modes
from heapscope.forecast.predict.wifi_table import METRICS, Knobs, chips, table

SHIELDED, AIR = "shielded", "air"
BANDS_GHZ = (2.4, 5.0)
WIDTHS_MHZ = (0, 20, 40)
_KBIT = 8.192  # bits of 1 KB, in thousands: ms of a round trip per KB and Mbit/s
_SEGMENT_KBIT = 1.44 * 8
_BASE_MS = 1.9  # round trip in the shielded box: by the windows' constants 1.7 to send, 2.1
#: ln: figures in air of one chip differ by this much. Two published ones are at 1.7 and 0.4 times
#: what the guide's own 20 and 30 Mbit/s would have them be.
_AIR_WIDTH = 0.5
_ROUND_TRIP_WIDTH = 0.3  # ln: how much an added round trip is wrong


class Environment(Row):
    """The place where the device will be."""

    place: str = figure(
        "The tables are of a shielded box.", choices=(SHIELDED, AIR), default=SHIELDED
    )
    round_trip_ms: float = figure(
        "The round trip beyond that of a shielded box.", "ms", default=0.0
    )
    loss: float = figure("The share of frames that are lost for good.", hidden=True, default=0.0)
    band_ghz: float = figure("The band of the access point.", "GHz", hidden=True, default=2.4)
    width_mhz: int = figure(
        "The width of its channel; 0: the one on which the chip is fastest.",
        "MHz",
        hidden=True,
        default=0,
    )

    def __post_init__(self) -> None:
        if self.place not in (SHIELDED, AIR):
            raise InputError(f"environment '{self.place}'", remedy=f"valid: {SHIELDED}, {AIR}")
        if not 0 <= self.round_trip_ms <= 60_000:
            raise InputError(
                f"round trip of {self.round_trip_ms:g} ms", remedy="give one from 0 to 60000"
            )
        if not 0 <= self.loss < 1:
            raise InputError(f"loss of {self.loss:.0%}", remedy="give one from 0 to below 100")
        if self.band_ghz not in BANDS_GHZ:
            raise InputError(f"a band of {self.band_ghz:g} GHz", remedy="valid: 2.4, 5")
        if self.width_mhz not in WIDTHS_MHZ:
            raise InputError(f"a channel of {self.width_mhz} MHz", remedy="valid: 20, 40")

    @property
    def plain(self) -> bool:
        return self.place == SHIELDED and not self.round_trip_ms and not self.loss

    @property
    @computed("Frames that are lost for good.", "%")
    def loss_pct(self) -> float:
        return 100 * self.loss


@functools.cache
def air_time() -> Mapping[str, float]:
    """Time of a bit in air beyond that in the box, us, by metric: the median chip's."""
    result: dict[str, list[float]] = {metric: [] for metric in METRICS}
    for row in table("best"):
        result[row["metric"]].append(1 / float(row["air"]) - 1 / float(row["shielded"]))
    return {metric: median(times) for metric, times in result.items()}


@dataclass(frozen=True, kw_only=True)
class PlaceFactors:
    """The effect of a place on the time of a bit: 1/T = factor * (1/T(shielded) + added), and the
    width (ln) of its unknown part."""

    factor: float
    added: float  # us
    width: float


def placed(*, air: bool, rtt: float, loss: float, band: float = 2.4, width: int = 0) -> Environment:
    """`rtt`: ms beyond that of the shielded box; `loss`: percent of the frames; `band` in GHz,
    `width` in MHz, 0: the one on which the chip is fastest."""
    return Environment(
        place=AIR if air else SHIELDED,
        round_trip_ms=rtt,
        loss=loss / 100,
        band_ghz=band,
        width_mhz=width,
    )


def on_channel(environment: Environment, knobs: Knobs) -> Knobs:
    """The knobs on the band and channel of the place. InputError: the chip has no such radio."""
    chip = knobs.chip
    if environment.band_ghz > 3 and not chips()[chip].has_5_ghz:
        having = ", ".join(name for name, each in chips().items() if each.has_5_ghz)
        raise InputError(f"{chip} has no radio for 5 GHz", remedy=f"chips that have one: {having}")
    widths = [mode.width_mhz for mode in modes() if chip in mode.chips]
    if environment.width_mhz not in (0, *widths):
        raise InputError(
            f"{chip} has no channels of {environment.width_mhz} MHz", remedy="give --width 20"
        )
    return replace(knobs, band_ghz=environment.band_ghz, width_mhz=environment.width_mhz)


def place_of(environment: Environment, knobs: Knobs, metric: str) -> PlaceFactors:
    added = air_time()[metric] if environment.place == AIR else 0.0
    width = _AIR_WIDTH if environment.place == AIR else 0.0
    if not metric.startswith("tcp"):
        return PlaceFactors(factor=1 / (1 - environment.loss), added=added, width=width)
    if environment.round_trip_ms or environment.loss:
        width = hypot(width, _ROUND_TRIP_WIDTH)
    window = knobs.send_kb if metric == "tcp_tx" else knobs.window_kb
    added += environment.round_trip_ms / _KBIT / window
    trip = _BASE_MS + environment.round_trip_ms
    added += trip * sqrt(environment.loss) / (1.22 * _SEGMENT_KBIT)
    return PlaceFactors(factor=1.0, added=added, width=width)


def seen_in(environment: Environment, knobs: Knobs, metric: str, shielded: Guess) -> Guess:
    """The prediction there; its band is wider by what is not known of the place. The width of the
    shielded time is of that part alone, and a smaller share of the whole."""
    if environment.plain:
        return shielded
    place = place_of(environment, knobs, metric)
    own = exp(-shielded.mean)
    width = hypot(shielded.width * own / (own + place.added), place.width)
    return replace(
        shielded,
        mean=-log(place.factor * (own + place.added)),
        width=width,
        most=shielded.most / place.factor,
    )
