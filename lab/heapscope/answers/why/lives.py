"""The events of one block: from its first allocation to its free, under all its names."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from heapscope.answers.why.recording import ALLOCATIONS, FREE, REALLOC, Recording, are_heap_events
from heapscope.native.events import Events

NAMES_MAX = 32  # addresses that a block had one after the other; each costs a pass over the trace


def rows_at(recording: Recording, numbers: Iterable[int]) -> dict[int, np.void]:
    """The heap events with these numbers."""
    wanted = list(numbers)
    result: dict[int, np.void] = {}
    for rows, at in recording.events():
        for index in np.flatnonzero(are_heap_events(rows) & np.isin(at, wanted)):
            result[int(at[index])] = rows[index].copy()
    return result


def before(recording: Recording, key: int, event: int) -> dict[int, np.void]:
    """The (re)allocations of the block that is `key` at an event, back to its first; empty when it
    had too many names. By number, the latest first."""
    result: dict[int, np.void] = {}
    name, end = key, event
    for _ in range(NAMES_MAX):
        last = None
        for number, row in reversed(_births(recording, name, end)):
            result[number] = row
            if row["kind"] != REALLOC:
                return result
            if row["key"] != name:
                last = (int(row["key"]), number)
                break
        if last is None:
            return result  # its first allocation was lost
        name, end = last
    return {}


def _births(recording: Recording, key: int, end: int) -> list[tuple[int, np.void]]:
    """Every event before `end` that gave a block this name."""
    built: list[tuple[int, np.void]] = []
    for rows, at in recording.events():
        born = np.isin(rows["kind"], ALLOCATIONS) & (rows["key"] == key)
        moved = (rows["kind"] == REALLOC) & (rows["new_key"] == key)
        hits = np.flatnonzero((born | moved) & (at < end))
        built += [(int(at[index]), rows[index].copy()) for index in hits]
    return built


def after(recording: Recording, key: int, event: int) -> list[int]:
    """The numbers of the events from `event` on that resize or free the block that is `key`."""
    numbers: list[int] = []
    name = key
    for rows, at in recording.events():
        used = np.isin(rows["kind"], (REALLOC, FREE)) & (at >= event)
        index = 0
        while (hit := _next(rows, used, name, index)) is not None:
            numbers.append(int(at[hit]))
            if rows["kind"][hit] == FREE or rows["size"][hit] == 0:
                return numbers
            name, index = int(rows["new_key"][hit]), hit + 1
    return numbers


def _next(rows: Events, used: np.ndarray, key: int, index: int) -> int | None:
    hits = used[index:] & (rows["key"][index:] == key)
    return index + int(hits.argmax()) if hits.any() else None
