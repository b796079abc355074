"""A TLS client on an ESP32 of 2020, seven steps of options: published memory beside computed.

steps.py      the steps, by their options
constants.py  every constant that the table rests on, with its source
compose.py    three tasks as one trace: the TLS client of each variant, wifi, tcpip
ladder.py     the steps replayed; the first one's static use is calibrated, nothing else
cost.py       what the steps cost: throughput, and 1 MB over TLS with the buffers in IRAM
tables.py     published beside computed
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from heapscope_studies.result import Experiment

NAME = "tls-ladder"
TITLE = "A TLS client on a single-core ESP32: seven steps"


def run(progress: Callable[[int, int], None]) -> Experiment:
    from heapscope_studies.tls_ladder.compute import compute

    return compute(progress)
