"""Call sites as a flame graph: a tree of frames, each as wide as what it held."""

from __future__ import annotations

from typing import Any

from heapscope.simulation.result.survey import Holding
from heapscope.trace.call_sites import ARROW, MORE, frames_of
from heapscope.trace.fold_sites import own_frames

#: Measures of a frame, and the page's names for them.
MEASURES = {
    "payload_at_peak": "bytes at the peak",
    "payload_peak": "own peaks, summed",
    "payload": "bytes at the end",
    "allocations": "allocations",
}
#: A stack deeper than this is cut: a hostile name must not nest without end.
DEPTH = 64


def has_stacks(sites: tuple[Holding, ...]) -> bool:
    return any(ARROW in site.name for site in sites)


def flame(sites: tuple[Holding, ...]) -> dict[str, Any]:
    """Nodes {"name", "own": {measure: number}, "children"}; a node's width is its own and that of
    what is below it."""
    root = _node("all sites")
    for site in sites:
        node = root
        for frame in _root_first(site.name):
            node = _child(node, frame)
        for measure in MEASURES:
            node["own"][measure] += getattr(site, measure)
    return {"measures": MEASURES, "root": root}


def _root_first(name: str) -> list[str]:
    """The frames from the root on; a stack that is too deep loses those nearest the root."""
    frames = list(reversed(own_frames(frames_of(name))))
    return frames if len(frames) <= DEPTH else [MORE, *frames[1 - DEPTH :]]


def _node(name: str) -> dict[str, Any]:
    return {"name": name, "own": dict.fromkeys(MEASURES, 0), "children": []}


def _child(node: dict[str, Any], name: str) -> dict[str, Any]:
    result: dict[str, Any] | None = next((c for c in node["children"] if c["name"] == name), None)
    if result is None:
        result = _node(name)
        node["children"].append(result)
    return result
