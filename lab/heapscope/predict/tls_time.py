"""How long 1 MB over TLS takes: the time on the network, and that of the cipher.

One pair of measurements is known: 3 s with the record buffers in DRAM, 5.2 s with them in IRAM,
where each access that is not aligned costs 167 cycles; an ESP32 at 160 MHz that receives at 4.5
Mbit/s. The part of the 3 s that the network does not explain is the cipher's, and depends on the
clock. The time that IRAM added is that of its accesses.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp
from typing import Any

from heapscope.predict.validate import Guess
from heapscope.rows.figure import figure
from heapscope.rows.row import Row

_MEGABIT = 8 * 1.048576  # of 1 MB
_SECONDS, _IN_IRAM, _MBPS, _MHZ = 3.0, 5.2, 4.5, 160
_CIPHER = _SECONDS - _MEGABIT / _MBPS  # s at that clock
_ACCESSES = (_IN_IRAM - _SECONDS) * _MHZ * 1e6 / 167  # not aligned, for 1 MB
#: The cipher's share is what is left of two rounded figures: it may be half, or twice, as long.
_FACTOR = 2.0


class TlsTimeRow(Row):
    """The time to receive 1 MB over TLS."""

    seconds: float = figure("The time in all.", "s")
    low_80: float = figure("The lower bound of the 80 % band.", "s")
    high_80: float = figure("The upper bound of the 80 % band.", "s")
    network_s: float = figure("The time on the network.", "s")
    cipher_s: float = figure("The time of the cipher.", "s")
    iram_s: float = figure("The time that record buffers in IRAM add.", "s")


@dataclass(frozen=True, kw_only=True)
class TlsTime:
    """Seconds for 1 MB received."""

    WRITTEN = TlsTimeRow

    network: float
    cipher: float
    iram: float
    low: float  # of the 80 % band
    high: float

    @property
    def total(self) -> float:
        return self.network + self.cipher + self.iram

    def to_json(self) -> dict[str, Any]:
        return TlsTimeRow(
            seconds=round(self.total, 2),
            low_80=round(self.low, 2),
            high_80=round(self.high, 2),
            network_s=round(self.network, 2),
            cipher_s=round(self.cipher, 2),
            iram_s=round(self.iram, 2),
        ).to_json()


def tls_time(tcp_rx: Guess, *, mhz: int, in_iram: bool) -> TlsTime:
    """`tcp_rx`: what the network gives, ln(Mbit/s). `in_iram`: the record buffers are."""
    cipher = _CIPHER * _MHZ / mhz
    iram = _ACCESSES * 167 / (mhz * 1e6) if in_iram else 0.0
    reach = tcp_rx.reach(0.8)
    return TlsTime(
        network=_MEGABIT / exp(tcp_rx.mean),
        cipher=cipher,
        iram=iram,
        low=_MEGABIT / exp(tcp_rx.mean + reach) + cipher / _FACTOR + iram / _FACTOR,
        high=_MEGABIT / exp(tcp_rx.mean - reach) + cipher * _FACTOR + iram * _FACTOR,
    )
