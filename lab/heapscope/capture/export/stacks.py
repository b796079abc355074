"""Who allocated what, as stacks of names: for flame graphs and allocation profilers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heapscope.capture.export.exporter import Finish
from heapscope.capture.export.overview import Overview
from heapscope.native.export import OTHERS
from heapscope.native.structs import Rows
from heapscope.trace.call_sites import frames_of
from heapscope.trace.fold_sites import own_frames


@dataclass(frozen=True, kw_only=True)
class Stack:
    """Frames, root first: the task, then those of the site. `figures` by its fields."""

    frames: tuple[str, ...]
    figures: dict[str, int]


def stacks(finish: Finish) -> list[Stack]:
    """Most bytes at the peak first. Pairs of task and site whose names are the same are one stack;
    its own peak is then the sum of theirs."""
    merged: dict[tuple[str, ...], NDArray[np.uint64]] = {}
    names = _figures(finish.profile)
    for row in finish.profile:
        frames = _frames(finish.overview, int(row["task"]), int(row["site"]))
        figures = np.array([row[name] for name in names], dtype=np.uint64)
        merged[frames] = merged[frames] + figures if frames in merged else figures
    results = [
        Stack(frames=frames, figures=dict(zip(names, figures.tolist(), strict=True)))
        for frames, figures in merged.items()
    ]
    return sorted(results, key=lambda stack: (-stack.figures["at_peak"], stack.frames))


def _figures(profile: Rows) -> list[str]:
    """The fields that add up over rows."""
    return [name for name in profile.dtype.names or () if name not in ("task", "site")]


def _frames(known: Overview, task: int, site: int) -> tuple[str, ...]:
    if task == OTHERS:
        return ("other tasks and sites",)
    name = known.site(site)
    return (known.tasks[task], *(() if name is None else reversed(own_frames(frames_of(name)))))
