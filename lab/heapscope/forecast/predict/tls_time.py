"""How long 1 MB over TLS takes: the time on the network, and that of the cipher.

One pair of measurements is known: 3 s with the record buffers in DRAM, 5.2 s with them in IRAM,
where each access that is not aligned costs 167 cycles; an ESP32 at 160 MHz that receives at 4.5
Mbit/s. The part of the 3 s that the network does not explain is the cipher's, and depends on the
clock. The time that IRAM added is that of its accesses.
"""

from __future__ import annotations

from heapscope.base.rows.figure import computed, figure
from heapscope.base.rows.row import Row
from heapscope.forecast.predict.guess import Guess

_MEGABIT = 8 * 1.048576  # of 1 MB
_SECONDS, _IN_IRAM, _MBPS, _MHZ = 3.0, 5.2, 4.5, 160
_CIPHER = _SECONDS - _MEGABIT / _MBPS  # s at that clock
_ACCESSES = (_IN_IRAM - _SECONDS) * _MHZ * 1e6 / 167  # not aligned, for 1 MB
#: The cipher's share is what is left of two rounded figures: it may be half, or twice, as long.
_FACTOR = 2.0


class TlsTime(Row):
    """The time to receive 1 MB over TLS."""

    network_s: float = figure("The time on the network.", "s")
    cipher_s: float = figure("The time of the cipher.", "s")
    iram_s: float = figure("The time that record buffers in IRAM add.", "s")
    low_80: float = figure("The lower bound of the 80 % band.", "s")
    high_80: float = figure("The upper bound of the 80 % band.", "s")

    @property
    @computed("The time in all.", "s")
    def seconds(self) -> float:
        return self.network_s + self.cipher_s + self.iram_s


def tls_time(tcp_rx: Guess, *, mhz: int, in_iram: bool) -> TlsTime:
    """`tcp_rx`: what the network gives. `in_iram`: the record buffers are."""
    cipher = _CIPHER * _MHZ / mhz
    iram = _ACCESSES * 167 / (mhz * 1e6) if in_iram else 0.0
    low, high = tcp_rx.band(0.8)
    return TlsTime(
        network_s=_MEGABIT / tcp_rx.mbps(),
        cipher_s=cipher,
        iram_s=iram,
        low_80=_MEGABIT / high + cipher / _FACTOR + iram / _FACTOR,
        high_80=_MEGABIT / low + cipher * _FACTOR + iram * _FACTOR,
    )
