"""The cost of a system's allocators beside their pools."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from heapscope.answers.fit.smallest_pool import FitResult, SystemCost
from heapscope.memory.systems.system import System, cost_of

_NO_POOL = 1 << 62  # bytes: more than any pool


def on_system(results: Sequence[FitResult], system: System) -> list[FitResult]:
    """The results, each with the cost of its allocator."""
    return [replace(result, system=_cost(result, system)) for result in results]


def _cost(result: FitResult, system: System) -> SystemCost:
    cost = cost_of(result.allocator)
    return SystemCost(
        name=system.title,
        own=result.allocator == system.allocator,
        outside=cost.outside,
        together=None if result.pool is None else result.pool + (cost.outside or 0),
        malloc=cost.malloc,
        free=cost.free,
        code=cost.code,
    )


def ram_of(result: FitResult) -> int:
    """Bytes by which allocators are compared; results without a pool come last."""
    together = result.pool if result.system is None else result.system.together
    return _NO_POOL if together is None else together
