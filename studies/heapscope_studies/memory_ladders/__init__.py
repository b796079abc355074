"""The memory ladders of 2025: options of two programs, and the memory that each step gave."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from heapscope_studies.result import Experiment

NAME = "memory-ladders"
TITLE = "The memory ladders of 2025: an ESP32-C2 with code in flash, and a Matter light"


def run(progress: Callable[[int, int], None]) -> Experiment:
    from heapscope_studies.memory_ladders.compute import compute

    return compute(progress)
