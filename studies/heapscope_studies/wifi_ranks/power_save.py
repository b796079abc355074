"""Power save as published, and what follows from the times."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from heapscope.forecast.predict.power_save import (
    PowerSave,
    Times,
    connectionless,
    connectionless_use,
    modes,
    station,
)
from heapscope_studies.result import Check, Column, Table

#: Access points' usual beacon, and DTIM and listen intervals to compare.
DTIMS = (1, 3)
LISTENS = (1, 3, 10)
#: Connectionless: a quarter of the time.
WINDOW, INTERVAL = 25, 100
SHARED = 0.5  # of the time, for Wi-Fi beside Bluetooth


def findings() -> Iterator[str]:
    slow = station("max_modem", Times(listen=10))
    fast = station("min_modem", Times(dtim=1))
    yield (
        f"Modem sleep with a listen interval of 10 has the radio on {slow.radio_on:.1%} of the "
        f"time, against {fast.radio_on:.1%} at every beacon, and a frame may come "
        f"{slow.worst_delay_ms:,.0f} ms late instead of {fast.worst_delay_ms:,.0f}; it hears "
        f"{slow.broadcast_heard:.0%} of the broadcasts at best."
    )


def tables(published: Mapping[str, Any]) -> Iterator[Table]:
    reported = published["power_save"]
    yield Table(
        key="power_save",
        title="Power save: time with the radio on, and the worst delay of a frame received",
        columns=(
            Column(key="mode", heading="Mode", name=True),
            Column(key="times", heading="times", name=True),
            Column(key="radio_on", heading="radio on", unit="%", digits=1),
            Column(key="delay", heading="worst delay", unit="ms", digits=1),
            Column(key="broadcast", heading="broadcast heard", unit="%", digits=0),
            Column(key="published", heading="published", name=True, wide=True),
        ),
        rows=tuple(
            (
                result.mode,
                times,
                round(100 * result.radio_on, 2),
                round(result.worst_delay_ms or 0.0, 1),
                round(100 * result.broadcast_heard, 1),
                reported["coexistence" if "coexistence" in times else result.mode],
            )
            for times, result in _cases()
        ),
        notes=(
            f"beacons every 102.4 ms; awake {Times().awake_ms:g} ms for each, an assumption: the "
            f"guide gives no time",
            "broadcast heard: at best, when listen intervals and DTIMs begin together",
            "with coexistence disconnected-state sleep is always selected, and the default mode of "
            "connectionless modules is divided in time too",
        ),
    )
    yield Table(
        key="window_interval",
        title="Connectionless modules: use of the radio by window and interval (ms)",
        columns=(
            Column(key="window", heading="window", unit="ms"),
            Column(key="interval", heading="interval (0: default mode)", unit="ms"),
            Column(key="published", heading="published", name=True),
            Column(key="computed", heading="computed", name=True),
        ),
        rows=tuple(
            (
                cell["window"],
                cell["interval"],
                cell["use"],
                connectionless_use(cell["window"], cell["interval"]),
            )
            for cell in published["window_interval"]
        ),
    )


def checks(published: Mapping[str, Any]) -> Iterator[Check]:
    cells = published["window_interval"]
    agree = sum(connectionless_use(c["window"], c["interval"]) == c["use"] for c in cells)
    yield Check(what="cells of the window and interval table", published=len(cells), computed=agree)


def _cases() -> Iterator[tuple[str, PowerSave]]:
    yield "-", station("none", Times())
    for dtim in DTIMS:
        yield f"DTIM {dtim}", station("min_modem", Times(dtim=dtim))
    for listen in LISTENS:
        for dtim in DTIMS:
            name = f"listen {listen}, DTIM {dtim}"
            yield name, station("max_modem", Times(dtim=dtim, listen=listen))
    windowed = Times(window_ms=WINDOW, interval_ms=INTERVAL)
    yield f"{WINDOW} of {INTERVAL} ms", connectionless(windowed)
    for result in modes(replace(windowed, wifi_share=SHARED)):
        yield f"coexistence, {SHARED:.0%} for Wi-Fi", result
