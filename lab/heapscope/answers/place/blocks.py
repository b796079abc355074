"""The blocks of a trace as arrays: who asked for each, when it began and when it ended."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from heapscope.answers.why.recording import ALLOCATIONS, FREE, REALLOC, Recording, are_heap_events
from heapscope.native.events import Events
from heapscope.native.structs import Rows

Array = np.ndarray

_KEY = ("task", "site", "heap", "caps", "size")


@dataclass(frozen=True, kw_only=True, eq=False)
class TracedBlocks:
    """A stay is a block from one request of it to the next: a resize ends one and begins another.

    `requested`: each kind of request once, with the fields of _KEY. For each stay: `request` its
    place in `requested`, `begin` and `end` the heap events at which it begins and is over, and
    `parent` the stay that a resize continued, -1: it is a new block. `events`: the number of
    heap events."""

    requested: Rows
    request: Array
    begin: Array
    end: Array
    parent: Array
    events: int


def read_blocks(recording: Recording) -> TracedBlocks:
    """All requests of the trace that made a block. Memory: a function of the number of events."""
    rows, at = _heap_events(recording)
    born = (np.isin(rows["kind"], ALLOCATIONS) | (rows["kind"] == REALLOC)) & (rows["size"] > 0)
    died = (rows["kind"] == FREE) | (rows["kind"] == REALLOC)
    births, deaths = np.flatnonzero(born), np.flatnonzero(died)
    resized = rows["kind"][births] == REALLOC
    requested, request = np.unique(rows[list(_KEY)][births], return_inverse=True)
    key = np.concatenate(
        [
            np.where(resized, rows["new_key"][births], rows["key"][births]),
            rows["key"][deaths],
        ]
    )
    event = np.concatenate([at[births], at[deaths]])
    is_birth = np.arange(len(key)) < len(births)
    # A resize that leaves a block at its place is over before it begins anew.
    order = np.lexsort((is_birth, event, key))
    same = np.append(key[order][1:] == key[order][:-1], False)
    last = len(at)
    end = np.full(len(births), last, dtype=np.int64)
    parent = np.full(len(births), -1, dtype=np.int64)
    follows = np.flatnonzero(is_birth[order] & same)
    end[order[follows]] = event[order[follows + 1]]
    birth_of = np.full(last + 1, -1, dtype=np.int64)
    birth_of[at[births]] = np.arange(len(births))
    ends = follows[~is_birth[order[follows + 1]]]
    heirs = birth_of[event[order[ends + 1]]]  # the stay that the same event begins: of a resize
    parent[heirs[heirs >= 0]] = order[ends[heirs >= 0]]
    return TracedBlocks(
        requested=requested,
        request=request.reshape(-1),
        begin=at[births],
        end=end,
        parent=parent,
        events=last,
    )


def _heap_events(recording: Recording) -> tuple[Events, Array]:
    kept = [rows[are_heap_events(rows)] for rows, _ in recording.events()]
    rows = np.concatenate(kept)
    return rows, np.arange(len(rows), dtype=np.int64)
