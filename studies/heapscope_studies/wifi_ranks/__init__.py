"""The published Wi-Fi configurations: memory and throughput as predicted from all the others.

errors.py      how far off predictions of what was left out are, and how often their order is right
rows.py        each rank beside its own prediction
gains.py       each rank against the best configuration of no more memory
rules.py       ranks against the rules of the text around them
power_save.py  share of time with the radio on and worst delay, by mode; the window/interval table
"""

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
