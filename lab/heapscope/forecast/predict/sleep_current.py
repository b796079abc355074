"""The mean current of a station that is connected and idle, as it was published of its chip.

Espressif measured it at DTIM periods of 1, 3 and 10 beacons of 102.4 ms, in a shielded box. The
mean is a floor and a charge for each time that the radio wakes:

    current = floor + charge / period

Both are fitted to the figures of a series; the band is as wide as it takes for figures that were
left out. Chips and kinds of sleep that nobody published are left out.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, exp, log

import numpy as np

from heapscope.base.rows.figure import figure
from heapscope.base.rows.row import Row
from heapscope.config.config import Config
from heapscope.forecast.predict.wifi_table import table

MODEM, LIGHT = "modem", "light"
_BEACON_MS = 102.4  # of the published series
_SHARE = 0.8


class SleepCurrent(Row):
    """The mean current of a station that is connected and has nothing to send or to receive."""

    sleep: str = figure("The kind of sleep.", heading="Sleep", choices=(MODEM, LIGHT))
    scaling: bool | None = figure(
        "Whether the CPU's frequency is scaled; null: it sleeps.", heading="scaling"
    )
    band_ghz: str = figure("The radio band.", "GHz", heading="band", choices=("2.4", "5"))
    mode: str = figure(
        "The mode of power save: what the radio wakes for.",
        heading="Mode",
        choices=("min_modem", "max_modem"),
    )
    median: float = figure("The middle.", "mA", "median", digits=3)
    low_80: float = figure("The lower bound of the 80 % band.", "mA", "80 % from", digits=3)
    high_80: float = figure("The upper bound of the 80 % band.", "mA", "80 % to", digits=3)
    source: str = figure("The source of the series.")


@dataclass(frozen=True, kw_only=True)
class CurrentSeries:
    """Mean currents by DTIM period, mA. `scaling`: "on", "off", or "": it sleeps."""

    chip: str
    sleep: str
    scaling: str
    band: str
    mhz: int
    means: Mapping[int, float]
    source: str

    def at(self, beacons: float, without: int = 0) -> float:
        """The current where the radio wakes each so many beacons. `without`: a DTIM period whose
        figure is left out."""
        known = [(dtim, mean) for dtim, mean in self.means.items() if dtim != without]
        means = [mean for _, mean in known]
        terms = np.array([[1.0, 1 / dtim] for dtim, _ in known])
        floor, charge = np.linalg.lstsq(terms, means, rcond=None)[0]
        if charge < 0:  # a chip that drew more at longer periods: its law is not this one
            return sum(means) / len(means)
        return float(floor + charge / beacons)


@functools.cache
def all_series() -> tuple[CurrentSeries, ...]:
    result: dict[tuple[str, ...], list[dict[str, str]]] = {}
    for row in table("current"):
        key = (row["chip"], row["sleep"], row["dfs"], row["band"])
        result.setdefault(key, []).append(row)
    return tuple(
        CurrentSeries(
            chip=chip,
            sleep=sleep,
            scaling=scaling,
            band=band,
            mhz=int(rows[0]["mhz"]),
            means={int(row["dtim"]): float(row["mean_ma"]) for row in rows},
            source=rows[0]["source"],
        )
        for (chip, sleep, scaling, band), rows in result.items()
    )


@functools.cache
def law_width(sleep: str, without: str = "") -> float:
    """ln: half of the band that holds 80 % of the figures of a kind of sleep that were left out.
    `without`: a chip that is left aside."""
    off = sorted(
        abs(log(series.at(dtim, without=dtim) / mean))
        for series in all_series()
        for dtim, mean in series.means.items()
        if series.sleep == sleep and series.chip != without
    )
    return off[ceil(_SHARE * len(off)) - 1]


def sleep_currents(
    config: Config, *, mhz: int, wakes_ms: Mapping[str, float]
) -> tuple[SleepCurrent, ...]:
    """For each kind of sleep that the configuration allows. `mhz`: its clock, of which figures of
    modem sleep are; `wakes_ms`: the time from one wake to the next, by mode."""
    return tuple(
        _current(series, mode, period)
        for series in all_series()
        if series.chip == config.chip and _is_possible(series, config, mhz)
        for mode, period in wakes_ms.items()
    )


def _is_possible(series: CurrentSeries, config: Config, mhz: int) -> bool:
    managed = config.value("PM_ENABLE")
    if series.sleep == LIGHT:
        return bool(managed and config.value("FREERTOS_USE_TICKLESS_IDLE"))
    if series.mhz != mhz:
        return False
    if series.scaling == "on":
        return bool(managed)
    return not (managed and config.value("PM_DFS_INIT_AUTO"))


def _current(series: CurrentSeries, mode: str, period_ms: float) -> SleepCurrent:
    median = series.at(period_ms / _BEACON_MS)
    factor = exp(law_width(series.sleep))
    return SleepCurrent(
        sleep=series.sleep,
        scaling={"on": True, "off": False}.get(series.scaling),
        band_ghz=series.band,
        mode=mode,
        median=median,
        low_80=median / factor,
        high_80=median * factor,
        source=series.source,
    )


def current_rests_on(chip: str, currents: Sequence[SleepCurrent]) -> str:
    """The worth of the figures, as a sentence."""
    if currents:
        return (
            "current: of Espressif's boards in a shielded box, without another radio; the bands "
            "hold 4 of 5 published figures that were left out; parts of your board come on top"
        )
    known = sorted({series.chip for series in all_series()})
    if chip in known:
        return "current: nobody published it for this clock with this power management"
    return f"current: nobody published it for the {chip} ({', '.join(known)} are known)"
