"""Steps and counted accesses as time on the chip.

Time of a job = instructions x cycles of one + lines read and written back x cycles of one. The
engine's instructions and lines are counted (studies/workloads/script/jobs.py), and with them those
of our heap; of others, instructions come from their real code: means a call, or for those that walk
a list by call and by node, found from the requests of heap-change. A walked node is a line of the
external RAM, which may still be in the cache.

A figure that is not known exactly has two ends and a middle, and so has every time.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from heapscope.memory.layout.pool import POOL_BASE
from heapscope.native.single_heap import DRILL_PHASES, DrillRow, drill
from heapscope_studies.captured import captured_file
from heapscope_studies.data_file import read_published
from heapscope_studies.heap_change.subjects import is_ours
from heapscope_studies.script_heap.runs import PUBLISHED, Played

JOBS = "script_week_jobs.json"
BANDS = ("least", "middle", "most")
WAYS = 2  #: of the cache
FREES = ("free", "worst_free")  #: of DRILL_PHASES
LONG_WALK = 10  #: nodes of a call
LISTS = ("idf-4.2", "umm", "heap_4")
COPY_WORD = 2  #: instructions for 4 bytes copied: a load and a store

Times = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Job:
    """Counted for one recorded job: of the engine, and of our heap under it."""

    instructions: int
    lines_read: int
    lines_written: int
    heap_calls: int
    heap_instructions: int
    heap_lines_read: int
    heap_lines_written: int


@dataclass(frozen=True, kw_only=True)
class Band:
    """One end or the middle: cycles of an instruction, of a line read and written. `cached`: what
    part of walked nodes may be in the cache; None: as a cache of this size has them."""

    per_instruction: float
    read: float
    write: float
    missed: float | None


@dataclass(frozen=True, kw_only=True)
class PerCall:
    """Instructions; `node` for each node that a malloc or realloc walks, `free_node` a free.
    `error`: the largest share by which the fit is off on one of the counted phases; None: means,
    no fit."""

    malloc: float
    free: float
    realloc: float
    node: float = 0.0
    free_node: float = 0.0
    error: float | None = None


@cache
def read_jobs() -> Mapping[str, Job]:
    """By the name of the part. InputError: this installation lacks the file."""
    document: dict[str, Any] = json.loads(captured_file(JOBS).read_text(encoding="utf-8"))
    return {
        row["job"]: Job(
            instructions=row["instructions"] - row["heap_instructions"],
            **{name: row[name] for name in Job.__dataclass_fields__ if name != "instructions"},
        )
        for row in document["jobs"]
    }


def bands() -> Mapping[str, Band]:
    chip, cycles, clocks = (PUBLISHED[key] for key in ("chip", "cycles", "line_clocks"))
    missed = {"least": 0.0, "middle": None, "most": 1.0}
    built = {}
    for name in BANDS:
        scale = chip["clock_mhz"] / cycles["ram_mhz"][name]
        built[name] = Band(
            per_instruction=cycles["per_instruction"][name],
            read=sum(clocks["read"]) * scale,
            write=sum(clocks["write"]) * scale,
            missed=missed[name],
        )
    return built


# ---- allocators ---------------------------------------------------------------------------------


def plain(allocator: str) -> str:
    return allocator.partition("+")[0].removesuffix("-psram").removesuffix("-host")


def is_timed(allocator: str) -> bool:
    return is_measured(allocator) or per_call(allocator) is not None


def is_measured(allocator: str) -> bool:
    """Our heap in the form that the jobs were counted on."""
    return is_ours(allocator) and not allocator.startswith("heapscope-16")


@cache
def per_call(allocator: str) -> PerCall | None:
    """None: nobody counted its real code."""
    name = plain(allocator)
    if name in LISTS:
        return fitted(name)
    means = PUBLISHED["instructions"].get(name)
    if means is None:
        return None
    both = means["malloc"] + means["free"]
    return PerCall(malloc=means["malloc"], free=means["free"], realloc=means.get("realloc", both))


def fitted(name: str) -> PerCall | None:
    """A line through the requests of heap-change: their counted instructions against the nodes that
    the model walks for them; by relative error."""
    published = read_published("heap_change")
    counted = next(
        row["instructions"] for row in published["measured"]["allocator"] if row["name"] == name
    )
    reported = {key: published["timing"][key] for key in ("first", "small", "count", "last")}
    phases = drill(
        name, base=POOL_BASE, size=published["counts"]["pool"], requests=DrillRow(**reported)
    )
    if phases is None:
        return None
    rows = np.array(
        [
            (0.0, row.calls, 0.0, row.nodes) if phase in FREES else (row.calls, 0.0, row.nodes, 0.0)
            for phase, row in zip(DRILL_PHASES, phases, strict=True)
        ],
        np.float64,
    )
    if (rows[:, 2] <= LONG_WALK * rows[:, 0]).all():  # no malloc walked: a node is a node
        rows[:, 3] += rows[:, 2]
        rows[:, 2] = 0.0
    wanted = np.array([counted[phase] for phase in DRILL_PHASES], np.float64)
    relative = rows / wanted[:, None]
    result, _ = nnls(relative, np.ones(len(wanted)))
    malloc, free, node, free_node = (float(value) for value in result)
    node = node or free_node
    return PerCall(
        malloc=malloc,
        free=free,
        realloc=malloc + free,
        node=node,
        free_node=free_node,
        error=float(np.abs(relative @ result - 1).max()),
    )


def share_missed(nodes_in_list: float, engine_lines: float) -> float:
    """The share of a list's lines that a cache of two ways no longer has when the list is walked
    again. The lines of one walk, and those that the engine touches between two, fall on its sets
    at random, and a line stays where at most one more falls."""
    sets = PUBLISHED["chip"]["cache_lines"] / WAYS
    load = (nodes_in_list + engine_lines) / sets
    missed: float = 1 - math.exp(-load) * (1 + load)
    return missed


def own_lines(job: str) -> float:
    """Lines of external RAM that the engine reads between two calls of its heap in jobs of a kind,
    as counted for the week."""
    counted = [one for name, one in read_jobs().items() if name.partition(" ")[0] == job]
    return sum(one.lines_read for one in counted) / sum(one.heap_calls for one in counted)


# ---- a week's jobs ------------------------------------------------------------------------------


def times(played: Played, kind: str) -> Mapping[str, Times]:
    """Seconds of each turn of a kind, by band: engine and heap. The allocator has to be timed."""
    where = played.week.of(kind)
    rows, calls = played.rows[where], played.calls()[where]
    jobs = [read_jobs()[name] for name in _names(played, kind)]
    name = played.arrangement.serving
    result = {}
    for key, band in bands().items():
        engine = np.array([_engine(job, band) for job in jobs])
        heap = np.array(
            [
                _ours(job, int(count), band)
                if is_measured(name)
                else _other(name, job, row, int(count), band, _listed(played))
                for job, row, count in zip(jobs, rows, calls, strict=True)
            ]
        )
        result[key] = (engine + heap) / (PUBLISHED["chip"]["clock_mhz"] * 1e6)
    return result


def _names(played: Played, kind: str) -> list[str]:
    week = played.week
    return [str(week.names[i]) for i in week.of(kind)]


def _listed(played: Played) -> float:
    """Free blocks of the script's heap, as they are between its jobs."""
    looked = played.week.of("collection")
    return float(played.heap("free_blocks")[looked].mean())


