"""Bounds of the library's operations, and the largest counts seen beside them."""

from __future__ import annotations

from collections import Counter
from typing import Any

from emulation.bounds_code import CodeError
from emulation.bounds_loads import seen
from emulation.bounds_source import line_of
from emulation.bounds_ways import CALLS, WAYS, Way, bounds_of, function_of, held_of

__all__ = ["measured_bounds", "report"]


def derived(way: Way, call: str) -> dict[str, Any]:
    """The bound of a call and of the time that it holds a lock; or why it is missing."""
    try:
        bound = bounds_of(way, call).of(function_of(way, call))
        row: dict[str, Any] = {"bound": bound.instructions}
        if way.regions:
            row["held"] = held_of(way, call)
    except CodeError as error:
        return {"refused": str(error)}
    return row


def measured_bounds(name: str = "") -> dict[str, Any]:
    """Derives the bounds of each way whose name begins so, and counts the most that is seen."""
    rows: dict[str, Any] = {}
    for number, way in enumerate(WAYS):
        if not way.name.startswith(name):
            continue
        result = seen(number)
        rows[way.name] = {}
        for call in CALLS.values():
            row = derived(way, call)
            row["seen"] = result.most.get(call, 0)
            if way.regions:
                row["held_seen"] = result.held.get(call, 0)
            rows[way.name][call] = row
    return rows


def report(way: Way, call: str, lines: int = 40) -> str:
    """The longest way of a call, by function and by line."""
    bounds = bounds_of(way, call)
    bound = bounds.of(function_of(way, call))
    own: Counter[str] = Counter()
    whole: Counter[str] = Counter()
    by_line: Counter[tuple[str, int, str]] = Counter()
    for address, times in bound.visits.items():
        frames = bounds.lines.frames(address)
        if not frames:
            own["(no C)"] += times
            continue
        own[frames[0].function] += times
        for name in {frame.function for frame in frames}:
            whole[name] += times
        top = frames[0]
        by_line[top.path.name, top.line, line_of(top.path, top.line).strip()] += times
    out = [f"{way.name}, {call}: at most {bound.instructions} instructions", ""]
    out += ["  with inlined  itself  function"]
    out += [f"  {whole[name]:>12}  {own[name]:>6}  {name}" for name, _ in whole.most_common(lines)]
    out += ["", "  instructions  line"]
    for (name, line, stated), times in by_line.most_common(lines):
        out.append(f"  {times:>12}  {name}:{line}: {stated}")
    return "\n".join(out)
