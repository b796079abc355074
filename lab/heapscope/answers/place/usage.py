"""The bytes that classes of requests hold at each moment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from heapscope.answers.place.blocks import Array, TracedBlocks
from heapscope.answers.place.classes import Classes
from heapscope.answers.place.memories import PlaceTarget, least_beyond, taken, weight_of
from heapscope.memory.layout.attempts import attempts, malloc_attempts
from heapscope.memory.layout.layout import Layout

_UNITS = (
    2000  # beyond them resized blocks of a class are one unit, which makes the bound no tighter
)


@dataclass(frozen=True)
class Unit:
    """Blocks that move together in the model. `classes`: of all requests of the block so far: a
    resized one may stay where an earlier one was placed. `fits`: the targets that have its
    capabilities."""

    classes: frozenset[int]
    fits: tuple[bool, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class HeldBytes:
    """For each kind of request: the bytes that a block of it takes at least, as a new one and as
    one that was resized, and whether it goes to internal memory where no rule is for it."""

    cost: Array
    resized: Array
    inside: Array


def held_by(blocks: TracedBlocks, layout: Layout) -> HeldBytes:
    """On the heaps of this memory."""
    sizes, size_of = np.unique(blocks.requested["size"], return_inverse=True)
    costs = taken((region.allocator for region in layout.regions), sizes)
    cost = costs[size_of.reshape(-1)].astype(np.int64)
    resized = blocks.requested["size"].astype(np.int64) + least_beyond(
        region.allocator for region in layout.regions
    )
    return HeldBytes(cost=cost, resized=np.minimum(cost, resized), inside=_inside(blocks, layout))


class Usage:
    """The stays of a trace in units, of blocks that go to internal memory without rules. Bytes are
    those that a block takes at least.

    `resized_stay`: a resized block counts as moved where any request of it so far is, since a heap
    may resize it at its place. Without it only its last request counts: that is nearer to what
    happens where blocks move, and it gives no bound."""

    def __init__(
        self,
        blocks: TracedBlocks,
        classes: Classes,
        held: HeldBytes,
        targets: Sequence[PlaceTarget],
        *,
        resized_stay: bool = True,
    ) -> None:
        requested = blocks.requested
        self.events = blocks.events
        self.classes = classes
        free = np.array([not row.fixed for row in classes.rows], dtype=bool)[classes.of]
        gone = np.array([row.gone for row in classes.rows], dtype=bool)[classes.of]
        fits = np.zeros((len(requested), len(targets)), dtype=bool)
        most = np.array([row.most for row in classes.rows])[classes.of]
        unresized = _unresized(blocks, classes)[classes.of]
        for place, target in enumerate(targets):
            fits[:, place] = free & (requested["caps"] & ~np.uint32(target.caps) == 0)
            if target.pool is not None:
                fits[:, place] &= unresized & (most <= target.pool.block)
        counted = (held.inside & ~gone)[blocks.request]
        self.begin, self.end = blocks.begin[counted], blocks.end[counted]
        request = blocks.request[counted]
        self.cost = np.where(blocks.parent[counted] >= 0, held.resized[request], held.cost[request])
        units, of = _units(blocks, classes, fits, resized_stay=resized_stay)
        self.units = units
        self.unit = of[counted]

    def over_time(self, share: Array) -> Array:
        """Bytes after each event, where each unit counts with this share."""
        weights = self.cost * share[self.unit]
        change = np.bincount(self.begin, weights, self.events + 1)
        change -= np.bincount(self.end, weights, self.events + 1)
        return np.cumsum(change)[:-1]

    def blocks_over_time(self, chosen: Array) -> Array:
        """Blocks after each event, of the units that are chosen."""
        counted = chosen[self.unit]
        change = np.bincount(self.begin[counted], minlength=self.events + 1)
        change -= np.bincount(self.end[counted], minlength=self.events + 1)
        return np.cumsum(change)[:-1]

    def blocks_at(self, event: int) -> Array:
        """Blocks of each unit after an event."""
        alive = (self.begin <= event) & (self.end > event)
        return np.bincount(self.unit[alive], minlength=len(self.units))

    def in_target(self, moved: Array, place: int) -> Array:
        """The units that are in a target, where `moved` tells it of each class and target."""
        return np.array(
            [
                unit.fits[place] and bool(moved[sorted(unit.classes), place].any())
                for unit in self.units
            ],
            dtype=bool,
        )

    def at(self, event: int) -> Array:
        """Bytes of each unit after an event."""
        alive = (self.begin <= event) & (self.end > event)
        return np.bincount(self.unit[alive], self.cost[alive], len(self.units))

    def shares(self, inside: Array) -> Array:
        """The share of each unit that is inside, where `inside` tells it of each class and target:
        a resized block is moved where a class of it is."""
        result = np.ones(len(self.units))
        for index, unit in enumerate(self.units):
            moved = inside[sorted(unit.classes)][:, np.array(unit.fits, dtype=bool)]
            result[index] = 0.0 if moved.any() else 1.0
        return result


def _unresized(blocks: TracedBlocks, classes: Classes) -> Array:
    """The classes whose blocks are never resized. Only they go to pools: a resized block may stay
    in the heap or the pool that has it, whatever its new class, and the count does not know it."""
    result = np.ones(len(classes.rows), dtype=bool)
    resized = np.flatnonzero(blocks.parent >= 0)
    for stays in (resized, blocks.parent[resized]):
        result[classes.of[blocks.request[stays]]] = False
    return result


def _inside(blocks: TracedBlocks, layout: Layout) -> Array:
    """Whether each kind of request goes to internal memory where no rule is for it."""
    known: dict[tuple[int, bool], bool] = {}
    result = np.zeros(len(blocks.requested), dtype=bool)
    for index, row in enumerate(blocks.requested):
        caps, size = int(row["caps"]), int(row["size"])
        key = caps, caps == 0 and size > layout.malloc.threshold
        if key not in known:
            tried = attempts(layout, caps) if caps else malloc_attempts(layout, size)
            known[key] = bool(tried) and (
                weight_of(tried[0].region) == 0 and not tried[0].region.word_only
            )
        result[index] = known[key]
    return result


def _units(
    blocks: TracedBlocks, classes: Classes, fits: Array, *, resized_stay: bool
) -> tuple[tuple[Unit, ...], Array]:
    """The units, and that of each stay."""
    of_request = classes.of[blocks.request]
    fit_of = fits[blocks.request] if fits.shape[1] else np.zeros((len(of_request), 0), dtype=bool)
    keys, single = np.unique(
        np.column_stack([of_request, fit_of]).astype(np.int64), axis=0, return_inverse=True
    )
    units = [Unit(frozenset((int(key[0]),)), tuple(map(bool, key[1:]))) for key in keys]
    index_of = {unit: index for index, unit in enumerate(units)}
    result = single.reshape(-1).copy()
    everything = frozenset(range(len(classes.rows)))
    grown: dict[tuple[int, int], int] = {}
    resized = np.flatnonzero(blocks.parent >= 0) if resized_stay else np.zeros(0, dtype=np.int64)
    for stay in resized[np.argsort(blocks.begin[resized])]:
        own, before = int(result[stay]), int(result[blocks.parent[stay]])
        if (own, before) not in grown:
            together = units[own].classes | units[before].classes
            unit = Unit(together if len(units) < _UNITS else everything, units[own].fits)
            if unit not in index_of:
                index_of[unit] = len(units)
                units.append(unit)
            grown[own, before] = index_of[unit]
        result[stay] = grown[own, before]
    return tuple(units), result
