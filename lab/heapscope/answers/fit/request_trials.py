"""Whether a pool that serves a run also has room for requests that are asked about, at every moment
of it. The quick replay of the search takes no measure, so only what survives that is replayed here:
once more and in full, as `heapscope replay --pool` does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from heapscope.base.request import Request
from heapscope.memory.layout.allocator import has_ends
from heapscope.memory.layout.placement import Placement
from heapscope.memory.layout.pool import pool_layout
from heapscope.native.reader import NativeReader
from heapscope.native.steps import FitRow, NativeSteps, Outcome
from heapscope.simulation.replay.config import native_config
from heapscope.simulation.replay.run import replay_reader
from heapscope.trace.all_names import AllNames

TryPool = Callable[[str, int], FitRow]
Play = Callable[[NativeReader], None]  #: puts one whole run into a new reader


@dataclass(frozen=True, kw_only=True)
class RequestTrials:
    """`placement`: rules for the pool, whose ends count where a heap has two; `names`: those of
    the trace, where a rule asks for them."""

    needs: tuple[Request, ...] = ()
    placement: Placement | None = None
    names: AllNames | None = None

    @property
    def largest(self) -> int:
        """Bytes below which no pool has room for all of them."""
        return max((request.size for request in self.needs), default=0)

    def trying(self, steps: NativeSteps, play: Play) -> TryPool:
        """Tries pools as `steps` does. A pool without the room fails; no request is blamed."""
        if not self.needs:
            return steps.try_pool

        def try_pool(allocator: str, size: int) -> FitRow:
            row = steps.try_pool(allocator, size)
            if not row.survives or self._met(allocator, size, play):
                return row
            return FitRow(**{**vars(row), "outcome": int(Outcome.FAILS)})

        return try_pool

    def _met(self, allocator: str, size: int, play: Play) -> bool:
        layout = pool_layout(size, allocator)
        config = native_config(
            layout,
            needs=self.needs,
            capsets=(),
            buckets=0,
            placement=self.placement if has_ends(allocator) else None,
            names=self.names,
        )
        with replay_reader(config, layout) as reader:
            play(reader)
            return all(need.minimum_margin >= 0 for need in reader.needs())


def never_played(_: NativeReader) -> None:
    """The run where there are no needs: no pool is replayed in full."""
    raise AssertionError("without needs nothing is replayed in full")