def _engine(job: Job, band: Band) -> float:
    lines = job.lines_read * band.read + job.lines_written * band.write
    return job.instructions * band.per_instruction + lines


def _ours(job: Job, calls: int, band: Band) -> float:
    counted = job.heap_instructions * band.per_instruction
    lines = job.heap_lines_read * band.read + job.heap_lines_written * band.write
    return (counted + lines) * calls / job.heap_calls


def _other(name: str, job: Job, row: np.void, calls: int, band: Band, listed: float) -> float:
    cost = per_call(name)
    assert cost is not None  # is_timed()
    nodes, copied = int(row["nodes"]), int(row["copied"])
    free_nodes = int(row["free_nodes"])
    instructions = (
        int(row["mallocs"]) * cost.malloc
        + int(row["frees"]) * cost.free
        + int(row["reallocs"]) * cost.realloc
        + (nodes - free_nodes) * cost.node
        + free_nodes * cost.free_node
        + copied / 4 * COPY_WORD
    )
    missed = band.missed
    if missed is None:
        missed = share_missed(listed, job.lines_read / max(1, job.heap_calls))
    line = PUBLISHED["chip"]["line_bytes"]
    walked = nodes * missed if plain(name) in LISTS else 0.0
    lines = walked + copied / line
    more = copied / line * band.write
    # Beside the nodes, a call is taken to touch as many lines as ours does.
    lines += job.heap_lines_read * calls / job.heap_calls
    more += job.heap_lines_written * calls / job.heap_calls * band.write
    cycles: float = instructions * band.per_instruction + lines * band.read + more
    return cycles
