"""All groups of a trace together, under chosen sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from heapscope.answers.pools.groups import PoolGroup, Sizes
from heapscope.answers.pools.pool_trace import PoolTrace
from heapscope.native.pools import PoolRun, Series, replay_pools
from heapscope.native.structs import Struct, field_names

#: Sizes by a group's name; groups that are not there stay as recorded.
Plan = Mapping[str, Sizes]


@dataclass(frozen=True, kw_only=True)
class Replayed:
    """Bytes after each of the trace's events, all groups together and each alone."""

    allocated: Series
    used: Series
    groups: dict[str, PoolRun]

    @property
    def peak(self) -> int:
        return int(self.allocated.max(initial=0))

    @property
    def peak_at(self) -> int:
        """Index of the event after which they hold most; of several, where most of it is used."""
        highest = np.flatnonzero(self.allocated == self.allocated.max())
        return int(highest[self.used[highest].argmax()])

    def count(self, field: str) -> int:
        """A count of the totals, of all groups."""
        return sum(int(getattr(run.totals, field)) for run in self.groups.values())

    @property
    def calls(self) -> int:
        """Blocks asked of the heap."""
        return self.count("calls")

    @property
    def totals(self) -> Struct:
        return Struct(**{name: self.count(name) for name in field_names("hs_lab_pool_totals_t")})


def replay_group(trace: PoolTrace, group: PoolGroup, sizes: Sizes | None) -> PoolRun:
    """None: as recorded."""
    if sizes is None:
        return replay_pools(trace.events, group.chosen, trace.rule)
    return replay_pools(
        trace.events,
        group.chosen,
        trace.rule,
        initial=sizes.initial,
        increment=sizes.increment,
    )


def replay(trace: PoolTrace, groups: Sequence[PoolGroup], plan: Plan | None = None) -> Replayed:
    chosen = plan or {}
    runs = {group.name: replay_group(trace, group, chosen.get(group.name)) for group in groups}
    nothing = np.zeros(len(trace.events), np.uint64)
    return Replayed(
        allocated=sum((run.allocated for run in runs.values()), nothing),
        used=sum((run.used for run in runs.values()), nothing),
        groups=runs,
    )


def everywhere(groups: Sequence[PoolGroup], sizes: Sizes) -> dict[str, Sizes]:
    """The same sizes for all groups whose sizes may change."""
    return {group.name: sizes for group in groups if group.free}
