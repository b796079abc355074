"""Everything that is predicted of one configuration, and what each prediction rests on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from heapscope.base.rows.figure import computed, figure
from heapscope.base.rows.row import Row
from heapscope.config.config import Config
from heapscope.forecast.predict.calibrate import Measured, calibrated
from heapscope.forecast.predict.chip_memory import empty_static
from heapscope.forecast.predict.config_knobs import NET_OPTIONS, WIFI_OPTIONS, KnobsRead, enabled
from heapscope.forecast.predict.constants import Constants, read_constants
from heapscope.forecast.predict.demand import Demand
from heapscope.forecast.predict.environment import AIR, Environment, on_channel, seen_in
from heapscope.forecast.predict.guess import Guess, predicted_throughput
from heapscope.forecast.predict.memory_fit import memory_fit
from heapscope.forecast.predict.memory_part import MemoryPart, not_explained, parts_of
from heapscope.forecast.predict.memory_states import DRAM, MemoryModel, OwnMemory
from heapscope.forecast.predict.power_save import TIME_UNIT_MS, PowerSave, Times, modes
from heapscope.forecast.predict.power_statement import PowerStatement, power_statements
from heapscope.forecast.predict.radio import air_limit
from heapscope.forecast.predict.sleep_current import SleepCurrent, current_rests_on, sleep_currents
from heapscope.forecast.predict.software import years_from_known
from heapscope.forecast.predict.state_memory import ByteBand, StateFree, byte_band, states_of
from heapscope.forecast.predict.throughput import beyond_features
from heapscope.forecast.predict.tls_time import TlsTime, tls_time
from heapscope.forecast.predict.wifi_limits import broken_limits, wifi_limits
from heapscope.forecast.predict.wifi_table import (
    METRICS,
    NO_PSRAM,
    Knobs,
    WifiRow,
    chips,
    lab,
    ranks,
)

SHARES = (0.8, 0.95)
_KIB = 1024
_NO_WIFI = "throughput: the chip has no Wi-Fi of its own"


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
    knobs: Knobs | None = figure("Its knobs; null: the chip has no Wi-Fi.", hidden=True)
    environment: Environment = figure("The place where the device will be.")
    states: dict[str, StateFree] = figure(
        "The free memory by state of the program: boot, app_main, wifi_started, connected, load, "
        "ble, provisioning, as far as the chip and the configuration have them."
    )
    throughput_mbps: dict[str, Band] = figure(
        "The throughput of one stream, by protocol and direction.", "Mbit/s", digits=2
    )
    streams_mbps: dict[str, Band] = figure(
        "The throughput of all TCP connections together, where several are asked for: their "
        "windows add up. Nothing was published of several.",
        "Mbit/s",
        digits=2,
    )
    left: ByteBand = figure(
        "The internal memory that is left to the program when everything is at work that the "
        "configuration has: Wi-Fi under load, TLS sessions, Bluetooth."
    )
    tls_1mb: TlsTime | None = figure(
        "The time to receive 1 MB over TLS; null: no TLS session was asked for.", digits=2
    )
    power_save: tuple[PowerSave, ...] = figure("The modes of power save.")
    sleep_current: tuple[SleepCurrent, ...] = figure(
        "The mean current of a station that sleeps; empty: nobody published it."
    )
    power_statements: tuple[PowerStatement, ...] = figure(
        "Published statements about power save that hold for the configuration."
    )
    wifi_limits: tuple[str, ...] = figure(
        "The limits that buffers, mailboxes and modem sleep set, in sentences."
    )
    broken_limits: tuple[str, ...] = figure(
        "Those of wifi_limits that the configuration goes beyond.", default=()
    )
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
        return self.knobs.psram if self.knobs else NO_PSRAM


def forecast(
    model: MemoryModel,
    read: KnobsRead | None,
    *,
    environment: Environment | None = None,
    times: Times | None = None,
    measured: Sequence[Measured] = (),
    notes: Sequence[str] = (),
) -> Forecast:
    """`read`: the configuration's knobs; None: the chip has no Wi-Fi. `measured`: figures of the
    user's own board."""
    environment = environment or Environment()
    config = model.scene.config
    model = with_own(model, measured)
    constants = calibrated(read_constants(), measured)
    if read is not None:
        read = replace(read, knobs=on_channel(environment, read.knobs))
    shielded = _throughput(constants, read.knobs) if read else {}
    seen = _seen(shielded, read.knobs, environment) if read else {}
    times = times or Times()
    currents = _currents(config, read.knobs, times) if read else ()
    saved = modes(_with_radios(config, times)) if read else ()
    together = _together(read.knobs, model.scene.demand) if read else None
    return Forecast(
        config=config,
        knobs=read.knobs if read else None,
        environment=environment,
        states=states_of(model),
        parts=parts_of(model),
        left=byte_band(model.free(model.busiest)[DRAM]),
        throughput_mbps={metric: _band(guess) for metric, guess in seen.items()},
        streams_mbps=_of_streams(constants, together, environment) if together else {},
        tls_1mb=_tls(config, read.knobs, model.scene.demand, seen["tcp_rx"]) if read else None,
        power_save=saved,
        sleep_current=currents,
        power_statements=power_statements(config) if read else (),
        wifi_limits=wifi_limits(
            config,
            read.knobs,
            shielded,
            environment=environment,
            power_save=saved,
            streams=model.scene.demand.tcp,
        )
        if read
        else (),
        broken_limits=broken_limits(read.knobs, model.scene.demand.tcp) if read else (),
        rests_on=(
            *(_rests_on(constants, read.knobs, environment) if read else (_NO_WIFI,)),
            *((current_rests_on(config.chip, currents),) if read else ()),
            *_memory_rests_on(model),
            *_own(measured),
        ),
        notes=(
            *not_explained(model),
            *notes,
            *_absent(config),
            *_short(model),
            *_tcp_above_udp(seen),
            *(read.notes if read else ()),
        ),
    )


