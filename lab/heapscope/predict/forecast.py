"""Everything that is predicted of one configuration, and what each prediction rests on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import exp

from heapscope.config.config import Config
from heapscope.predict.calibrate import Measured, calibrated
from heapscope.predict.config_knobs import KnobsRead, enabled
from heapscope.predict.constants import Constants, read_constants
from heapscope.predict.environment import AIR, Environment, seen_in
from heapscope.predict.guess import Guess, predicted_memory, predicted_throughput
from heapscope.predict.parts import Demand, MemoryPart, parts_of, taken_of_heap
from heapscope.predict.power_save import PowerSave, Times, modes
from heapscope.predict.tls_time import TlsTime, tls_time
from heapscope.predict.wifi_table import METRICS, NO_PSRAM, Knobs, WifiRow, chips, later, ranks
from heapscope.rows.figure import computed, figure
from heapscope.rows.row import Row

SHARES = (0.8, 0.95)
_KIB = 1024


class Band(Row):
    """The middle, and the bands that are to hold 80 and 95 % of all cases."""

    median: float = figure("The middle.")
    low_80: float = figure("The lower bound of the 80 % band.")
    high_80: float = figure("The upper bound of the 80 % band.")
    low_95: float = figure("The lower bound of the 95 % band.")
    high_95: float = figure("The upper bound of the 95 % band.")


class Forecast(Row, eq=False):
    """The needs of a configuration and the figures that it gives."""

    config: Config = figure("The configuration.", hidden=True)
    knobs: Knobs = figure("Its knobs.", hidden=True)
    environment: Environment = figure("The place where the device will be.")
    throughput_mbps: dict[str, Band] = figure(
        "The throughput of one stream, by protocol and direction.", "Mbit/s", digits=2
    )
    available_kb: Band = figure(
        "The memory that is left at the busiest in a program that does nothing else.",
        "KB",
        digits=1,
    )
    left_kb: Band | None = figure(
        "The available memory less TLS sessions and Bluetooth; null: there are none.",
        "KB",
        digits=1,
    )
    tls_1mb: TlsTime | None = figure(
        "The time to receive 1 MB over TLS; null: no TLS session was asked for.", digits=2
    )
    power_save: tuple[PowerSave, ...] = figure("The modes of power save.")
    rests_on: tuple[str, ...] = figure(
        "The sources, rows and SDK generation of each prediction, in sentences.", entries=(1, None)
    )
    notes: tuple[str, ...] = figure("The sentences that limit the worth of the prediction.")
    parts: tuple[MemoryPart, ...] = figure("The memory that the configuration asks for, by part.")

    @property
    @computed("The chip of the configuration.")
    def chip(self) -> str:
        return self.config.chip

    @property
    @computed("The ESP-IDF version whose options and layout were taken.")
    def sdk(self) -> str:
        return self.config.sdk

    @property
    @computed("The kind of the PSRAM.", choices=("none", "quad", "octal"))
    def psram(self) -> str:
        return self.knobs.psram

    def total(self, kind: str, *whens: str) -> int:
        """Bytes of a kind of memory; parts without a limit are not in it."""
        return sum(
            part.bytes or 0 for part in self.parts if part.kind == kind and part.when in whens
        )


def forecast(
    config: Config,
    read: KnobsRead,
    *,
    demand: Demand | None = None,
    environment: Environment | None = None,
    times: Times | None = None,
    measured: Sequence[Measured] = (),
    notes: Sequence[str] = (),
) -> Forecast:
    """`read`: the configuration's knobs. `measured`: figures of the user's own board."""
    demand = demand or Demand()
    environment = environment or Environment()
    knobs = read.knobs
    constants = calibrated(read_constants(), measured)
    parts = parts_of(config, knobs, demand)
    guesses = predicted_throughput(
        [(knobs, metric) for metric in METRICS],
        constants.names,
        constants.throughput,
        constants.widths,
    )
    seen = {
        metric: seen_in(environment, knobs, metric, guess)
        for metric, guess in zip(METRICS, guesses, strict=True)
    }
    memory = predicted_memory(knobs, constants.memory_names, constants.memory, constants.shape)
    beside = [part for part in parts if part.component in ("TLS", "Bluetooth")]
    taken = sum(map(taken_of_heap, beside)) / _KIB
    return Forecast(
        config=config,
        knobs=knobs,
        environment=environment,
        parts=parts,
        available_kb=_memory_band(memory),
        left_kb=_memory_band(replace(memory, mean=memory.mean - taken)) if beside else None,
        throughput_mbps={metric: _band(guess, exp) for metric, guess in seen.items()},
        tls_1mb=_tls(config, knobs, demand, seen["tcp_rx"]),
        power_save=modes(times or Times()),
        rests_on=tuple(_rests_on(constants, knobs, environment, measured)),
        notes=(*notes, *read.notes),
    )


def _band(guess: Guess, of: Callable[[float], float]) -> Band:
    """`of`: the figure of a value that was guessed."""
    (low_80, high_80), (low_95, high_95) = (
        (of(guess.mean - guess.reach(share)), of(guess.mean + guess.reach(share)))
        for share in SHARES
    )
    return Band(
        median=of(guess.mean), low_80=low_80, high_80=high_80, low_95=low_95, high_95=high_95
    )


def _memory_band(guess: Guess) -> Band:
    """The band of KB. Values below 0 become 0."""
    return _band(guess, lambda value: max(0.0, value))


def _tls(config: Config, knobs: Knobs, demand: Demand, tcp_rx: Guess) -> TlsTime | None:
    if not demand.tls:
        return None
    in_iram = enabled(config, "MBEDTLS_IRAM_8BIT_MEM_ALLOC")
    return tls_time(tcp_rx, mhz=knobs.mhz or chips()[knobs.chip].mhz, in_iram=in_iram)


def _rests_on(
    constants: Constants, knobs: Knobs, environment: Environment, measured: Sequence[Measured]
) -> list[str]:
    """The facts that a reader should know before trusting a figure."""
    said = []
    table = [row for row in ranks() if row.knobs.group == knobs.group]
    of_chip = [row for row in ranks() if row.knobs.chip == knobs.chip]
    errors = constants.measured
    if table:
        said.append(
            f"throughput: {len(table)} published ranks of this chip"
            f"{_with(knobs)}, of {_dates(table)}; left out, one is predicted within "
            f"{errors['row']['median_pct']:.1f} % (median)"
        )
    elif of_chip:
        said.append(
            f"throughput: no rank of this chip{_with(knobs)}, but {len(of_chip)} with other PSRAM"
        )
    else:
        best = [row for row in later() if row.knobs.chip == knobs.chip]
        known = f"{len(best)} best figures of {_dates(best)}" if best else "its clock alone"
        said.append(
            f"throughput: no published rank of this chip; {known}. Chips left out wholly are "
            f"predicted within {errors['chip']['median_pct']:.0f} % (median)"
        )
    if knobs.generation:
        said.append(
            "newer software than the ranks': faster by what the ESP32-C6 gained up to December "
            "2024 (1.27 to 1.53 times), with the band that one chip's gain deserves"
        )
    if knobs.mhz and knobs.mhz != chips()[knobs.chip].mhz:
        said.append(
            f"{knobs.mhz} MHz instead of the ranks' {chips()[knobs.chip].mhz}: taken as "
            f"proportional; nothing was measured"
        )
    if environment.place == AIR:
        said.append(
            "air: the guide's 20 (TCP) and 30 (UDP) Mbit/s of every chip; two figures of others "
            "are 1.7 and 0.4 times that"
        )
    where = "ranks" if table else f"the heap of an empty program on the {knobs.chip}"
    split, asked = ("row", "a rank") if table else ("chip", "a chip's ranks")
    verb = "is" if table else "are"
    said.append(
        f"available memory: {where}, and the documented sizes; left out, {asked} {verb} predicted "
        f"within {errors[split]['memory_median_kb']:.1f} KB (median), and bands that are to hold "
        f"80 % hold {errors[split]['memory_in_80_pct']:.0f} %"
    )
    if measured:
        figures = sum(len(each.throughput) + (each.available_kb is not None) for each in measured)
        said.append(f"your own board: {figures} measured figures moved the constants")
    return said


def _with(knobs: Knobs) -> str:
    return "" if knobs.psram == NO_PSRAM else f" with {knobs.psram} PSRAM"


def _dates(rows: Sequence[WifiRow]) -> str:
    return " and ".join(dict.fromkeys(row.date for row in rows))
