"""The longest way through a graph whose loops have limits.

A graph is given by the edges of each node, each with its cost; END stands for the outside. Loops
are collapsed from the innermost on: a loop that is entered at its head, which may be passed n times
per entry, costs n - 1 times its longest round and then the longest way from the head to the exit
that is taken. Loops that are entered anywhere else are refused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

__all__ = [
    "END",
    "Allowed",
    "CodeError",
    "Edges",
    "Loop",
    "NoEndError",
    "Path",
    "find_loops",
    "longest",
]


class CodeError(Exception):
    """No bound can be derived; the message says where and why."""


class NoEndError(CodeError):
    pass


Node = TypeVar("Node", bound=Hashable)
END = None

#: For each node: where it leads, and what it costs to go there.
Edges = Mapping[Node, list[tuple[Node | None, int]]]


@dataclass(frozen=True, eq=False)
class Way:
    """A way, backwards: what came before, then `times` a node or another way."""

    before: Way | None
    times: int
    node: Any = None
    inner: Way | None = None


@dataclass(frozen=True)
class Loop(Generic[Node]):
    """`own`: without the nodes of loops inside."""

    head: Node
    nodes: frozenset[Node]
    own: frozenset[Node]


@dataclass(frozen=True)
class Path(Generic[Node]):
    """`visits`: how often each node is on the longest way."""

    cost: int
    visits: Mapping[Any, int]


def order(root: Node, edges: Edges[Node], stop: Node | None = None) -> list[Node]:
    """Nodes that `root` leads to, in the reverse order in which a search leaves them; edges to
    `stop` do not count."""
    left: list[Node] = []
    seen = {root}
    stack: list[tuple[Node, Iterator[tuple[Node | None, int]]]] = [(root, iter(edges[root]))]
    while stack:
        node, rest = stack[-1]
        for to, _ in rest:
            if to is not None and to != stop and to not in seen:
                seen.add(to)
                stack.append((to, iter(edges[to])))
                break
        else:
            left.append(node)
            stack.pop()
    return left[::-1]


def dominators(root: Node, edges: Edges[Node]) -> Mapping[Node, set[Node]]:
    nodes = order(root, edges)
    before: dict[Node, set[Node]] = {node: set() for node in nodes}
    for node in nodes:
        for to, _ in edges[node]:
            if to is not None:
                before[to].add(node)
    result = {node: set(nodes) for node in nodes}
    result[root] = {root}
    changed = True
    while changed:
        changed = False
        for node in nodes:
            if node == root:
                continue
            ways = [result[one] for one in before[node]]
            now = set.intersection(*ways) | {node}
            if now != result[node]:
                result[node] = now
                changed = True
    return result


def find_loops(root: Node, edges: Edges[Node]) -> list[Loop[Node]]:
    """Innermost first. CodeError: one is entered at two places."""
    above = dominators(root, edges)
    place = {node: at for at, node in enumerate(order(root, edges))}
    before: dict[Node, list[Node]] = {node: [] for node in place}
    heads: dict[Node, set[Node]] = {}
    for node in place:
        for to, _ in edges[node]:
            if to is None:
                continue
            before[to].append(node)
            if to in above[node]:
                heads.setdefault(to, set()).add(node)
            elif place[to] <= place[node]:
                raise CodeError(
                    f"a loop is entered at two places: {show(node)} leads to {show(to)}"
                )
    bodies = {}
    for head, ends in heads.items():
        body, waiting = {head}, list(ends)
        while waiting:
            node = waiting.pop()
            if node not in body:
                body.add(node)
                waiting += before[node]
        bodies[head] = frozenset(body)
    built = []
    for head, nodes in sorted(bodies.items(), key=lambda one: len(one[1])):
        inner = [other for at, other in bodies.items() if at != head and other < nodes]
        built.append(Loop(head, nodes, nodes - frozenset[Node]().union(*inner)))
    return built


def show(node: object) -> str:
    return f"{node:#x}" if isinstance(node, int) else str(node)


@dataclass(frozen=True)
class Allowed:
    """How often a loop's head is passed at most, per entry of the loop; how many rounds more it
    makes at most, per entry of the loop around it; what else is added per entry: how often, for how
    much, and a node that stands for it. `body`: nodes that are not in the last one of so many
    passes."""

    passes: int
    more: int = 0
    extra: tuple[tuple[int, int, object], ...] = ()
    body: frozenset[Any] = frozenset()


#: For a loop and the one around it.
Limits = Callable[[Loop[Node], Loop[Node] | None], Allowed]


def longest(root: Node, edges: Edges[Node], limit: Limits[Node]) -> Path[Node]:
    """The longest way from `root` to END. CodeError: no way leads to END."""
    graph = {
        node: [(to, cost, Way(None, 1, node)) for to, cost in edges[node]]
        for node in order(root, edges)
    }
    loops = find_loops(root, edges)
    more: dict[Node, list[tuple[int, Way]]] = {}
    for at, loop in enumerate(loops):
        around = next((one for one in loops[at + 1 :] if loop.nodes < one.nodes), None)
        allowed = limit(loop, around)
        added = more.pop(loop.head, [])
        added += [(n * cost, Way(None, n, node)) for n, cost, node in allowed.extra]
        cost, way = collapse(graph, loop, allowed, added)
        if allowed.more and around is not None:
            rounds = (allowed.more * cost, Way(None, allowed.more, inner=way))
            more.setdefault(around.head, []).append(rounds)
    best = distances(graph, root, None)
    ends = [
        (best[node][0] + cost, Way(best[node][1], 1, inner=way))
        for node in best
        for to, cost, way in graph[node]
        if to is END
    ]
    if not ends:
        raise NoEndError("no way leads to an end")
    cost, way = max(ends, key=lambda one: one[0])
    visits: Counter[Any] = Counter()
    walk(way, 1, visits)
    return Path(cost, visits)


Graph = dict[Any, list[tuple[Any, int, Way]]]
Distances = dict[Any, tuple[int, Way | None]]


def distances(graph: Graph, root: Any, stop: Any) -> Distances:
    """The longest ways from `root` to each node, where no loop is but through `stop`."""
    plain = {node: [(to, cost) for to, cost, _ in out] for node, out in graph.items()}
    best: Distances = {root: (0, None)}
    for node in order(root, plain, stop):
        far, before = best[node]
        for to, cost, way in graph[node]:
            if to is END or to == stop:
                continue
            if to not in best or best[to][0] < far + cost:
                best[to] = (far + cost, Way(before, 1, inner=way))
    return best


def collapse(
    graph: Graph, loop: Loop[Any], allowed: Allowed, more: list[tuple[int, Way]]
) -> tuple[int, Way]:
    """Leaves only the loop's head, with edges to what the loop leads to. `more`: what is added per
    entry. Gives its longest round."""
    inside = {
        node: [edge for edge in graph[node] if edge[0] in loop.nodes]
        for node in loop.nodes
        if node in graph
    }
    best = distances(inside, loop.head, loop.head)
    rounds = [
        (best[node][0] + cost, Way(best[node][1], 1, inner=way))
        for node in best
        for to, cost, way in inside[node]
        if to == loop.head
    ]
    each, whole = max(rounds, key=lambda one: one[0])
    out: Distances = {}
    for again, ways in passes_before(allowed, inside, loop, best):
        fixed = again * each + sum(cost for cost, _ in more)
        rest = Way(None, again, inner=whole)
        for _, way in more:
            rest = Way(rest, 1, inner=way)
        for node in ways:
            for to, cost, way in graph[node]:
                if to in loop.nodes:
                    continue
                far = ways[node][0] + cost + fixed
                if to not in out or out[to][0] < far:
                    leaving = Way(rest, 1, inner=ways[node][1])
                    out[to] = (far, Way(leaving, 1, inner=way))
    for node in inside:
        if node != loop.head:
            del graph[node]
    graph[loop.head] = [(to, cost, way) for to, (cost, way) in out.items() if way is not None]
    return each, whole


def passes_before(
    allowed: Allowed, inside: Graph, loop: Loop[Any], best: Distances
) -> list[tuple[int, Distances]]:
    """How many rounds may come before the last pass, and what that pass may be then."""
    before = max(allowed.passes - 1, 0)
    if not allowed.body or before == 0 or loop.head in allowed.body:
        return [(before, best)]
    without = {
        node: [edge for edge in out if edge[0] not in allowed.body]
        for node, out in inside.items()
        if node not in allowed.body
    }
    return [(before, distances(without, loop.head, loop.head)), (before - 1, best)]


def walk(way: Way | None, times: int, visits: Counter[Any]) -> None:
    """Adds up what is on a way."""
    while way is not None:
        if way.node is not None:
            visits[way.node] += times * way.times
        elif way.times:
            walk(way.inner, times * way.times, visits)
        way = way.before
