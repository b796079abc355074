"""The live blocks of a device: whose they are, and the room between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from heapscope.native.structs import Rows

UNKNOWN = -1  #: index of the task of a block that a snapshot alone told

#: Bytes and blocks of each owner: (task, site).
Owners = dict[tuple[int, int], tuple[int, int]]


@dataclass(frozen=True, kw_only=True)
class Span:
    """Memory from `start` up to `end`."""

    start: int
    end: int


def owners(blocks: Rows) -> Owners:
    """The bytes and blocks that each task holds through each call site."""
    task = np.where(blocks["owned"] != 0, blocks["task"].astype(np.int64), UNKNOWN)
    keys = np.stack([task, blocks["site"].astype(np.int64)], axis=1)
    result, where = np.unique(keys, axis=0, return_inverse=True)
    sizes = np.zeros(len(result), np.uint64)
    np.add.at(sizes, where.reshape(-1), blocks["size"])
    counts = np.bincount(where.reshape(-1), minlength=len(result))
    rows = zip(result.tolist(), sizes.tolist(), counts.tolist(), strict=True)
    return {(key[0], key[1]): (size, count) for key, size, count in rows}


def within(blocks: Rows, span: Span) -> Rows:
    """Those that begin in it. `blocks` are sorted by address."""
    first, last = np.searchsorted(
        blocks["address"], np.array([span.start, span.end], np.uint64)
    ).tolist()
    return blocks[first:last]


def longest_room(blocks: Rows, span: Span) -> int:
    """Bytes of the longest stretch of it in which no live block lies."""
    edges = _edges(within(blocks, span), span)
    return max((end - start for start, end in edges), default=0)


def _edges(inside: Rows, span: Span) -> Iterator[tuple[int, int]]:
    """The stretches between blocks; empty ones among them."""
    begin = span.start
    ends = inside["address"] + inside["size"]
    for address, end in zip(inside["address"].tolist(), ends.tolist(), strict=True):
        yield begin, max(begin, min(address, span.end))
        begin = max(begin, min(end, span.end))
    yield begin, span.end


def in_the_way(blocks: Rows, spans: Sequence[Span], size: int) -> Rows:
    """The blocks of the stretch of `size` bytes, in any of the spans, whose live bytes are fewest;
    all of a span's ends count as live."""
    best, least = blocks[:0], None
    for span in spans:
        inside = within(blocks, span)
        starts = [span.start, *(inside["address"] + inside["size"]).tolist()]
        ends = [*inside["address"].tolist(), span.end]
        sums = [0, *np.cumsum(inside["size"]).tolist()]
        last = 0
        for first, start in enumerate(starts):  # the stretch has the blocks first up to last
            last = max(last, first)
            while last < len(ends) and ends[last] - start < size:
                last += 1
            if last == len(ends):
                break
            held = sums[last] - sums[first]
            if least is None or held < least:
                best, least = inside[first:last], held
    return best