def _with_radios(config: Config, times: Times) -> Times:
    """With what the configuration says of another radio."""
    return replace(times, shared=enabled(config, "ESP_COEX_SW_COEXIST_ENABLE"))


def _currents(config: Config, knobs: Knobs, times: Times) -> tuple[SleepCurrent, ...]:
    beacon = times.beacon * TIME_UNIT_MS
    wakes = {"min_modem": times.dtim * beacon, "max_modem": times.listen * beacon}
    return sleep_currents(config, mhz=knobs.mhz or chips()[knobs.chip].mhz, wakes_ms=wakes)


def with_own(model: MemoryModel, measured: Sequence[Measured]) -> MemoryModel:
    """The model, moved by what the user's own board had free."""
    own = tuple(
        OwnMemory(model=model.of(each.config), free=each.available_kb * _KIB)
        for each in measured
        if each.available_kb is not None
    )
    return replace(model, own=own)


def _throughput(constants: Constants, knobs: Knobs) -> dict[str, Guess]:
    """By metric, in a shielded box."""
    guesses = predicted_throughput(
        [(knobs, metric) for metric in METRICS],
        constants.names,
        constants.throughput,
        constants.widths,
    )
    return dict(zip(METRICS, guesses, strict=True))


def _seen(
    shielded: Mapping[str, Guess], knobs: Knobs, environment: Environment
) -> dict[str, Guess]:
    return {
        metric: seen_in(environment, knobs, metric, guess) for metric, guess in shielded.items()
    }


def _together(knobs: Knobs, demand: Demand) -> Knobs | None:
    """None: there is one stream at most."""
    return replace(knobs, streams=demand.tcp) if demand.tcp > 1 else None


def _of_streams(constants: Constants, knobs: Knobs, environment: Environment) -> dict[str, Band]:
    seen = _seen(_throughput(constants, knobs), knobs, environment)
    return {metric: _band(guess) for metric, guess in seen.items() if metric.startswith("tcp")}


def _tcp_above_udp(seen: Mapping[str, Guess]) -> Iterator[str]:
    """TCP cannot pass UDP: it has more headers and is acknowledged. Each has rows of its own."""
    for way in ("tx", "rx"):
        if seen and seen[f"tcp_{way}"].mbps() > seen[f"udp_{way}"].mbps():
            yield (
                f"tcp_{way} is predicted above udp_{way}, which it cannot pass: the smaller one is "
                f"the better guess"
            )


def _absent(config: Config) -> Iterator[str]:
    """Says which component a file shows not to be in the build."""
    for begins, what in ((WIFI_OPTIONS, "Wi-Fi"), (NET_OPTIONS, "lwIP")):
        if config.lacks(*begins) and config.chip in chips():
            yield (
                f"{what} is not in the build: Kconfig wrote the configuration whole, and no option "
                "of it is there"
            )


def _short(model: MemoryModel) -> Iterator[str]:
    """Says what does not fit, state by state."""
    for state in model.states:
        for place, free in model.free(state).items():
            if free.median < 0:
                short = f"{-round(free.median):,} bytes of {place} are missing"
                yield f"{state}: it does not fit, {short}"


