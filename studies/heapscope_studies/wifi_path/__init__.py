"""Wi-Fi's options on a real lwIP and a simulated link, beside what is published and predicted.

measured.py   what studies/workloads/wifi/measure.py measured, and the traces that it stands beside
throughput.py published, predicted and simulated throughput by rank: a second opinion
placement.py  code outside IRAM: what makes a rank's processor slower than the best rank's
distance.py   a longer way and losses; the throughput model's form on simulated windows
heap.py       what a rank's transfers take of the heap, replayed; the guide's own formula
tenants.py    studies/workloads/tenants at the same options: its memory, and its sizes of structures
sweeps.py     throughput and heap by window, buffers and loss
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from heapscope_studies.result import Experiment

NAME = "wifi-path"
TITLE = "lwIP on a simulated Wi-Fi link: heap and throughput by window, buffers and loss"


def run(progress: Callable[[int, int], None]) -> Experiment:
    from heapscope_studies.wifi_path.compute import compute

    return compute(progress)
