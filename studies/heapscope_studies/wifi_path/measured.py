"""Measurements of the simulated link, and the device's heap in traces of it."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from heapscope.forecast.predict.wifi_table import METRICS, NO_PSRAM, WifiRow, ranks
from heapscope.memory.layout.pool import pool_layout
from heapscope.simulation.replay.run import replay
from heapscope_studies.captured import captured_file, captured_trace

POOL = 1 << 20  # more than any device has: what is asked for, not what fits
#: Of the timeline, so that a bucket is one event; the most there are.
BUCKETS = 65536
_TASKS = ("wifi", "tcpip")
SENT = "udp_tx"
BEHIND, BEFORE = "behind", "before"
#: A rank's processor may be slower than its table's best rank's for lwIP's code outside IRAM on a
#: chip with one core; on every chip; and for Wi-Fi's code as well.
LWIP, LWIP_TWO_CORES, LWIP_AND_WIFI = "lwip", "lwip_two_cores", "lwip_and_wifi"


@dataclass(frozen=True, kw_only=True)
class Link:
    """studies/workloads/captured/wifi_link.json, wifi_back_off.json and wifi_code.json. `peaks`:
    bytes of the device's heap beyond what it held before a phase, of the ranks that have a trace.
    `sweeps` has a curve a case and phase."""

    settings: Mapping[str, int]
    best: Mapping[str, str]  # the rank of each group that its processor is found from
    pace_ns: Mapping[str, Mapping[str, int]]  # of a frame, by group and metric
    ranks: Mapping[str, Mapping[str, Mapping[str, float]]]
    peaks: Mapping[str, Mapping[str, int]]
    delays: Mapping[int, Mapping[str, Mapping[str, float]]]  # of TCP, with other delays, us
    sizes: Mapping[str, Mapping[str, int]]
    sweeps: Mapping[str, list[dict[str, Any]]]
    #: Mbit/s of the published ladder's two networks, by delay in us and metric.
    ladder: Mapping[str, Mapping[int, Mapping[str, float]]]
    #: Mbit/s of UDP sent as ESP-IDF's iperf sends it, by rank: the processor's time of a frame lies
    #: "behind" the driver's buffers, or "before" them.
    back_off: Mapping[str, Mapping[str, float]]
    #: Mbit/s where a rank's processor is slower, since code lies outside IRAM: by what is slower,
    #: rank, and metric; with iperf's sender under BEHIND and BEFORE.
    code: Mapping[str, Mapping[str, Mapping[str, float]]]
    code_factor: float  # of the processor's time of a frame

    def mbit(self, row: WifiRow, metric: str, code: str | None = LWIP) -> float:
        """UDP is sent as iperf sends it; sweeps and heaps have a sender that asks for a buffer, and
        the processor of the table's best rank. `code`: what makes a processor slower, None:
        nothing."""
        return self.sent(row, BEHIND, code) if metric == SENT else self.asking(row, metric, code)

    def asking(self, row: WifiRow, metric: str, code: str | None = LWIP) -> float:
        """With a sender that has no datagram before there is a buffer for it."""
        slower = self._slower(row, code)
        return slower[metric] if slower else self.ranks[row.id][metric]["mbit"]

    def sent(self, row: WifiRow, place: str, code: str | None = LWIP) -> float:
        slower = self._slower(row, code)
        return slower[place] if slower else self.back_off[place][row.id]

    def _slower(self, row: WifiRow, code: str | None) -> Mapping[str, float] | None:
        return self.code[code].get(row.id) if code else None

    def is_input(self, row: WifiRow) -> bool:
        return row.id in self.best.values()


@functools.cache
def read_link() -> Link:
    """InputError: this installation lacks the file."""
    reported, backed_off, code = (
        json.loads(captured_file(name).read_text(encoding="utf-8"))
        for name in ("wifi_link.json", "wifi_back_off.json", "wifi_code.json")
    )
    return Link(
        settings=reported["link"],
        best=reported["best"],
        pace_ns=reported["pace_ns"],
        ranks=reported["ranks"],
        peaks=reported["traced"],
        delays={int(delay): rows for delay, rows in reported["delays"].items()},
        sizes=reported["sizes"],
        sweeps=reported["sweeps"],
        ladder={
            network: {int(delay): mbit for delay, mbit in delays.items()}
            for network, delays in reported["ladder"].items()
        },
        back_off={place: backed_off[place]["ranks"] for place in (BEHIND, BEFORE)},
        code=code["variants"],
        code_factor=code["factor"],
    )


def traced_rows() -> tuple[WifiRow, ...]:
    return tuple(row for row in ranks() if row.knobs.psram == NO_PSRAM)


def trace_of(row: WifiRow) -> str:
    return f"wifi_{row.id.replace('-', '_')}"


@dataclass(frozen=True, kw_only=True)
class Heap:
    """A trace of the network replayed; bytes as asked for. `before` and `peak` by phase, of all
    tasks; `tasks`: peaks by phase and task. `begun`: live when the stack has started."""

    begun: Mapping[str, int]  # by task
    before: Mapping[str, int]
    peak: Mapping[str, int]
    tasks: Mapping[str, Mapping[str, int]]

    @property
    def most(self) -> int:
        return max(self.peak.values())

    def task_most(self, task: str) -> int:
        """Beyond what it had when the stack had started."""
        return max(one[task] for one in self.tasks.values()) - self.begun[task]


@functools.cache
def read_heap(name: str, phases: tuple[str, ...] = METRICS) -> Heap:
    """The trace NAME of studies/workloads/captured. `phases`: marks at which one begins; without,
    all that follows the start is one. InputError: this installation lacks the trace."""
    result = replay(captured_trace(name), pool_layout(POOL), buckets=BUCKETS)
    line = result.timeline
    assert line is not None
    assert line.width == 1  # shorter than the most buckets
    column = {series: index for index, series in enumerate(line.series)}
    live = line.most[:, column["live_payload"]]
    own = {task: line.most[:, column[f"task {task}"]] for task in _TASKS}
    started = next(mark.event for mark in result.marks if mark.name == "tcpip started")
    marks = [(mark.name, mark.event) for mark in result.marks if mark.name in phases]
    marks = marks or [("all", started)]
    ends = [*marks[1:], ("end", line.buckets)]
    spans = {name: (first, last) for (name, first), (_, last) in zip(marks, ends, strict=True)}
    return Heap(
        begun={task: int(values[started - 1]) for task, values in own.items()},
        before={name: int(live[first - 1]) for name, (first, _) in spans.items()},
        peak={name: int(live[first:last].max()) for name, (first, last) in spans.items()},
        tasks={
            name: {task: int(values[first:last].max()) for task, values in own.items()}
            for name, (first, last) in spans.items()
        },
    )
