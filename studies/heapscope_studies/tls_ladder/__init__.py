"""A TLS client on an ESP32 of 2020, seven steps of options: published memory beside computed."""

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