def _memory_rests_on(model: MemoryModel) -> Iterator[str]:
    scene, measured = model.scene, memory_fit().measured
    programs, differences = (measured[f"publisher: {group}"] for group in ("all", "difference"))
    empty = empty_static(scene.config.chip, scene.minor)
    yield (
        f"memory: a sum of parts over {'; '.join(empty.sources)}. Whole programs of publishers "
        f"that were left out are predicted within {programs['median_bytes'] / _KIB:.1f} KB "
        f"(median), and bands that are to hold 80 % hold {programs['in_80_pct']:.0f} %; measured "
        f"differences within {differences['median_pct']:.0f} %, and "
        f"{differences['in_80_pct']:.0f} %"
    )
    if model.known(DRAM) is None:
        yield (
            "memory: the program's own code and data are those of an empty program; --elf, "
            "--map, --bin or --static-dram tell yours"
        )


def _own(measured: Sequence[Measured]) -> Iterator[str]:
    if measured:
        figures = sum(len(each.throughput) + (each.available_kb is not None) for each in measured)
        yield f"your own board: {figures} measured figures moved the constants"


def _band(guess: Guess) -> Band:
    (low_80, high_80), (low_95, high_95) = map(guess.band, SHARES)
    return Band(median=guess.mbps(), low_80=low_80, high_80=high_80, low_95=low_95, high_95=high_95)


def _tls(config: Config, knobs: Knobs, demand: Demand, tcp_rx: Guess) -> TlsTime | None:
    if not demand.tls:
        return None
    in_iram = enabled(config, "MBEDTLS_IRAM_8BIT_MEM_ALLOC")
    return tls_time(tcp_rx, mhz=knobs.mhz or chips()[knobs.chip].mhz, in_iram=in_iram)


def _rests_on(constants: Constants, knobs: Knobs, environment: Environment) -> list[str]:
    """The facts that a reader should know before trusting a figure."""
    texts = []
    table = [row for row in ranks() if row.knobs.group == knobs.group]
    of_chip = [row for row in ranks() if row.knobs.chip == knobs.chip]
    errors = constants.measured
    if table:
        texts.append(
            f"throughput: {len(table)} published ranks of this chip"
            f"{_with(knobs)}, of {_dates(table)}; left out, one is predicted within "
            f"{errors['row']['median_pct']:.1f} % (median), a whole table within "
            f"{errors['table']['median_pct']:.0f} %"
        )
    elif of_chip:
        texts.append(
            f"throughput: no rank of this chip{_with(knobs)}, but {len(of_chip)} with other PSRAM"
        )
    else:
        best = [row for row in lab() if row.knobs.chip == knobs.chip]
        known = f"{len(best)} best figures of {_dates(best)}" if best else "its clock alone"
        texts.append(
            f"throughput: no published rank of this chip; {known}. Chips left out wholly are "
            f"predicted within {errors['chip']['median_pct']:.0f} % (median)"
        )
    away = years_from_known(knobs.year)
    texts.append(
        f"software of {knobs.year:.0f}: throughputs were measured {away:.1f} years from it; the "
        f"band grows with that time. A release that is left out is predicted within "
        f"{errors['release']['median_pct']:.0f} % (median)"
    )
    texts += _air_limits(knobs)
    if any(beyond_features(knobs).values()):
        texts.append(
            "windows, buffers or aggregates are smaller than any that was measured: the band is "
            "wider for it"
        )
    if knobs.band_ghz > 3:
        texts.append("5 GHz: measured on one chip, the ESP32-C5, at 1.02 to 1.04 times 2.4 GHz")
    if knobs.single_core:
        texts.append("one of two cores: taken as a chip with one; nothing was measured")
    if knobs.mhz and knobs.mhz != chips()[knobs.chip].mhz:
        texts.append(
            f"{knobs.mhz} MHz instead of the ranks' {chips()[knobs.chip].mhz}: taken as "
            f"proportional; nothing was measured"
        )
    if environment.place == AIR:
        texts.append(
            "air: the guide's 20 (TCP) and 30 (UDP) Mbit/s of every chip; two figures of others "
            "are 1.7 and 0.4 times that"
        )
    return texts


def _air_limits(knobs: Knobs) -> Iterator[str]:
    """The limits that no throughput can pass, and why; once for metrics of one limit."""
    limits = {metric: air_limit(knobs, metric) for metric in METRICS}
    for limit in dict.fromkeys(limits.values()):
        metrics = ", ".join(metric for metric in METRICS if limits[metric] == limit)
        yield f"{metrics}: the air carries {limit.mbps:.0f} Mbit/s at most ({limit.source})"


def _with(knobs: Knobs) -> str:
    return "" if knobs.psram == NO_PSRAM else f" with {knobs.psram} PSRAM"


def _dates(rows: Sequence[WifiRow]) -> str:
    return " and ".join(dict.fromkeys(row.date for row in rows))
