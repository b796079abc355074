"""The heap that the transfers of a rank take, from traces of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from statistics import median

from heapscope.forecast.predict.wifi_table import METRICS, WifiRow
from heapscope_studies.conclusion import alike, concluded
from heapscope_studies.data_file import read_published
from heapscope_studies.result import Check, Column, Table
from heapscope_studies.wifi_path.measured import (
    Heap,
    Link,
    read_heap,
    trace_of,
    traced_rows,
)
from heapscope_studies.wifi_ranks.errors import METRIC_NAMES

FRAME: int = read_published("wifi_path")["peak_formula"]["frame"]
_KIB = 1024

Heaps = Mapping[str, Heap]  #: by rank


def read_heaps() -> Heaps:
    return {row.id: read_heap(trace_of(row)) for row in traced_rows()}


def formula(row: WifiRow) -> int:
    """The guide's: every dynamic buffer there may be, each of the largest frame."""
    return (row.knobs.dynamic_rx + row.knobs.tx_buffers) * FRAME


def beyond(heap: Heap) -> int:
    """Bytes beyond the start at the peak."""
    return heap.most - sum(heap.begun.values())


def checks(link: Link, heaps: Heaps) -> Iterator[Check]:
    """The program counts for itself while it is recorded."""
    counted = [(name, phase) for name, peaks in link.peaks.items() for phase in peaks]
    same = sum(
        heaps[name].peak[phase] - heaps[name].before[phase] == link.peaks[name][phase]
        for name, phase in counted
    )
    yield Check(
        what="peaks of the heap, by rank and transfer, counted by the program and replayed",
        published=len(counted),
        computed=same,
    )


# ---- memory against the published ---------------------------------------------------------------


def steps(heaps: Heaps) -> Iterator[tuple[WifiRow, float, float]]:
    """Ranks other than their table's best: KB more of available memory than that one has, as
    published, and as the simulated peaks are lower."""
    best: dict[str, WifiRow] = {}
    for row in traced_rows():
        first = best.setdefault(row.knobs.group, row)
        if first is row or row.memory_kb is None or first.memory_kb is None:
            continue
        published = row.memory_kb - first.memory_kb
        yield row, published, (heaps[first.id].most - heaps[row.id].most) / _KIB


def figures(heaps: Heaps) -> dict[str, dict[str, float]]:
    default = heaps["esp32-default"]
    shares = [ours / reported for _, reported, ours in steps(heaps)]
    return {
        "wifi_heap": {
            **{
                f"default_{metric}": default.peak[metric] - default.before[metric]
                for metric in METRICS
            },
            "default_most": default.most,
            "formula_share_median": round(median(_shares(heaps)), 3),
            "steps_share_median": round(median(shares), 3),
        }
    }


def _shares(heaps: Heaps) -> list[float]:
    return [beyond(heaps[row.id]) / formula(row) for row in traced_rows()]


def findings(heaps: Heaps) -> Iterator[str]:
    default = heaps["esp32-default"]
    row = next(row for row in traced_rows() if row.id == "esp32-default")
    sent = default.peak["tcp_tx"] - default.before["tcp_tx"]
    got = default.peak["tcp_rx"] - default.before["tcp_rx"]
    yield (
        concluded(
            alike(sent, 2 * row.knobs.tcp_snd_buf),
            "Sending holds what it sends twice, lwIP's copy until it is acknowledged and the "
            "driver's until it is sent: ",
            "Sending does not hold what it sends twice: ",
        )
        + f"{row.id} takes {sent:,} B for a send buffer of "
        f"{row.knobs.tcp_snd_buf:,}, and receives with {got:,} for a window as large, while "
        f"nothing is lost and the application keeps up."
    )
    shares = _shares(heaps)
    yield (
        f"The guide's formula for the driver's peak is {1 / max(shares):.1f} to "
        f"{1 / min(shares):.1f} times what all of driver and lwIP take at their peak in these "
        "transfers: "
        + concluded(
            max(shares) < 1,
            "not all buffers of both directions are in use at once.",
            "it is not an upper bound of them.",
        )
    )
    results = list(steps(heaps))
    share = median(ours / theirs for _, theirs, ours in results)
    short = [theirs - ours for row, theirs, ours in results if row.knobs.chip == "esp32"]
    yield (
        f"A rank has more available memory than its table's best; the heap gives {share:.0%} of "
        f"the difference in the median of {len(results)} ranks. The ESP32's differ in buffers and "
        "windows alone, and "
        + concluded(
            min(short) > 0,
            f"{min(short):.0f} to {max(short):.0f} KB of their steps are not explained: the "
            "driver's own blocks are not public, and the iperf program's are not simulated.",
            f"the heap gives between {max(short):.0f} KB less and {-min(short):.0f} KB more than "
            "their steps.",
        )
    )


def tables(heaps: Heaps) -> Iterator[Table]:
    yield Table(
        key="heap",
        title="Heap of driver and lwIP in four transfers: peaks beyond what was held before each",
        columns=(
            Column(key="rank", heading="Rank", name=True),
            Column(key="start", heading="at the start", unit="bytes"),
            *(
                Column(key=metric, heading=METRIC_NAMES[metric], unit="bytes")
                for metric in METRICS
            ),
            Column(key="most", heading="most, with the start", unit="bytes"),
            Column(key="formula", heading="formula", unit="bytes"),
            Column(key="difference", heading="most less start, against it", unit="bytes",
                   signed=True),
        ),
        rows=tuple(_row(row, heaps[row.id]) for row in traced_rows()),
        notes=(
            "at the start: static and management receive buffers, and lwIP's timers",
            f"formula: the guide's peak of the driver's dynamic buffers, {FRAME} B for each that "
            f"there may be, both ways; driver and lwIP together stand beside it",
            "replayed from traces of 100 000 bytes each way; the application reads at once",
        ),
    )  # fmt: skip
    yield Table(
        key="memory_steps",
        title="Available memory that a rank has more than its table's best",
        columns=(
            Column(key="rank", heading="Rank", name=True),
            Column(key="published", heading="published", unit="KB", digits=1, signed=True),
            Column(key="computed", heading="simulated", unit="KB", digits=1, signed=True),
            Column(key="difference", heading="difference", unit="KB", digits=1, signed=True),
        ),
        rows=tuple(
            (row.id, round(reported, 1), round(ours, 1), round(ours - reported, 1) + 0.0)
            for row, reported, ours in steps(heaps)
        ),
        notes=("published: of the whole device, code in IRAM and caches included",),
    )


def _row(row: WifiRow, heap: Heap) -> tuple[str | int, ...]:
    return (
        row.id,
        sum(heap.begun.values()),
        *(heap.peak[metric] - heap.before[metric] for metric in METRICS),
        heap.most,
        formula(row),
        beyond(heap) - formula(row),
    )
