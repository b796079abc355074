"""A recorded call, replayed with the sizes that it had."""

from __future__ import annotations

from dataclasses import dataclass

from heapscope.pools.groups import PoolGroup, find_groups
from heapscope.pools.pool_trace import PoolTrace, read_pools
from heapscope.pools.replayed import Replayed, replay
from heapscope_studies.captured import captured_trace
from heapscope_studies.data_file import read_published

PUBLISHED = read_published("ice_pools")


@dataclass(frozen=True, kw_only=True)
class Call:
    name: str
    trace: PoolTrace
    groups: tuple[PoolGroup, ...]
    now: Replayed

    def at(self, mark: str) -> tuple[int, int]:
        """Used and allocated bytes."""
        place = dict(self.trace.marks)[mark]
        return int(self.now.used[place]), int(self.now.allocated[place])


def read_call(name: str) -> Call:
    trace = read_pools(captured_trace(name))
    groups = find_groups(trace)
    return Call(name=name, trace=trace, groups=groups, now=replay(trace, groups))
