"""The most that the air carries of one stream: the rate of the radio, less what a channel takes.

A station asks for the channel, sends a preamble and as many frames in one as the other side takes,
and waits for their acknowledgement. The time of that is of the standard (802.11, default access of
best effort). No chip and no option can pass it. Espressif's lab says 130 Mbit/s of raw packets on
every chip, which is the limit where the standard allows more.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from math import ceil

from heapscope.forecast.predict.wifi_table import Knobs, table

RAW_MBPS = 130.0  # ESP-IDF Wi-Fi guide: raw 802.11 packets, received and sent, in a shielded box
_ASK_US = 34 + 67.5  # the distance between frames of best effort, the mean wait of 0 to 15 slots
_PREAMBLE_US, _ACKNOWLEDGED_US = 36.0, 16 + 32  # the latter: a gap, and the acknowledgement
_PAYLOAD = {"udp": 1472, "tcp": 1440}  # bytes of a frame: 1,500 of IP, and lwIP's segment
_FRAME_BITS = 8 * 1560  # 1,500 bytes of IP with all headers, encryption, delimiter and padding
_SERVICE_BITS = 22
_MOST_BYTES = 65535  # of an aggregate
#: Without an aggregate of frames the sender may still put two packets into one frame of up to 3,839
#: bytes. The guide's tables need that: 55.7 Mbit/s were received without AMPDU.
_PAIR_BITS = 8 * 3092


@dataclass(frozen=True, kw_only=True)
class Mode:
    name: str
    width_mhz: int
    mbps: float
    symbol_us: float
    chips: tuple[str, ...]
    source: str


@functools.cache
def modes() -> tuple[Mode, ...]:
    return tuple(
        Mode(
            name=row["mode"],
            width_mhz=int(row["width_mhz"]),
            mbps=float(row["mbps"]),
            symbol_us=float(row["symbol_us"]),
            chips=tuple(row["chips"].split()),
            source=row["source"],
        )
        for row in table("radio")
    )


@dataclass(frozen=True, kw_only=True)
class AirLimit:
    mbps: float
    source: str


@functools.cache
def air_limit(knobs: Knobs, metric: str) -> AirLimit:
    """The most that one stream can carry with these options, in the fastest mode that the chip has
    on the channel."""
    frames = knobs.tx_ba_win if metric.endswith("tx") else knobs.rx_ba_win
    protocol = metric[:3]
    results = [
        (_mbps(mode, frames, metric), mode)
        for mode in modes()
        if knobs.chip in mode.chips and knobs.width_mhz in (0, mode.width_mhz)
    ]
    mbps, mode = max(results, key=lambda each: each[0])
    if mbps >= RAW_MBPS:
        return AirLimit(mbps=RAW_MBPS, source="raw packets in Espressif's lab, ESP-IDF Wi-Fi guide")
    held = f"{frames} frames at once" if frames else "no AMPDU"
    return AirLimit(
        mbps=mbps,
        source=f"{mode.name}: {mode.mbps:g} Mbit/s ({mode.source}), {held}, {protocol.upper()}",
    )


def _mbps(mode: Mode, frames: int, metric: str) -> float:
    payload = 8 * _PAYLOAD[metric[:3]]
    count = min(frames, 8 * _MOST_BYTES // _FRAME_BITS)
    bits, packets = count * _FRAME_BITS, count
    if not count:
        bits, packets = (_FRAME_BITS, 1) if metric.endswith("tx") else (_PAIR_BITS, 2)
    symbols = ceil((bits + _SERVICE_BITS) / (mode.mbps * mode.symbol_us))
    time = _PREAMBLE_US + symbols * mode.symbol_us + _ACKNOWLEDGED_US + _ASK_US
    return packets * payload / time


def through_air(processor: float, most: float, sharpness: float) -> float:
    """The throughput of both in a row: below the smaller one, and close to it where they differ."""
    ratio = min(processor, most) / max(processor, most)
    return float(min(processor, most) * (1 + ratio**sharpness) ** (-1 / sharpness))


def before_air(seen: float, most: float, sharpness: float) -> float:
    """The throughput that the processor gave, by what was seen behind the air. ValueError: more
    than the air carries was seen."""
    left = 1 - (seen / most) ** sharpness
    if left <= 0:
        raise ValueError(f"{seen:g} Mbit/s, where the air carries {most:.1f}")
    return float(seen * left ** (-1 / sharpness))
