"""The data of the page's scripts besides the charts: numbers and names, as JSON in the page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from heapscope.render.page.charts import stacked_tasks
from heapscope.render.page.colours import ALLOCATOR, OTHERS, STARTUP, task_looks
from heapscope.render.page.flame import flame
from heapscope.render.page.side import PageSide
from heapscope.simulation.result.failure import FailureRow

#: A colour and the number of a pattern, by the task's name.
Looks = dict[str, tuple[str, int]]


def page_looks(sides: Sequence[PageSide]) -> Looks:
    """One look for a task in all pictures of a page."""
    peaks: dict[str, int] = {}
    for side in sides:
        held = side.survey.payload.max(axis=0, initial=0)
        for name, peak in zip(side.survey.picture.tasks, held, strict=True):
            peaks[name] = max(peaks.get(name, 0), int(peak))
    looks = task_looks(list(peaks.values()), sides=len(sides))
    return dict(zip(peaks, zip(*looks, strict=True), strict=True))


def side_data(side: PageSide, number: int, looks: Looks) -> dict[str, Any]:
    """Arrays by column by default. Names are text, never markup."""
    survey, picture = side.survey, side.survey.picture
    colours = [looks[task][0] for task in picture.tasks]
    patterns = [looks[task][1] for task in picture.tasks]
    stacked = stacked_tasks(side)
    shown = survey.payload[:, stacked].astype(np.int64)
    live = np.array([moment.live for moment in survey.moments])
    return {
        "number": number,
        "label": side.label,
        "width": side.column_width,
        "clock": None if side.result.clock is None else side.result.clock.hz,
        "start": side.result.census.first_time,
        "end": side.result.census.last_time,
        "columns": _arrays(
            survey.columns,
            "first_event",
            "first_time",
            "most_live",
            "least_live",
            "least_free",
            "least_largest",
        ),
        "moments": _arrays(
            survey.moments,
            "event",
            "time",
            "live",
            "live_blocks",
            "free",
            "largest_free",
            "free_blocks",
        ),
        "stack": {
            "names": [picture.tasks[task] for task in stacked] + ["other tasks"],
            "colours": [colours[task] for task in stacked] + [OTHERS],
            "bytes": [column.tolist() for column in shown.T]
            + [(live - shown.sum(axis=1)).tolist()],
        },
        "marks": [{"name": mark.name, "event": mark.event} for mark in side.result.marks],
        "spans": _spans(side),
        "failed": [_failed(row) for row in side.result.failures],
        "close": [
            {
                "event": row.event,
                "time": row.time,
                "task": row.task,
                "size": row.size,
                "capabilities": row.capabilities,
                "largest": row.largest,
                "spare": row.spare,
            }
            for row in side.close
        ],
        "map": {
            "columns": picture.owner.shape[0],
            "rows": picture.owner.shape[1],
            "strips": [strip.to_json() for strip in picture.strips],
            "tasks": list(picture.tasks),
            "colours": colours,
            "patterns": patterns,
            "others": OTHERS,
            "startup": STARTUP,
            "allocator": ALLOCATOR,
            "blocks": _numbered(picture.blocks),
        },
        "flame": flame(survey.sites),
    }


def _spans(side: PageSide) -> dict[str, list[Any]]:
    spans, clock = side.result.failure_spans, side.result.clock
    return {
        "time": [None if clock is None else clock.time(span.first_event) for span in spans],
        "first": [span.first_event for span in spans],
        "left": side.positions([span.first_event for span in spans]),
        "events": [span.events for span in spans],
        "failures": [span.failures for span in spans],
        "bytes": [span.bytes for span in spans],
        "largest": [span.largest for span in spans],
    }


def _arrays(rows: tuple[Any, ...], *names: str) -> dict[str, list[int]]:
    return {name: [getattr(row, name) for row in rows] for name in names}


def _failed(row: FailureRow) -> dict[str, Any]:
    return {
        "event": row.event,
        "time": row.time,
        "task": row.task,
        "call": row.call,
        "size": row.size,
        "capabilities": row.capabilities,
        "free": row.free,
        "largest": row.largest_allocatable,
    }


def _numbered(blocks: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """Names once, and their numbers in the table."""
    table = {name: values for name, values in blocks.items() if name not in ("task", "site")}
    for name in ("task", "site"):
        names = list(dict.fromkeys(blocks[name]))
        numbers = {text: number for number, text in enumerate(names)}
        table[f"{name}_names"] = names
        table[name] = [numbers[text] for text in blocks[name]]
    return table
