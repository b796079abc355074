"""Records what a driver's calls execute in emulation, and holds it against bounds."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from emulation.bounds import Bounds
from emulation.bounds_code import Flow, Function
from emulation.bounds_paths import Loop
from emulation.build import host_library
from emulation.counter import UC_HOOK_CODE
from emulation.machine import Machine
from emulation.places import HERE, need_package

__all__ = [
    "LoopSeen",
    "Rounds",
    "Trace",
    "held",
    "loops_seen",
    "rounds_apart",
    "strays",
    "without",
]

Addresses = NDArray[np.uint32]


class Fields(ctypes.Structure):
    """trace_t"""

    _fields_ = [
        ("driver_start", ctypes.c_uint64),
        ("driver_size", ctypes.c_uint64),
        ("capacity", ctypes.c_uint64),
        ("count", ctypes.c_uint64),
        ("addresses", ctypes.c_void_p),
        ("outside", ctypes.c_uint32),
    ]


@cache
def library() -> ctypes.CDLL:
    return ctypes.CDLL(str(host_library("bounds_trace", [HERE / "bounds_trace.c"])))


class Trace:
    """Records a machine's instructions from now on. `capacity`: instructions that are kept
    between two takings."""

    def __init__(self, machine: Machine, capacity: int = 1 << 23) -> None:
        need_package("unicorn")
        from unicorn.unicorn_py3.unicorn import uclib

        at = machine.symbols
        self._addresses = np.zeros(capacity, np.uint32)
        self._fields = Fields(
            driver_start=at["driver_start"],
            driver_size=at["driver_end"] - at["driver_start"],
            capacity=capacity,
            addresses=self._addresses.ctypes.data,
        )
        self._machine = machine  # the hook lives as long as it
        self._hook = ctypes.c_size_t()
        status = uclib.uc_hook_add(
            machine.uc._uch,
            ctypes.byref(self._hook),
            UC_HOOK_CODE,
            ctypes.cast(library().trace_hook, ctypes.c_void_p),
            ctypes.byref(self._fields),
            *(ctypes.c_uint64(1), ctypes.c_uint64(0)),  # everything
        )
        if status != 0:
            raise RuntimeError(f"unicorn's uc_hook_add says {status}")

    def taken(self) -> list[Addresses]:
        """The instructions of each call since the last time."""
        count = int(self._fields.count)
        if count > len(self._addresses):
            raise RuntimeError(f"{count} instructions, room for {len(self._addresses)}")
        self._fields.count = 0
        self._fields.outside = 0
        result = self._addresses[:count].copy()
        ends = np.flatnonzero(result == 0)
        parts = [part[part != 0] for part in np.split(result, ends + 1)]
        return [part for part in parts if len(part)]


def strays(bounds: Bounds, calls: Iterable[Addresses]) -> list[tuple[int, int]]:
    """Steps that were made from one instruction to another and that the control flow does not have:
    none, or the code was not understood."""
    flow = {
        one.address: one
        for function in bounds.code.functions()
        for block in function.blocks.values()
        for one in block.instructions
    }
    between = np.zeros(1, np.uint64)
    every = np.concatenate([between, *(part for call in calls for part in (call, between))])
    steps = np.unique(every[:-1] << np.uint64(32) | every[1:])
    wrong = []
    for before, after in ((int(step) >> 32, int(step) & 0xFFFF_FFFF) for step in steps):
        if before == 0 or after == 0:
            continue
        one = flow.get(before)
        if one is None:
            wrong.append((before, after))
            continue
        allowed = {
            Flow.NEXT: {one.end},
            Flow.BRANCH: {one.end, one.target},
            Flow.JUMP: {one.target},
            Flow.CALL: {one.target},
        }.get(one.flow)
        if (allowed is not None and after not in allowed) or one.flow is Flow.TRAP:
            wrong.append((before, after))
    return wrong


@dataclass(frozen=True)
class LoopSeen:
    """How often a loop's head was passed at most, per entry, and may be."""

    function: str
    source: str
    bound: str  # as stated
    seen: int
    limit: int


def loops_seen(bounds: Bounds, calls: list[Addresses]) -> list[LoopSeen]:
    """Looks at all loops of the functions whose bounds were asked for."""
    built = []
    every = np.concatenate(calls) if calls else np.zeros(0, np.uint32)
    for function in bounds.bounded():
        loops = function.loops()
        if not loops:
            continue
        starts = np.array(sorted(function.blocks), np.uint32)
        blocks = every[np.isin(every, starts)]
        for loop in loops:
            limit = bounds.limit(function, loop)
            built.append(
                LoopSeen(
                    function.name,
                    str(limit.source or "?"),
                    limit.source.bound if limit.source is not None else "",
                    most_passes(function, loop, blocks),
                    limit.passes + limit.more,
                )
            )
    return built


def most_passes(function: Function, loop: Loop[int], blocks: Addresses) -> int:
    """`blocks`: the beginnings of the function's blocks, one run after the other."""
    inside = np.isin(blocks, np.array(sorted(loop.nodes), np.uint32))
    before = np.concatenate([[False], inside[:-1]]) & (blocks != function.start)
    entries = np.flatnonzero(inside & ~before)
    if not len(entries):
        return 0
    passes = (inside & (blocks == loop.head)).astype(np.int64)
    return int(np.add.reduceat(passes, entries).max())


@dataclass(frozen=True)
class Rounds:
    """A loop whose rounds bounds are without: its first instruction, and all."""

    head: int
    addresses: Addresses


def rounds_apart(bounds: Bounds, names: Sequence[str]) -> list[Rounds]:
    """The loops whose statement is one of these names, in the functions whose bounds were asked
    for."""
    built = []
    for function in bounds.bounded():
        for loop in function.loops():
            source = bounds.source(function, loop)
            if source is not None and source.bound in names:
                inside = [
                    one.address for at in loop.nodes for one in function.blocks[at].instructions
                ]
                built.append(Rounds(loop.head, np.array(sorted(inside), np.uint32)))
    return built


def without(call: Addresses, apart: Sequence[Rounds]) -> int:
    """Instructions of a call, of the rounds of these loops only one each time."""
    count = len(call)
    for loop in apart:
        at = np.flatnonzero(call == loop.head)
        if len(at):
            inside = np.isin(call, loop.addresses)
            entries = int(np.count_nonzero(inside[1:] & ~inside[:-1])) + int(inside[0])
            count -= int(np.count_nonzero(inside)) * (len(at) - entries) // len(at)
    return count


def held(bounds: Bounds, call: Addresses, takes: Sequence[str], gives: Sequence[str]) -> Addresses:
    """The instructions of the longest time that a lock was held in a call: from the first one of
    what takes it to the last one of what gives it back."""
    entries = {at: 1 for name in takes for at in bounds.code.addresses.get(name, ())}
    entries |= {at: -1 for name in gives for at in bounds.code.addresses.get(name, ())}
    places = np.flatnonzero(np.isin(call, np.array(sorted(entries), np.uint32)))
    depth, since, most = 0, 0, call[:0]
    for place in places:
        step = entries[int(call[place])]
        if depth == 0:
            since = int(place)
        depth += step
        if depth == 0:
            part = call[since : last_of(bounds, call, int(place)) + 1]
            most = max(most, part, key=len)
    return most


def last_of(bounds: Bounds, call: Addresses, place: int) -> int:
    """Where the function ends that begins there and calls no other."""
    blocks = bounds.code.at(int(call[place])).blocks.values()
    inside = {one.address for block in blocks for one in block.instructions}
    while place + 1 < len(call) and int(call[place + 1]) in inside:
        place += 1
    return place
