"""The experiments there are. A new one is a folder beside this file and a line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from heapscope.base.choices import did_you_mean
from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope_studies import (
    heap_change,
    ice_pools,
    memory_ladders,
    script_heap,
    tls_ladder,
    wifi_path,
    wifi_ranks,
)
from heapscope_studies.result import Experiment

ALL = "all"

#: Called with parts done and parts in all.
Progress = Callable[[int, int], None]


@dataclass(frozen=True, kw_only=True)
class Entry:
    title: str
    run: Callable[[Progress], Experiment]
    full: Callable[[Progress], Experiment] | None = None  # the longer run of `--full`

    def runner(self, *, full: bool) -> Callable[[Progress], Experiment]:
        """The function that computes it; without a longer run, `full` changes nothing."""
        return self.full if full and self.full is not None else self.run


EXPERIMENTS: Mapping[str, Entry] = {
    heap_change.NAME: Entry(title=heap_change.TITLE, run=heap_change.run),
    ice_pools.NAME: Entry(title=ice_pools.TITLE, run=ice_pools.run),
    memory_ladders.NAME: Entry(title=memory_ladders.TITLE, run=memory_ladders.run),
    script_heap.NAME: Entry(
        title=script_heap.TITLE, run=script_heap.run, full=script_heap.run_full
    ),
    tls_ladder.NAME: Entry(title=tls_ladder.TITLE, run=tls_ladder.run),
    wifi_path.NAME: Entry(title=wifi_path.TITLE, run=wifi_path.run),
    wifi_ranks.NAME: Entry(title=wifi_ranks.TITLE, run=wifi_ranks.run),
}


def chosen(name: str) -> tuple[str, ...]:
    """One experiment, or all of them. InputError lists the valid names."""
    wanted = name.strip().lower()
    if wanted == ALL:
        return tuple(EXPERIMENTS)
    if wanted in EXPERIMENTS:
        return (wanted,)
    valid = (*EXPERIMENTS, ALL)
    raise InputError(
        f"unknown experiment '{printable(name)}'",
        remedy=f"{did_you_mean(wanted, valid)}valid: {', '.join(valid)}",
    )
