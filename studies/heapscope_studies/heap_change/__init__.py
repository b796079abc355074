"""ESP-IDF 4.3 replaced its heap: what the published comparison says, and what the models say.

counts.py    blocks that fit one pool
timing.py    four timings: steps of the models, instructions of real code, published nanoseconds
control.py   what each heap takes of a real chip's regions before the first block
upgrade.py   what the upgrade of a real chip cost, part by part
curves.py    what grows with the number of blocks and with their size
"""

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
