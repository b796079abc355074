"""Perturbed runs of a trace, each as the result of a whole replay."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from heapscope.base.printable import printable
from heapscope.base.request import Request
from heapscope.memory.layout.layout import Layout
from heapscope.memory.layout.placement import Placement
from heapscope.native.reader import NativeReader
from heapscope.simulation.jitter.runs import Jitter, PerturbedRuns, kept_in_memory
from heapscope.simulation.replay.config import native_config
from heapscope.simulation.replay.shape import shape
from heapscope.simulation.result.result import ReplayResult
from heapscope.trace.all_names import read_all_names
from heapscope.trace.feed import read_trace


def perturbed_replays(
    path: str | Path,
    layout: Layout,
    jitter: Jitter,
    *,
    needs: Sequence[Request] = (),
    placement: Placement | None = None,
) -> Iterator[ReplayResult]:
    """The results of all runs, by their number. A replay of the trace as it is went well on this
    layout. InputError: events are missing in the trace."""
    by_name = layout.tenants or (placement is not None and placement.by_name)
    names = read_all_names(path) if by_name else None
    with NativeReader() as reader:
        health = read_trace(path, reader)
    if placement is not None:
        layout = placement.apply(layout)
    config = native_config(
        layout, needs=needs, capsets=None, buckets=0, placement=placement, names=names
    )
    with PerturbedRuns(kept_in_memory(path), jitter) as runs:
        for number in range(jitter.runs):
            with NativeReader(config) as reader:
                runs.play(reader, number)
                yield shape(reader, layout, printable(str(path), limit=400), health)
