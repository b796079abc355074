"""The deepest way through the calls of a function."""

from __future__ import annotations

from typing import NamedTuple

from heapscope.answers.stacks import stack_hole as hole
from heapscope.answers.stacks.call_edge import CallEdge
from heapscope.answers.stacks.call_graph import CallGraph
from heapscope.answers.stacks.stack_hole import StackHole


class PathStep(NamedTuple):
    """`bytes`: what the function adds before the next one begins, or at most where it is last."""

    function: str
    bytes: int


class WorstPath(NamedTuple):
    """`bytes`: a bound where `holes` is empty; with holes, the deepest way that is known."""

    bytes: int
    steps: tuple[PathStep, ...]
    holes: tuple[StackHole, ...]


class WorstPaths:
    """The deepest way of any function of a graph. Each function is walked once for all."""

    def __init__(self, graph: CallGraph) -> None:
        self._graph = graph
        self._deepest: dict[int, int] = {}
        self._by: dict[int, CallEdge | None] = {}
        self._cycles: dict[int, StackHole] = {}

    def of(self, function: int) -> WorstPath:
        self._walk(function)
        return WorstPath(
            self._deepest[function], tuple(self._steps(function)), self._holes(function)
        )

    def _walk(self, function: int) -> None:
        """Depth first. A call back to what is being walked is a recursion, and is not followed."""
        if function in self._deepest:
            return
        way: list[tuple[int, int]] = [(function, 0)]
        on_way = {function}
        while way:
            current, index = way[-1]
            edges = () if current in self._graph.given else self._graph.edges[current]
            if index == len(edges):
                self._finish(current)
                on_way.discard(current)
                way.pop()
                continue
            way[-1] = (current, index + 1)
            callee = edges[index].callee
            if callee in on_way:
                self._add_cycle(current, callee)
            elif callee not in self._deepest:
                way.append((callee, 0))
                on_way.add(callee)

    def _finish(self, function: int) -> None:
        graph = self._graph
        if function in graph.given:
            self._deepest[function], self._by[function] = graph.given[function], None
            return
        deepest, by = graph.frames[function], None
        for edge in graph.edges[function]:
            below = self._deepest.get(edge.callee)
            if below is not None and edge.depth + below > deepest:
                deepest, by = edge.depth + below, edge
        self._deepest[function], self._by[function] = deepest, by

    def _add_cycle(self, caller: int, callee: int) -> None:
        names = self._graph.names
        self._cycles.setdefault(
            caller,
            StackHole(
                kind=hole.RECURSION, function=names[caller], detail=f"which calls {names[callee]}"
            ),
        )

    def _steps(self, function: int) -> list[PathStep]:
        steps: list[PathStep] = []
        names = self._graph.names
        while (edge := self._by[function]) is not None:
            steps.append(PathStep(names[function], edge.depth))
            function = edge.callee
        return [*steps, PathStep(names[function], self._deepest[function])]

    def _holes(self, function: int) -> tuple[StackHole, ...]:
        """All that can be reached, each once."""
        graph = self._graph
        reached, waiting, holes = {function}, [function], set()
        while waiting:
            current = waiting.pop()
            if current in graph.given:
                continue
            holes.update(graph.holes[current])
            if current in self._cycles:
                holes.add(self._cycles[current])
            for edge in graph.edges[current]:
                if edge.callee not in reached:
                    reached.add(edge.callee)
                    waiting.append(edge.callee)
        return tuple(sorted(holes))
