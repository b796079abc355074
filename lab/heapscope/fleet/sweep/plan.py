"""A plan: which traces are replayed on which memories. It is arithmetic over its axes, so a plan of
a million cells takes no more room than its file.

Cells are numbered from 0: by trace, then by grid, then by configuration (the last axis is the
fastest), then by run. A batch is a range of cells that a worker replays in about a second.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from heapscope.base.request import Request, parse_requests
from heapscope.base.version import __version__
from heapscope.fleet.sweep.axis import LEAST, Axis
from heapscope.simulation.jitter.runs import Jitter

#: Heap events that a batch replays: about a second on the machine of docs/reference/sweep.md. The
#: same on every machine, so that a sweep is cut in the same way wherever it goes on.
BATCH_EVENTS = 10_000_000
BATCH_CELLS = 4096  #: at most, where a trace is short or cannot be read
SEARCH_REPLAYS = 200  #: the replays that a search for the least pool counts as
RUN_REPLAYS = 12  #: and one for that of a perturbed run, which begins at the recorded run's


class SweepCell(NamedTuple):
    """One replay. `trace`: its place in the plan. `options`: of the memory, those that are given;
    `run` 0: as recorded."""

    number: int
    trace: int
    options: dict[str, str]
    run: int


class Batch(NamedTuple):
    """Cells that a worker replays together; `first` is the number of the first of them."""

    number: int
    first: int
    cells: int


@dataclass(frozen=True, kw_only=True)
class PlannedTrace:
    """`name`: as the plan writes it. `content`: hash of the file. `events`: heap events; 0: the
    file cannot be read, and its cells say why. `wide`: recorded with 64-bit pointers;
    None: its metadata is damaged and does not tell it."""

    name: str
    content: str
    events: int
    wide: bool | None = False

    @property
    def readable(self) -> bool:
        return self.events > 0


@dataclass(frozen=True)
class SweepGrid:
    axes: tuple[Axis, ...]

    @cached_property
    def configurations(self) -> int:
        return math.prod(len(axis.values) for axis in self.axes)

    @cached_property
    def searching(self) -> int:
        """Its configurations whose pool is to be searched for."""
        if not any(axis.name == "pool" and LEAST in axis.values for axis in self.axes):
            return 0
        return math.prod(len(axis.values) for axis in self.axes if axis.name != "pool")

    def configuration(self, index: int) -> dict[str, str]:
        chosen: dict[str, str] = {}
        for axis in reversed(self.axes):
            index, at = divmod(index, len(axis.values))
            if axis.values[at]:
                chosen[axis.name] = axis.values[at]
        return dict(reversed(chosen.items()))


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """The part of a plan that a worker needs beside the trace. `files`: the content's hash of each
    file that an option names."""

    grids: tuple[SweepGrid, ...]
    needs: tuple[Request, ...]
    jitter: Jitter | None
    files: Mapping[str, str]
    version: str = __version__

    @property
    def runs(self) -> int:
        """Replays of a configuration: the recorded run and the perturbed ones."""
        return 1 + (0 if self.jitter is None else self.jitter.runs)

    @cached_property
    def cells_per_trace(self) -> int:
        return sum(grid.configurations for grid in self.grids) * self.runs

    def cells(self, batch: Batch) -> Iterator[SweepCell]:
        for number in range(batch.first, batch.first + batch.cells):
            yield self.cell(number)

    def cell(self, number: int) -> SweepCell:
        trace, rest = divmod(number, self.cells_per_trace)
        configuration, run = divmod(rest, self.runs)
        for grid in self.grids:
            if configuration < grid.configurations:
                return SweepCell(number, trace, grid.configuration(configuration), run)
            configuration -= grid.configurations
        raise IndexError(number)

    def traces_of(self, batch: Batch) -> range:
        """The places of the traces of its cells."""
        last = batch.first + batch.cells - 1
        return range(batch.first // self.cells_per_trace, last // self.cells_per_trace + 1)


@dataclass(frozen=True, kw_only=True)
class SweepPlan:
    traces: tuple[PlannedTrace, ...]
    recipe: Recipe
    prices: Mapping[str, float]

    @property
    def cell_count(self) -> int:
        return len(self.traces) * self.recipe.cells_per_trace

    def batches(self) -> Iterator[Batch]:
        """All of them in their order, made one after the other."""
        number = first = count = 0
        room = BATCH_EVENTS
        for cost, cells in self._parts():
            while cells:
                fits = min(cells, room // cost)
                if fits == 0 and count:
                    yield Batch(number, first, count)
                    number, first, count, room = number + 1, first + count, 0, BATCH_EVENTS
                    continue
                fits = max(fits, 1)  # a cell that is longer than a batch is one
                count, cells, room = count + fits, cells - fits, max(room - fits * cost, 0)
        if count:
            yield Batch(number, first, count)

    def _parts(self) -> Iterator[tuple[int, int]]:
        """Cells that follow each other and cost the same: heap events of one, and how many."""
        least = max(1, BATCH_EVENTS // BATCH_CELLS)
        for trace in self.traces:
            replay = max(trace.events, least)
            for grid in self.recipe.grids:
                if not grid.searching:
                    yield replay, grid.configurations * self.recipe.runs
                    continue
                search = max(trace.events * SEARCH_REPLAYS, least)
                if self.recipe.runs == 1:
                    yield search, grid.configurations
                    continue
                for _ in range(grid.configurations):
                    yield search, 1
                    yield max(trace.events * RUN_REPLAYS, least), self.recipe.runs - 1

    def to_json(self) -> dict[str, Any]:
        """All that the results depend on. Two plans with the same document are the same plan."""
        jitter = self.recipe.jitter
        return {
            "traces": [[one.name, one.content, one.events, one.wide] for one in self.traces],
            "grids": [
                {axis.name: axis.to_json() for axis in grid.axes} for grid in self.recipe.grids
            ],
            "need": [need.text for need in self.recipe.needs],
            "jitter": None if jitter is None else jitter.to_json(),
            "files": dict(self.recipe.files),
            "prices": dict(self.prices),
            "batch_events": BATCH_EVENTS,
            "heapscope": self.recipe.version,
        }

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> SweepPlan:
        jitter = document["jitter"]
        recipe = Recipe(
            grids=tuple(
                SweepGrid(tuple(Axis.from_json(name, values) for name, values in grid.items()))
                for grid in document["grids"]
            ),
            needs=parse_requests(document["need"]),
            jitter=None if jitter is None else Jitter.from_json(jitter),
            files=document["files"],
            version=document["heapscope"],
        )
        traces = tuple(
            PlannedTrace(name=name, content=content, events=events, wide=wide)
            for name, content, events, wide in document["traces"]
        )
        return cls(traces=traces, recipe=recipe, prices=document["prices"])

    @cached_property
    def hash(self) -> str:
        return document_hash(self.to_json())


def document_hash(document: Mapping[str, Any]) -> str:
    """The hash of a plan's document, which to_json() gives."""
    return content_hash(json.dumps(document, sort_keys=True).encode())


def content_hash(content: bytes) -> str:
    """Names a content: half of its SHA-256, as nobody else's file is to be met by chance."""
    return hashlib.sha256(content).hexdigest()[:32]
