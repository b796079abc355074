"""The pools of an ICE call: what the published study says, and what recorded calls hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from heapscope_studies.result import Experiment

NAME = "ice-pools"
TITLE = "The pools of an ICE call: defaults, tuned, and without RTCP"


def run(progress: Callable[[int, int], None]) -> Experiment:
    from heapscope_studies.ice_pools.compute import compute

    return compute(progress)
