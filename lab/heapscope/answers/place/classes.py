"""Classes of requests: those of one task, call site and heap with like sizes. A rule can tell them
apart, and it sends all requests of a class to one place."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from heapscope.answers.place.blocks import Array, TracedBlocks
from heapscope.memory.layout.placement import Placement
from heapscope.native.config import ALL_RULES
from heapscope.simulation.replay.rule_names import rule_names
from heapscope.trace.all_names import AllNames

EXACT = 24  # sizes of one owner that are a class each; more of them are taken together
_INSIDE, _GONE = 1, 2  # where a rule of the user's sends requests
_PARTS = 4  # classes between a power of two and the next, where sizes are taken together


@dataclass(frozen=True, kw_only=True)
class Owner:
    """Whose requests a rule can name. None: the rule need not ask for it."""

    task: str | None = None
    site: str | None = None
    heap: int | None = None


@dataclass(frozen=True, kw_only=True)
class BlockClass:
    """Requests of one owner with `least` to `most` bytes, both included. `requested`: bytes that
    all of them ask for, one after the other. `fixed`: a rule of the user's has placed them;
    `gone`: it sends them out of the internal regions."""

    owner: Owner
    least: int
    most: int
    requested: int
    requests: int
    fixed: bool = False
    gone: bool = False


@dataclass(frozen=True, kw_only=True, eq=False)
class Classes:
    """`of`: the class of each kind of request (Blocks.asked). The classes of one owner are in the
    order of their sizes. `total`: bytes that the whole trace asks for."""

    rows: tuple[BlockClass, ...]
    of: Array
    total: int


def classes_of(
    blocks: TracedBlocks,
    names: AllNames,
    given: Placement | None = None,
    inner: frozenset[int] = frozenset(),
) -> Classes:
    """`given`: the rules of the user, whose requests stay where these send them; `inner`: the
    regions of internal memory."""
    requested = blocks.requested
    owner_of, owners = _owners(blocks, names)
    fixed = _matched(blocks, names, given, inner)
    low, high = _ranges(requested["size"].astype(np.int64), owner_of, fixed)
    keys = np.stack([owner_of, fixed, low, high], axis=1)
    unique, of = np.unique(keys, axis=0, return_inverse=True)
    of = of.reshape(-1)
    counts = np.bincount(blocks.request, minlength=len(requested))
    bytes_ = np.bincount(of, weights=counts * requested["size"], minlength=len(unique))
    requests = np.bincount(of, weights=counts, minlength=len(unique))
    rows = tuple(
        BlockClass(
            owner=owners[owner],
            least=int(least),
            most=int(most),
            requested=int(bytes_[index]),
            requests=int(requests[index]),
            fixed=bool(is_fixed),
            gone=bool(is_fixed == _GONE),
        )
        for index, (owner, is_fixed, least, most) in enumerate(unique)
    )
    return Classes(rows=rows, of=of, total=int(bytes_.sum()))


def _owners(blocks: TracedBlocks, names: AllNames) -> tuple[Array, list[Owner]]:
    """An owner has the names that a rule can ask for, so tasks of one name are one owner."""
    requested = blocks.requested
    several = {name: len(np.unique(requested[name])) > 1 for name in ("task", "site", "heap")}
    result: dict[Owner, int] = {}
    owner_of = np.zeros(len(requested), dtype=np.int64)
    triples, inverse = np.unique(requested[["task", "site", "heap"]], return_inverse=True)
    for index, (task, site, heap) in enumerate(triples):
        owner = Owner(
            task=names.tasks[int(task)] if several["task"] else None,
            site=names.sites[int(site)] if several["site"] else None,
            heap=int(heap) if several["heap"] else None,
        )
        owner_of[inverse.reshape(-1) == index] = result.setdefault(owner, len(result))
    return owner_of, list(result)


def _matched(
    blocks: TracedBlocks, names: AllNames, given: Placement | None, inner: frozenset[int]
) -> Array:
    """The word of the user's rules on each kind of request: nothing, inside or gone."""
    requested = blocks.requested
    matched = np.zeros(len(requested), dtype=np.int64)
    if given is None:
        return matched
    tables = [
        ({one.index: one.rules for one in table.names}, table.others)
        for table in rule_names(given, names)
    ]
    for index, row in enumerate(requested):
        mask = ALL_RULES
        places = (row["task"], row["site"], row["heap"])
        for (known, others), place in zip(tables, places, strict=True):
            mask &= known.get(int(place), others)
        for bit, rule in enumerate(given.rules):
            if mask >> bit & 1 and rule.size_min <= row["size"] <= rule.size_max:
                matched[index] = _INSIDE if inner.issuperset(rule.regions) else _GONE
                break
    return matched


def _ranges(sizes: Array, owner_of: Array, fixed: Array) -> tuple[Array, Array]:
    """The least and the most size of the class of each request."""
    low, high = sizes.copy(), sizes.copy()
    for owner in np.unique(owner_of):
        mine = (owner_of == owner) & (fixed == 0)
        if len(np.unique(sizes[mine])) > EXACT:
            low[mine], high[mine] = _parts(sizes[mine])
    return low, high


def _parts(sizes: Array) -> tuple[Array, Array]:
    """Ranges that end at a quarter of the way from one power of two to the next."""
    power = 1 << np.maximum(np.floor(np.log2(sizes)), 2).astype(np.int64)  # 4 bytes at the least
    step = power // _PARTS
    part = np.maximum(sizes - power - 1, 0) // step
    low = power + part * step + 1
    return np.where(sizes <= power, _below(power), low), np.where(
        sizes <= power, power, low + step - 1
    )


def _below(power: Array) -> Array:
    """Where the range that ends with this power of two begins."""
    return np.where(power <= 4, 1, power - power // 2 // _PARTS + 1)
