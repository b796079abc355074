"""Code outside IRAM: a rank whose code lies in flash has a slower processor than its table's best.

ESP-IDF's help gives a figure for lwIP's code; what was tried beside it stands in a table.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from heapscope.forecast.predict.wifi_table import METRICS, WifiRow, ranks
from heapscope_studies.conclusion import concluded
from heapscope_studies.result import Cell, Column, Table
from heapscope_studies.wifi_path.measured import LWIP, LWIP_AND_WIFI, LWIP_TWO_CORES, Link
from heapscope_studies.wifi_path.throughput import TCP, opinion, rounded


def findings(link: Link) -> Iterator[str]:
    bare, every = (opinion(link, METRICS, partial(link.mbit, code=code)) for code in (None, LWIP))
    yield (
        "Code outside IRAM: where a chip of one core has lwIP's code in flash and its table's best "
        f"rank has it in IRAM, a frame takes the processor {link.code_factor:g} times as long. The "
        "factor is the help's of ESP-IDF's option LWIP_IRAM_OPTIMIZATION: more than 10 % of "
        f"throughput on one core, not much on two. {len(link.code[LWIP])} ranks are slower by it. "
        f"Without it {bare.order} pairs are in order, {np.median(bare.simulated):.1f} % in the "
        f"median; with it {every.order}, {np.median(every.simulated):.1f} %. No source gives a "
        "figure for Wi-Fi's own code: table code has what was tried."
    )
    slow, fast = _by_code(link)
    yield (
        f"Ranks with less code in fast memory, or less cache, than their table's best are still "
        f"simulated at {slow:.2f} times the published TCP in the median, the others at {fast:.2f}: "
        + concluded(
            slow > max(fast, 1),
            "their processor is too fast for them.",
            "their processor is not too fast for them.",
        )
    )


def _by_code(link: Link) -> tuple[float, float]:
    """Simulated to published TCP, medians: of ranks with other code options than their table's
    best, and of the others."""
    best = {row.knobs.group: row for row in ranks() if link.is_input(row)}
    slow: list[float] = []
    fast: list[float] = []
    for row in ranks():
        if not link.is_input(row):
            kind = fast if _code(row) == _code(best[row.knobs.group]) else slow
            kind += [link.mbit(row, metric) / row.throughput[metric] for metric in TCP]
    return float(np.median(slow)), float(np.median(fast))


def _code(row: WifiRow) -> tuple[bool, bool, bool, int]:
    knobs = row.knobs
    return knobs.wifi_iram, knobs.wifi_rx_iram, knobs.lwip_iram, knobs.icache_kb


_TRIED = {
    None: ("all ranks have the best one's processor", "no"),
    LWIP: ("lwIP's code in flash, one core", "yes: the help of LWIP_IRAM_OPTIMIZATION"),
    LWIP_TWO_CORES: ("the same on two cores, too", "no: the help says that it is not much there"),
    LWIP_AND_WIFI: ("and Wi-Fi's code in flash, as much each", "no: its help gives no figure"),
}


def table(link: Link) -> Table:
    """Ways in which code outside IRAM may cost, as tried; one of them has a source."""
    rows: list[tuple[Cell, ...]] = []
    for code, (what, source) in _TRIED.items():
        speed = partial(link.mbit, code=code)
        results = [opinion(link, metrics, speed) for metrics in (TCP, ("udp_tx",), ("udp_rx",))]
        every = opinion(link, METRICS, speed)
        rows.append(
            (
                what,
                source,
                len(link.code[code]) if code else 0,
                *(str(one.order) for one in results),
                rounded(np.median(every.simulated)),
            )
        )
    return Table(
        key="code",
        title="Code outside IRAM: what was tried",
        columns=(
            Column(key="what", heading="a frame takes longer for", name=True),
            Column(key="taken", heading="taken", name=True),
            Column(key="ranks", heading="ranks"),
            Column(key="tcp", heading="TCP in order", name=True),
            Column(key="udp_tx", heading="UDP sent", name=True),
            Column(key="udp_rx", heading="UDP received", name=True),
            Column(key="median", heading="median error of all", unit="%", digits=1),
        ),
        rows=tuple(rows),
        notes=(
            f"longer: {link.code_factor:g} times for each kind of code that the table's best rank "
            "has in IRAM and this one has not",
            "a receiver with a mailbox and a task of its own was tried and is not here: it has no "
            "figure with a source, and made the order worse",
        ),
    )
