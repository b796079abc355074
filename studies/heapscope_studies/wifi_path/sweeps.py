"""Throughput and heap by window, buffers and loss: one option is changed, all others are those of
the ESP32's Default rank."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from heapscope_studies.conclusion import concluded
from heapscope_studies.result import Cell, Column, Plot, Series, Table
from heapscope_studies.wifi_path.measured import Link
from heapscope_studies.wifi_ranks.errors import METRIC_NAMES

#: Knob to what it is called, and its unit.
KNOBS = {
    "window": ("TCP window and send buffer", "bytes"),
    "lost": ("packets lost", "%"),
    "errors": ("frames damaged in the air", "%"),
    "block_ack": ("block-ack window", ""),
    "static_rx": ("static receive buffers", ""),
    "dynamic_rx": ("dynamic receive buffers", ""),
    "tx_buffers": ("dynamic transmit buffers", ""),
}
_WHAT = {"mbit": ("throughput", "Mbit/s"), "peak": ("peak of the heap", "bytes")}
_WIDE = 30  # from the least to the most, where a linear axis hides what is small
_PER_CENT = 100  # losses are reported in ten-thousandths


def point(link: Link, knob: str, case: str, phase: str, value: int) -> tuple[float, int]:
    """Mbit/s and bytes."""
    curve = next(one for one in link.sweeps[knob] if (one["case"], one["phase"]) == (case, phase))
    at = curve["x"].index(value)
    return curve["mbit"][at], curve["peak"][at]


def _x(knob: str, curve: dict[str, Any]) -> tuple[float, ...]:
    scale = _PER_CENT if knob in ("lost", "errors") else 1
    return tuple(value / scale for value in curve["x"])


def figures(link: Link) -> dict[str, dict[str, float]]:
    clean, loss = "round trip 2 ms", "round trip 2 ms, 1 % lost"
    stalled = point(link, "dynamic_rx", ", window 65535", "tcp_rx", 8)
    limited = point(link, "dynamic_rx", ", window 65535, 4 out of order", "tcp_rx", 8)
    return {
        "wifi_sweeps": {
            "window_5760_mbit": point(link, "window", clean, "tcp_rx", 5760)[0],
            "window_5760_80ms_mbit": point(link, "window", "80 ms", "tcp_rx", 5760)[0],
            "window_5760_lost_mbit": point(link, "window", loss, "tcp_rx", 5760)[0],
            "window_5760_peak": point(link, "window", clean, "tcp_rx", 5760)[1],
            "window_5760_lost_peak": point(link, "window", loss, "tcp_rx", 5760)[1],
            "stalled_mbit": stalled[0],
            "limited_mbit": limited[0],
        }
    }


_FULL = 0.9 * 65535 * 8 / 0.08 / 1e6  # Mbit/s: nine tenths of a window in each 80 ms
_STALLED = 0.1  # of what room for the window gives: a connection with less stands still


def findings(link: Link) -> Iterator[str]:
    trip, trip_loss = "80 ms", "80 ms, 1 % lost"
    small, large = (point(link, "window", trip, "tcp_rx", size)[0] for size in (5760, 65535))
    yield (
        f"A window is a round trip's worth: over 80 ms, {small:.2f} Mbit/s with 5760 B and "
        f"{large:.2f} with 65 535"
        + concluded(large < _FULL, ", which a slow start holds back", "")
        + ". With 1 % lost it is "
        f"{point(link, 'window', trip_loss, 'tcp_rx', 5760)[0]:.2f} and "
        f"{point(link, 'window', trip_loss, 'tcp_rx', 23040)[0]:.2f} (23 040 B), and the "
        f"receiver's peak {_times(link, 23040):.1f} times as high"
        + concluded(_times(link, 23040) > 1, ", since what came after the gap waits.", ".")
    )
    (clean, least), (damaged, most) = (
        point(link, "errors", "", "tcp_rx", share) for share in (0, 1000)
    )
    behind = point(link, "lost", "window 20480", "tcp_rx", 100)[0]
    yield (
        concluded(
            behind < damaged,
            "Where a frame is lost decides what it costs: ",
            "A frame lost behind the access point costs no more than ten damaged in the air: ",
        )
        + f"of {clean:.0f} Mbit/s, {damaged:.0f} are "
        f"left with every tenth damaged in the air, which the radio sends again, and {behind:.0f} "
        f"with every hundredth lost behind the access point, which lwIP has to find out. The "
        f"receiver's peak is {most / least:.1f} times as high already with the former"
        + concluded(most > least, ": frames wait for the one before them.", ".")
    )
    room, stalled, limited = (
        point(link, "dynamic_rx", f", window 65535{case}", "tcp_rx", count)[0]
        for case, count in (("", 20), ("", 8), (", 4 out of order", 8))
    )
    yield (
        concluded(
            stalled < _STALLED * room,
            "A window above what the dynamic receive buffers hold stalls a connection of lwIP "
            "2.1.3 at its first loss: what came out of order has all buffers, so that the missing "
            "segment is dropped again and again until lwIP gives up what it keeps. ",
            "A window above what the dynamic receive buffers hold does not stall a connection. ",
        )
        + f"With a window of 65 535 B "
        f"and 8 buffers {stalled:.2f} Mbit/s are left of {room:.0f} with 20; with at most 4 "
        f"segments kept out of order, as ESP-IDF 5.5 has it by default, {limited:.1f}."
    )
    flat = {point(link, "static_rx", "", "tcp_rx", count)[0] for count in (2, 25)}
    if len(flat) == 1:
        yield (
            "Static receive buffers make no difference on the simulated link, 2 or 25: its driver "
            "empties them faster than the air fills them. The throughput model, from the published "
            "ranks, counts them as a limit: here the two contradict each other."
        )


def _times(link: Link, window: int) -> float:
    lost = point(link, "window", "80 ms, 1 % lost", "tcp_rx", window)[1]
    return lost / point(link, "window", "80 ms", "tcp_rx", window)[1]


def tables(link: Link) -> Iterator[Table]:
    for knob, (name, unit) in KNOBS.items():
        curves = link.sweeps[knob]
        rows: list[tuple[Cell, ...]] = []
        for index, x in enumerate(_x(knob, curves[0])):
            cells = (curve[what][index] for curve in curves for what in _WHAT)
            rows.append((_whole(x), *cells))
        yield Table(
            key=f"by_{knob}",
            title=f"Throughput and peak of the heap by {name}",
            columns=(
                Column(key=knob, heading=name, unit=unit, digits=1),
                *(
                    Column(
                        key=f"{curve['phase']}_{number}_{what}",
                        heading=f"{_case(curve)}, {_WHAT[what][0]}",
                        unit=_WHAT[what][1],
                        digits=2,
                    )
                    for number, curve in enumerate(curves)
                    for what in _WHAT
                ),
            ),
            rows=tuple(rows),
            detail=True,
        )


def plots(link: Link) -> Iterator[Plot]:
    for knob, (name, unit) in KNOBS.items():
        for what, (heading, y_unit) in _WHAT.items():
            values = [value for curve in link.sweeps[knob] for value in curve[what]]
            yield Plot(
                key=f"{what}_by_{knob}",
                title=f"{heading.capitalize()} by {name}",
                x_heading=name,
                x_unit=unit,
                y_heading=heading,
                y_unit=y_unit,
                logarithmic=0 < _WIDE * min(values) < max(values),
                series=tuple(
                    Series(name=_case(curve), x=_x(knob, curve), y=tuple(curve[what]))
                    for curve in link.sweeps[knob]
                ),
                notes=(
                    "all else as the ESP32's Default rank, on its processor; where packets are "
                    "lost, five runs by different chance, and the highest of their peaks",
                ),
            )


def _case(curve: dict[str, Any]) -> str:
    phase = METRIC_NAMES[curve["phase"]]
    return f"{phase}, {curve['case'].removeprefix(', ')}" if curve["case"] else phase


def _whole(x: float) -> int | float:
    return int(x) if x == int(x) else x
