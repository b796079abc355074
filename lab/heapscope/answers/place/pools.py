"""The pools of fixed blocks that are tried, and the rules of one alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from heapscope.answers.place.memories import FixedPool, PlaceTarget
from heapscope.answers.place.rule_lines import PlaceRule, sent
from heapscope.answers.place.usage import Usage

if TYPE_CHECKING:
    from heapscope.answers.place.question import PlaceQuestion

POOLS = 8  # block sizes: those whose blocks save most, or are most, at the fullest moment
_OF_ESP_IDF = 4  # bytes: the alignment of its heaps' blocks
_OF_OTHERS = 8
_APART = 1.1  # of a pool's memory: the heap gives a large block up to the end of its class of sizes


def pool_targets(question: PlaceQuestion) -> tuple[PlaceTarget, ...]:
    """A pool for each of the block sizes that promise most."""
    usage = question.usage(())
    if not question.inner or not len(usage.begin):
        return ()
    home = max(question.inner, key=lambda target: target.room)
    allocator = question.layout.regions[home.regions[0]].allocator
    alignment = _OF_ESP_IDF if allocator.startswith("idf-") else _OF_OTHERS
    results = (
        PlaceTarget(
            name=f"{block} bytes",
            regions=(),
            weight=0,
            room=home.room,
            caps=home.caps,
            pool=FixedPool(
                name=f"{block} bytes", block=block, alignment=alignment, source=home.name
            ),
        )
        for block in _blocks(question, usage, alignment)
    )
    return tuple(results)


def _blocks(question: PlaceQuestion, usage: Usage, alignment: int) -> list[int]:
    """For free memory: by the bytes that headers and rounding take of a size at the fullest moment.
    For a block that must fit: by the number of blocks, which a pool keeps from lying about."""
    fullest = int(np.argmax(usage.over_time(np.ones(len(usage.units)))))
    blocks, held = usage.blocks_at(fullest), usage.at(fullest)
    promise: dict[int, float] = {}
    for index, unit in enumerate(usage.units):
        row = question.classes.rows[min(unit.classes)]
        block = -(-row.most // alignment) * alignment
        if len(unit.classes) > 1 or row.fixed or block > question.room:
            continue
        saved = held[index] - blocks[index] * (block + 1 / 8)
        promise[block] = promise.get(block, 0.0) + float(
            saved if question.wish.need is None else blocks[index]
        )
    ranked = sorted((block for block in promise if promise[block] > 0), key=lambda b: -promise[b])
    return sorted(ranked[:POOLS])


def pool_homes(question: PlaceQuestion) -> tuple[PlaceTarget, ...]:
    """The internal regions in the order in which pools are taken from them: the largest first; for
    a block that must fit the smallest, so that the others stay whole."""
    largest = question.wish.need is None
    return tuple(sorted(question.inner, key=lambda target: target.room, reverse=largest))


def single_pools(
    usage: Usage, targets: Sequence[PlaceTarget], homes: Sequence[PlaceTarget]
) -> Iterator[tuple[PlaceRule, ...]]:
    """For each pool the rules that send it everything that just fits: what is larger than half of a
    block, or than the block of the next smaller pool."""
    classes = usage.classes
    below = 0
    for place, target in enumerate(targets):
        if target.pool is None:
            continue
        fits = [
            any(unit.fits[place] for unit in usage.units if unit.classes == {number})
            and row.most > max(below, target.pool.block // 2)
            for number, row in enumerate(classes.rows)
        ]
        below = target.pool.block
        moved = np.zeros((len(classes.rows), len(targets)), dtype=bool)
        moved[:, place] = fits
        chosen = usage.in_target(moved, place)
        if not chosen.any():
            continue
        counts = [0] * len(targets)
        counts[place] = int(usage.blocks_over_time(chosen).max())
        yield sent(classes, with_counts(targets, counts, homes), moved)


def with_counts(
    targets: Sequence[PlaceTarget], counts: Sequence[int], homes: Sequence[PlaceTarget]
) -> tuple[PlaceTarget, ...]:
    """The targets, each pool with its number of blocks, and its memory from the first of the homes
    that has room for it, or from the last one."""
    return tuple(
        target
        if target.pool is None
        else replace(target, pool=_fixed_pool(target.pool, count, homes))
        for target, count in zip(targets, counts, strict=True)
    )


def _fixed_pool(pool: FixedPool, count: int, homes: Sequence[PlaceTarget]) -> FixedPool:
    built = replace(pool, count=count)
    able = (home.name for home in homes if home.room >= _APART * built.memory)
    return replace(built, source=next(able, homes[-1].name))
