"""Recordings of a call: the dumps of the study's version, and every pool event of a later one."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from heapscope.answers.pools.groups import PoolGroup, find_groups
from heapscope.answers.pools.pool_trace import PoolTrace, read_pools
from heapscope.answers.pools.replayed import Replayed, replay
from heapscope.native.pools import replay_pools
from heapscope_studies.captured import captured_trace
from heapscope_studies.data_file import read_published

PUBLISHED = read_published("ice_pools")
MARKS: list[str] = PUBLISHED["marks"]


@dataclass(frozen=True, kw_only=True)
class Call:
    """A recorded call, replayed with the sizes that it had."""

    name: str
    trace: PoolTrace
    groups: tuple[PoolGroup, ...]
    now: Replayed

    def at(self, mark: str) -> tuple[int, int]:
        """Used and allocated bytes."""
        return self._at(dict(self.trace.marks)[mark])

    def _at(self, place: int) -> tuple[int, int]:
        return int(self.now.used[place]), int(self.now.allocated[place])


@dataclass(frozen=True, kw_only=True)
class Dumps(Call):
    """The dumps of its pools that the study's version printed, one for each mark in their order."""

    def at(self, mark: str) -> tuple[int, int]:
        return self._at(self._place(mark))

    def _place(self, mark: str) -> int:
        _, place = self.trace.marks[MARKS.index(mark)]
        return place

    def pools(self, mark: str) -> Counter[tuple[str, int, int]]:
        """How many pools of each kind, used and allocated bytes there are at a mark. The kind is
        the letters that a pool's name begins with."""
        place = self._place(mark)
        result: Counter[tuple[str, int, int]] = Counter()
        for index, name in enumerate(self.trace.names):
            chosen = np.zeros(len(self.trace.names), np.uint8)
            chosen[index] = 1
            run = replay_pools(self.trace.events, chosen, self.trace.rule)
            if run.allocated[place]:
                kind = name.partition("0x")[0].rstrip("0123456789")
                result[kind, int(run.used[place]), int(run.allocated[place])] += 1
        return result


def read_call(name: str) -> Call:
    trace = read_pools(captured_trace(name))
    groups = find_groups(trace)
    return Call(name=name, trace=trace, groups=groups, now=replay(trace, groups))


def read_dumps(name: str) -> Dumps:
    call = read_call(name)
    return Dumps(name=name, trace=call.trace, groups=call.groups, now=call.now)
