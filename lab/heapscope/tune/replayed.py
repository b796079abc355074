"""Needs that only a replay can tell: a trace survives, and a block of some size always fits.

The trace is the program's own dynamic use, without the Wi-Fi driver's. It is replayed on the chip's
regions with all but the predicted available memory taken at start-up. How much it needs is found by
halving; the search then holds that much as a limit, and its answer is replayed. Where that replay
disagrees (survival need not rise with memory), a cut asks for more, and it is solved again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from heapscope.config.config import Config
from heapscope.errors import InputError
from heapscope.layout.layout import Layout
from heapscope.predict.trace_replay import layout_of
from heapscope.replay.run import replay

#: The step in which the least available memory is found, and by which a cut asks for more.
STEP_KB = 0.25
_LEFT = 2048  # bytes of a region that are its heap's own tables, or else too little to matter


@dataclass(eq=False, kw_only=True)
class TraceNeed:
    """`contiguous`: bytes that malloc must always be able to serve in one piece; 0: only what the
    trace asks for. `unmet`: requests that fail even in all of the chip's memory, which is the first
    replay; they are not held against a configuration. `largest`: the least that the largest block
    was, by available memory."""

    trace: Path
    config: Config
    contiguous: int
    progress: Callable[[int], None] = lambda done: None
    replays: int = 0
    refused: int = 0
    unmet: int | None = None
    largest: dict[int, int] = field(default_factory=dict)
    _known: dict[int, bool] = field(default_factory=dict, repr=False)

    def survives(self, free_kb: float) -> bool:
        """With so much available memory; each amount is replayed once."""
        free = int(free_kb * 1024) & ~15
        if free not in self._known:
            self.replays += 1
            self.progress(self.replays)
            layout = with_free(layout_of(self.config), free)
            asked = max(self.contiguous, 1)
            found = replay(self.trace, layout, needs=[(asked, 0)], capsets=())
            if found.loss is not None:
                raise InputError(
                    f"{self.trace.name}: {found.loss.sentences()[0]} Whether the whole run "
                    "survives is not known, so nothing can be recommended",
                    remedy="record it again, or leave --trace out",
                )
            self.largest[free] = found.needs[0].worst_largest
            most = self.unmet if self.unmet is not None else found.summary.failures
            short = self.contiguous and found.needs[0].short_events
            self._known[free] = found.summary.failures <= most and not short
            self.unmet = most
        return self._known[free]

    def largest_at(self, free_kb: float) -> int | None:
        return self.largest.get(int(free_kb * 1024) & ~15)

    def least(self) -> float:
        """The least available memory, KB, in steps of STEP_KB. InputError: all that the chip
        has is too little."""
        most = capacity(layout_of(self.config)) / 1024
        low, high = 0, int(most / STEP_KB)
        if not self.survives(high * STEP_KB):
            raise InputError(
                f"{self.trace.name} never has {self.contiguous:,} bytes in one piece in all of the "
                f"{self.config.chip}'s {most:.0f} KB, even without Wi-Fi",
                remedy="heapscope why --need says who is in the way",
            )
        while high - low > 1:
            middle = (low + high) // 2
            if self.survives(middle * STEP_KB):
                high = middle
            else:
                low = middle
        return high * STEP_KB


def capacity(layout: Layout) -> int:
    """Bytes that can be left available: of internal memory that malloc serves, less what start-up
    takes anyway."""
    return sum(room for _, room in _rooms(layout)) & ~15


def with_free(layout: Layout, free: int) -> Layout:
    """The layout with so many bytes left; the rest is taken at start-up, in the regions' order,
    which is that in which the driver would get it."""
    taken = max(0, capacity(layout) - free)
    regions = list(layout.regions)
    for number, room in _rooms(layout):
        here = min(taken, room) & ~3
        if here:
            use = regions[number].startup_use + here
            regions[number] = replace(regions[number], startup_use=use)
            taken -= here
    return replace(layout, regions=tuple(regions))


def _rooms(layout: Layout) -> list[tuple[int, int]]:
    return [
        (number, max(0, region.size - region.startup_use - _LEFT) & ~3)
        for number, region in enumerate(layout.regions)
        if region.kind != "SPIRAM" and not region.word_only and region.private is None
    ]
