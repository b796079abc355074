"""Wi-Fi's options on a real lwIP and a simulated link, beside what is published and predicted."""

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
