"""The memory from which a trace survives and some requests always fit, which only a replay tells.

The trace is the program's own dynamic use. It is replayed on the memory of one configuration, with
the system's blocks in it and so much left to the program (forecast/predict/system_layout.py). How
much it needs is found by halving; the search then holds that much as a limit, and its answer is
replayed on its own memory. Where that replay disagrees (survival need not rise with memory, and
other blocks of the system leave other holes), a cut asks for more, and it is solved again.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from heapscope.base.errors import InputError
from heapscope.base.request import Request
from heapscope.forecast.predict.system_layout import SystemMemory
from heapscope.simulation.replay.run import replay
from heapscope.simulation.result.result import ReplayResult
from heapscope.trace.all_names import AllNames, read_all_names

#: The step in which the least available memory is found, and by which a cut asks for more.
STEP_KB = 0.25


@dataclass(eq=False, kw_only=True)
class LeastMemory:
    """`requests`: those that must always fit, at most REQUESTS_MAX - 1, beside what the trace asks
    for. `unmet`: requests that fail even in all memory beside the system's, which is the
    first replay; they are not held against a configuration. `results`: by bytes free."""

    trace: Path
    system: SystemMemory
    requests: tuple[Request, ...] = ()
    progress: Callable[[int], None] = lambda done: None
    replays: int = 0
    unmet: int | None = None
    results: dict[int, ReplayResult] = field(default_factory=dict, repr=False)

    def survives(self, free_kb: float) -> bool:
        """With so much available memory."""
        result = self.at(free_kb)
        if self.unmet is None:
            self.unmet = result.summary.failures
        always = all(row.short_events == 0 for row in result.needs[: len(self.requests)])
        return result.summary.failures <= self.unmet and always

    def largest(self, free_kb: float) -> int:
        """The least that malloc's largest block is with so much available memory."""
        return next(row for row in self.at(free_kb).needs if row.is_malloc).worst_largest

    def at(self, free_kb: float) -> ReplayResult:
        """The replay with so much available memory; each amount is replayed once. InputError: the
        trace cannot be used, or events of it are lost."""
        free = int(free_kb * 1024) & ~15
        if free not in self.results:
            self.replays += 1
            self.progress(self.replays)
            layout = self.system.layout(free)
            needs = self.requests
            if all(request.caps for request in needs):
                needs = (*needs, Request(1))
            result = replay(self.trace, layout, needs=needs, capsets=(), names=self._names)
            if result.loss is not None:
                raise InputError(
                    f"{self.trace.name}: {result.loss.sentences()[0]} Whether the whole run "
                    "survives is not known, so nothing can be recommended",
                    remedy="record it again, or leave --trace out",
                )
            self.results[free] = result
        return self.results[free]

    def least(self) -> float:
        """The least available memory, KB, in steps of STEP_KB. InputError: all that the chip has
        beside the system's is too little."""
        low, high = 0, int(self.system.most() / 1024 / STEP_KB)
        if not self.survives(high * STEP_KB):
            raise InputError(
                f"{self.trace.name} never has {bytes_of(self.requests)} in one piece in all of the "
                f"{high * STEP_KB:.0f} KB that the system leaves of the chip's memory",
                remedy="heapscope why --need says who is in the way",
            )
        while high - low > 1:
            middle = (low + high) // 2
            if self.survives(middle * STEP_KB):
                high = middle
            else:
                low = middle
        return high * STEP_KB

    @functools.cached_property
    def _names(self) -> AllNames:
        return read_all_names(self.trace)


def bytes_of(requests: Sequence[Request]) -> str:
    """The requests in words: "16,717 bytes and 4,096 bytes of DMA"."""
    each = (f"{r.size:,} bytes{f' of {r.capabilities}' if r.caps else ''}" for r in requests)
    return " and ".join(each)
