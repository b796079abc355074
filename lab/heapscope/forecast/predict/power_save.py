"""Power save of Wi-Fi: the share of time the radio is on, and how late a frame can come.

A station in modem sleep wakes for beacons: at each DTIM (minimum mode), or each listen interval
(maximum mode). Modules without a connection (ESP-NOW and such) listen for a window at the start of
each interval. Bluetooth beside it takes Wi-Fi's time slices away, in every mode.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import gcd

from heapscope.base.errors import InputError
from heapscope.base.rows.figure import computed, figure
from heapscope.base.rows.row import Row

TIME_UNIT_MS = 1.024  # of 802.11: a beacon interval of 100 is 102.4 ms
#: ESP_WIFI_CONNECTIONLESS_INTERVAL_DEFAULT_MODE
DEFAULT_MODE = 0
_MAX = 65535  # of windows and intervals, ms

NOT_USED, ALL_TIME, PERIODIC, DEFAULT = (
    "not used",
    "used all time",
    "used periodically",
    "default mode",
)


@dataclass(frozen=True, kw_only=True)
class Times:
    """`beacon`: time units between beacons; `dtim`, `listen`: beacons; `awake_ms`: how long the
    radio is on for one beacon (an assumption: it was not published); `wifi_share`: of the time
    that coexistence leaves to Wi-Fi. `window_ms`, `interval_ms`: of modules without a
    connection."""

    beacon: int = 100
    dtim: int = 1
    listen: int = 3
    awake_ms: float = 5.0
    window_ms: int = _MAX
    interval_ms: int = DEFAULT_MODE
    wifi_share: float = 1.0
    shared: bool = False  # another radio takes time, and nothing says how much
    slice_ms: float = 100.0  # period of the slices

    def __post_init__(self) -> None:
        for name, value, low, high in (
            ("beacon interval", self.beacon, 1, _MAX),
            ("DTIM period", self.dtim, 1, 255),
            ("listen interval", self.listen, 1, _MAX),
            ("window", self.window_ms, 0, _MAX),
            ("interval", self.interval_ms, 0, _MAX),
            ("time awake", self.awake_ms, 0.0, float(_MAX)),
            ("share of Wi-Fi", self.wifi_share, 0.01, 1.0),
        ):
            if not low <= value <= high:
                raise InputError(
                    f"{name} of {value:g}", remedy=f"give one from {low:g} to {high:g}"
                )

    @property
    def coexists(self) -> bool:
        return self.wifi_share < 1


class PowerSave(Row):
    """One mode of power save."""

    mode: str = figure(
        "The name of the mode.", choices=("none", "min_modem", "max_modem", "connectionless")
    )
    radio_on: float = figure("The share of time that the radio is on.", hidden=True)
    worst_delay_ms: float | None = figure(
        "The longest delay of a frame that is received; null: it is never received.",
        "ms",
        digits=1,
    )
    broadcast_heard: float = figure(
        "The share of DTIMs, or of frames at any time, at which the radio is on, at best.",
        hidden=True,
        default=1.0,
    )
    at_best: bool = figure(
        "Another radio takes time slices of unknown length: radio_on is at most this, and "
        "worst_delay at least.",
        default=False,
    )
    notes: tuple[str, ...] = figure("The sentences that limit its worth.", default=())

    @property
    @computed("The time that the radio is on.", "%", most=100, digits=2)
    def radio_on_pct(self) -> float:
        return 100 * self.radio_on

    @property
    @computed("Broadcasts that are heard, at best.", "%", most=100, digits=1)
    def broadcast_heard_pct(self) -> float:
        return 100 * self.broadcast_heard


def modes(times: Times) -> tuple[PowerSave, ...]:
    """Every mode at these times."""
    return (
        station("none", times),
        station("min_modem", times),
        station("max_modem", times),
        connectionless(times),
    )


def station(mode: str, times: Times) -> PowerSave:
    """esp_wifi_set_ps: "none", "min_modem" or "max_modem"."""
    beacon = times.beacon * TIME_UNIT_MS
    if mode == "none":
        return _shared(PowerSave(mode=mode, radio_on=1.0, worst_delay_ms=0.0), times)
    beacons = times.dtim if mode == "min_modem" else times.listen
    period = beacons * beacon
    heard = 1.0 if mode == "min_modem" else gcd(times.listen, times.dtim) / times.listen
    notes: list[str] = []
    if heard < 1:
        notes.append(
            f"broadcast and multicast are lost: with a listen interval of {times.listen} the radio "
            f"is on at {heard:.0%} of the DTIMs at best (DTIM period {times.dtim})"
        )
    return _shared(
        PowerSave(
            mode=mode,
            radio_on=min(1.0, times.awake_ms / period),
            worst_delay_ms=period,
            broadcast_heard=heard,
            notes=tuple(notes),
        ),
        times,
    )


def connectionless_use(window_ms: int, interval_ms: int) -> str:
    """The published table: how radio, PHY and baseband are used."""
    if window_ms == 0:
        return NOT_USED
    if interval_ms == DEFAULT_MODE:
        return DEFAULT
    return PERIODIC if window_ms < interval_ms else ALL_TIME


def connectionless(times: Times) -> PowerSave:
    """Receiving without a connection. A frame sent just after a window waits for the next one."""
    window, interval = times.window_ms, times.interval_ms
    use = connectionless_use(window, interval)
    on, delay = 1.0, 0.0
    if use == PERIODIC:
        on, delay = window / interval, float(interval - window)
    notes = (f"connectionless modules: {use}",)
    power_save = PowerSave(
        mode="connectionless",
        radio_on=on,
        worst_delay_ms=delay,
        broadcast_heard=on,
        notes=(*notes, "a frame outside the window is lost: nobody keeps it for the module"),
    )
    if use == NOT_USED:
        return replace(power_save, radio_on=0.0, worst_delay_ms=None, broadcast_heard=0.0)
    return _shared(power_save, times)


def _shared(alone: PowerSave, times: Times) -> PowerSave:
    """Coexistence leaves the radio to Wi-Fi only in its time slices, whatever the mode is."""
    if not times.coexists:
        return replace(alone, at_best=times.shared)
    away = (1 - times.wifi_share) * times.slice_ms
    text = "time slices of coexistence override the mode: the radio is Wi-Fi's "
    return replace(
        alone,
        radio_on=min(alone.radio_on, times.wifi_share),
        worst_delay_ms=(alone.worst_delay_ms or 0.0) + away,
        notes=(*alone.notes, f"{text}for {times.wifi_share:.0%} of the time"),
    )
