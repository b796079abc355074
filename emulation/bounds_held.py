"""How long a function holds a lock at most, in instructions: from the first instruction of what
takes it to the last one of what gives it back.

Functions that take or give a lock, themselves or by what they call, are looked at as if they were
inlined. A branch around such a call is never taken: it is there for who has no lock.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from emulation.bounds import Bounds
from emulation.bounds_code import Block, Flow, Function
from emulation.bounds_paths import END, Allowed, CodeError, Loop, NoEndError, find_loops, longest
from emulation.bounds_source import line_of

__all__ = ["Held"]

DEEPEST = 4  #: a loop on whose way a lock is taken and not given back would go on for ever
#: The blocks whose calls led here, a block, and how many locks are held when it begins.
Node = tuple[tuple[int, ...], int, int]
Graph = dict[Node, list[tuple[Node | None, int]]]


class Held:
    """`takes`, `gives`: names of the functions; `hooks`: of the pointers to them."""

    def __init__(
        self,
        bounds: Bounds,
        takes: Sequence[str],
        gives: Sequence[str],
        hooks: tuple[str, str] = ("lock", "unlock"),
    ) -> None:
        self.bounds = bounds
        self.code = bounds.code
        self._takes, self._gives, self._hooks = frozenset(takes), frozenset(gives), hooks
        self._concerned: dict[int, bool] = {}
        self._functions: dict[tuple[int, ...], Function] = {}

    def of(self, name: str) -> int:
        """0: it takes no lock."""
        function = self.code.named(name)
        graph: Graph = {}
        starts: set[tuple[Node, int]] = set()
        self._functions = {(): function}
        self._expand(function.start, graph, starts)
        return max((self._longest(graph, node, cost) for node, cost in starts), default=0)

    # ---- which calls ----

    def _step(self, block: Block) -> int:
        """1: its call takes a lock; -1: gives one back; 0: neither."""
        if block.calls is not None:
            name = self.code.names.get(block.calls)
        elif block.by_register:
            hook = self.bounds.hook(block)
            return 1 if hook == self._hooks[0] else -1 if hook == self._hooks[1] else 0
        else:
            return 0
        return 1 if name in self._takes else -1 if name in self._gives else 0

    def _concerns(self, address: int) -> bool:
        """Does what a function calls take or give a lock?"""
        if address not in self._concerned:
            self._concerned[address] = False
            if self.code.names[address] not in self.bounds.never:
                function = self.code.at(address)
                self._concerned[address] = any(
                    self._step(block) != 0
                    or (block.calls is not None and self._concerns(block.calls))
                    for block in function.blocks.values()
                )
        return self._concerned[address]

    # ---- all ways, with the number of locks held ----

    def _successors(self, function: Function, block: Block) -> tuple[int, ...]:
        if block.instructions[-1].flow is Flow.BRANCH and self._asks(block):
            ways = {to: self._distance(function, to) for to in block.successors}
            return (min(ways, key=ways.__getitem__),)
        return block.successors

    def _asks(self, block: Block) -> bool:
        """Is it the branch that asks whether there is a lock?"""
        frame = self.bounds.lines.frames(block.instructions[-1].address)[0]
        line = line_of(frame.path, frame.line)
        return any(re.search(rf"\b{hook} != (NULL|0)\b", line) for hook in self._hooks)

    def _distance(self, function: Function, start: int) -> int:
        """Blocks until a call through a pointer that takes or gives a lock."""
        seen, ring = {start}, [start]
        for far in range(len(function.blocks)):
            blocks = [function.blocks[at] for at in ring]
            if any(one.by_register and self._step(one) != 0 for one in blocks):
                return far
            ring = [to for one in blocks for to in one.successors if to not in seen]
            seen.update(ring)
        return len(function.blocks)

    def _expand(self, start: int, graph: Graph, starts: set[tuple[Node, int]]) -> None:
        """`starts`: where it goes on with the first lock taken, and what taking it costs."""
        waiting: list[Node] = [((), start, 0)]
        while waiting:
            node = waiting.pop()
            if node in graph:
                continue
            graph[node] = []
            for to, cost, taking in self._edges(node):
                graph[node].append((to, cost))
                if to is not None:
                    waiting.append(to)
                    if taking is not None:
                        starts.add((to, taking))

    def _edges(self, node: Node) -> list[tuple[Node | None, int, int | None]]:
        """Where it leads, what that costs while a lock is held, and, where the first lock is taken,
        what that costs."""
        way, start, held = node
        function = self._functions[way]
        block = function.blocks[start]
        own = len(block.instructions)
        if block.calls is not None and self.code.names.get(block.calls) in self.bounds.never:
            return []
        step = self._step(block)
        if step != 0:
            after = max(held + step, 0)
            if after > DEEPEST:
                raise CodeError(f"{function.name}: locks are taken {after} deep on some way")
            cost = self._cost(block)
            taking = cost if held == 0 and step == 1 else None
            return [(to, own + cost, taking) for to in self._next(way, block, function, after)]
        if block.calls is not None and self._concerns(block.calls):
            inner = (*way, start)
            self._functions[inner] = self.code.at(block.calls)
            return [((inner, block.calls, held), own, None)]
        try:
            cost = own + self._cost(block)
        except NoEndError:  # what it calls does not come back
            return []
        return [(to, cost, None) for to in self._next(way, block, function, held)]

    def _cost(self, block: Block) -> int:
        callee = self.bounds.callee(block)
        return callee.instructions if callee is not None else 0

    def _next(
        self, way: tuple[int, ...], block: Block, function: Function, held: int
    ) -> list[Node | None]:
        nodes: list[Node | None] = []
        nodes += [(way, to, held) for to in self._successors(function, block)]
        if block.ends:
            nodes += self._returns(way, held)
        return nodes

    def _returns(self, way: tuple[int, ...], held: int) -> list[Node | None]:
        """Where a function goes on that was called by the last of these blocks."""
        while way:
            *before, start = way
            way = tuple(before)
            caller = self._functions[way].blocks[start]
            if not caller.ends:  # it was no call in place of a return
                return [(way, to, held) for to in caller.successors]
        return [END]

    # ---- the longest ----

    def _longest(self, graph: Graph, start: Node, cost: int) -> int:
        """From behind the call that takes the lock to behind the one that gives it back."""
        part: Graph = {}
        waiting = [start]
        while waiting:
            node = waiting.pop()
            if node in part:
                continue
            part[node] = []
            for to, price in graph[node]:
                on = to is not None and to[2] > 0
                part[node].append((to if on else END, price))
                if on and to is not None:
                    waiting.append(to)
        for loop in find_loops(start, part):
            for node in loop.nodes & self._apart_in(loop.head, part):
                callee = self._cost(self._functions[node[0]].blocks[node[1]])
                part[node] = [(to, price - callee) for to, price in part[node]]
        try:
            return cost + longest(start, part, self._allowed).cost
        except NoEndError:  # what is called then is never called
            return 0

    def _apart_in(self, head: Node, part: Graph) -> frozenset[Node]:
        """The blocks whose calls are counted in all by this loop (Allowed.extra)."""
        way, start, _ = head
        counted = self.bounds.counted_calls(self._functions[way])
        about = {at for at, (_, of) in counted.items() if of == start}
        return frozenset(
            node
            for node in part
            if node[0] == way
            and node[1] in about
            and not self._concerns_of(self._functions[way].blocks[node[1]])
        )

    def _concerns_of(self, block: Block) -> bool:
        return block.calls is not None and self._concerns(block.calls)

    def _allowed(self, loop: Loop[Node], around: Loop[Node] | None) -> Allowed:
        function, inner = self._as_of_function(loop)
        outer = None
        if around is not None and around.head[0] == loop.head[0]:
            outer = self._as_of_function(around)[1]
        allowed = self.bounds.allowed(function, inner, outer)
        way, _, held = loop.head
        return Allowed(
            allowed.passes,
            allowed.more,
            allowed.extra,
            frozenset((way, start, held) for start in allowed.body),
        )

    def _as_of_function(self, loop: Loop[Node]) -> tuple[Function, Loop[int]]:
        way = loop.head[0]
        nodes = frozenset(node[1] for node in loop.nodes if node[0] == way)
        own = frozenset(node[1] for node in loop.own if node[0] == way)
        return self._functions[way], Loop(loop.head[1], nodes, own)
