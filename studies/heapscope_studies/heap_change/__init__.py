"""ESP-IDF 4.3 replaced its heap: what the published comparison says, and what the models say."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from heapscope_studies.result import Experiment

NAME = "heap-change"
TITLE = "ESP-IDF 4.3's new heap: the free list against TLSF"


def run(progress: Callable[[int, int], None]) -> Experiment:
    from heapscope_studies.heap_change.compute import compute

    return compute(progress)
