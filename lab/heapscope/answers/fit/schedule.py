"""Runs searches side by side on all cores: each search waits for its own batch alone."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Generic, TypeVar

from heapscope.answers.fit.search import Batches, SmallestPool, Trial

T = TypeVar("T", bound=Trial)


class _Running(Generic[T]):
    """A search, what replays the trace on a pool of one size for it, and what it knows."""

    def __init__(self, search: Batches, replay: Callable[[int], T]) -> None:
        self.search = search
        self.replay = replay
        self.known: dict[int, T] = {}
        self.missing = 0  # sizes of the batch that are not known yet
        self.found: SmallestPool | None = None


def run_searches(
    searches: Mapping[str, tuple[Batches, Callable[[int], T]]], done: Callable[[str], None]
) -> dict[str, tuple[SmallestPool, dict[int, T]]]:
    """By name, what each search found and all it tried. `done` hears of each that ends.

    Replays are native code that does not hold Python's lock, so that threads do run side by side.
    A search learns the results of its own batches alone; their timing does not matter.
    """
    running: dict[str, _Running[T]] = {name: _Running(*pair) for name, pair in searches.items()}
    pending: dict[Future[T], tuple[str, int]] = {}
    with ThreadPoolExecutor(cores()) as pool:

        def go_on(name: str) -> None:
            one = running[name]
            try:
                batch = one.search.send(one.known if one.known else None)  # type: ignore[arg-type]
            except StopIteration as end:
                one.found = end.value
                done(name)
                return
            one.missing = len(batch)
            for size in batch:
                pending[pool.submit(one.replay, size)] = (name, size)

        try:
            for name in running:
                go_on(name)
            while pending:
                for future in wait(pending, return_when=FIRST_COMPLETED).done:
                    name, size = pending.pop(future)
                    running[name].known[size] = future.result()
                    running[name].missing -= 1
                    if not running[name].missing:
                        go_on(name)
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
    return {name: (_ended(one), one.known) for name, one in running.items()}


def _ended(one: _Running[T]) -> SmallestPool:
    assert one.found is not None  # nothing is pending any more
    return one.found


def cores() -> int:
    """Those that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
