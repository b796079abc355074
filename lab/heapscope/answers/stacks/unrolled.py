"""Recursions of a known depth, written out: a function that is at most so often within itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from heapscope.answers.stacks.call_edge import CallEdge

_COPIES_MAX = 20_000


def unroll(edges: list[list[CallEdge]], function: int, times: int) -> list[int] | None:
    """Appends copies of what the function is in a recursion with, so that no way has it more than
    `times` times. Result: the functions of which they are copies, in their order. None: they would
    be too many; nothing is changed."""
    members = _cycle_with(edges, function)
    if not members:
        return []
    others = sorted(members - {function})
    if len(others) * times > _COPIES_MAX:
        return None
    copies: list[int] = []
    number_of = {(member, 0): member for member in others} | {(function, 1): function}
    for level in range(1, times + 1):
        for member in (*others, *([function] if level > 1 else [])):
            number_of[member, level] = len(edges) + len(copies)
            copies.append(member)
    before = {member: edges[member] for member in members}
    edges.extend([] for _ in copies)
    for (member, level), number in number_of.items():
        edges[number] = [*_moved(before[member], function, level, number_of, members)]
    return copies


def _moved(
    rows: Iterable[CallEdge],
    function: int,
    level: int,
    number_of: dict[tuple[int, int], int],
    members: set[int],
) -> Iterator[CallEdge]:
    for edge in rows:
        if edge.callee not in members:
            yield edge
            continue
        number = number_of.get((edge.callee, level + (edge.callee == function)))
        if number is not None:
            yield edge._replace(callee=number)


def _cycle_with(edges: Sequence[Sequence[CallEdge]], function: int) -> set[int]:
    """All that the function reaches and that reach it; empty: it is in no recursion."""
    reached = _reached(edges, function)
    if function not in reached:
        return set()
    callers: dict[int, list[CallEdge]] = {}
    for caller in reached:
        for edge in edges[caller]:
            if edge.callee in reached:
                callers.setdefault(edge.callee, []).append(edge._replace(callee=caller))
    return _reached(callers, function)


def _reached(
    edges: Sequence[Sequence[CallEdge]] | dict[int, list[CallEdge]], function: int
) -> set[int]:
    """The functions that its calls lead to; itself only where it is in a recursion."""
    reached: set[int] = set()
    waiting = [function]
    while waiting:
        current = waiting.pop()
        rows = edges.get(current, []) if isinstance(edges, dict) else edges[current]
        for edge in rows:
            if edge.callee not in reached:
                reached.add(edge.callee)
                waiting.append(edge.callee)
    return reached
