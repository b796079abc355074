"""The published Wi-Fi configurations: memory and throughput as predicted from all the others."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from heapscope_studies.result import Experiment

NAME = "wifi-ranks"
TITLE = "Wi-Fi options against memory and throughput: 40 published ranks"


def run(progress: Callable[[int, int], None]) -> Experiment:
    from heapscope_studies.wifi_ranks.compute import compute

    return compute(progress)
