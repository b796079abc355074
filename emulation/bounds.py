"""Bounds of what a function executes, in instructions, derived from its machine code.

All ways through the code are looked at, whether data would lead there or not; a loop is passed as
often as its statement in the source allows (bounds_source). What cannot be bounded is refused:
CodeError says which loop has no statement, or which call goes where nothing is known of.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from emulation.bounds_code import Block, Code, CodeError, Flow, Function
from emulation.bounds_lines import Frame, Lines
from emulation.bounds_paths import END, Edges, Loop, longest
from emulation.bounds_source import SourceLoop, evaluate, line_of, loop_around, stated

__all__ = ["Bound", "Bounds", "Limit"]

MEMBER_CALL = re.compile(r"(?:->|\.)(\w+)\(|\b(\w+)\(")


@dataclass(frozen=True)
class Bound:
    """`visits`: instructions of the longest way and how often each is executed."""

    instructions: int
    visits: Mapping[int, int] = field(repr=False)


@dataclass(frozen=True)
class Limit:
    """How often a loop of the machine code is passed at most, per entry, and by which loop of the
    source."""

    passes: int
    source: SourceLoop


class Bounds:
    """Of one image. `meaning`: the numbers that names in statements stand for. `hooks`: the
    functions that a call through a pointer of that name may lead to; of none: what it executes is
    not counted. `apart`: functions that are not counted either. `never`: functions that are not
    called, and so no way leads through a call of them."""

    def __init__(
        self,
        image: Path,
        *,
        meaning: Mapping[str, int] | None = None,
        hooks: Mapping[str, Sequence[str]] | None = None,
        apart: Sequence[str] = (),
        never: Sequence[str] = (),
    ) -> None:
        self.code = Code(image)
        self.lines = Lines(image)
        self.meaning = dict(meaning or {})
        self.hooks = dict(hooks or {})
        self.apart = frozenset(apart)
        self.never = frozenset(never)
        self._bounds: dict[int, Bound] = {}
        self._under_way: list[int] = []

    def of(self, name: str) -> Bound:
        return self.at(self.code.named(name).start)

    def at(self, address: int) -> Bound:
        """CodeError: there is none."""
        if address not in self._bounds:
            if address in self._under_way:
                raise CodeError(f"{self.code.names[address]} calls itself")
            self._under_way.append(address)
            try:
                self._bounds[address] = self._derive(self.code.at(address))
            finally:
                self._under_way.pop()
        return self._bounds[address]

    def _derive(self, function: Function) -> Bound:
        edges = self.edges(function)
        try:
            path = longest(
                function.start, edges, lambda loop, around: self._passes(function, loop, around)
            )
        except CodeError as error:
            raise CodeError(f"{function.name}: {error}") from None
        visits: Counter[int] = Counter()
        for start, times in path.visits.items():
            for one in function.blocks[start].instructions:
                visits[one.address] += times
            callee = self.callee(function.blocks[start])
            for address, count in callee.visits.items() if callee is not None else ():
                visits[address] += times * count
        return Bound(path.cost, visits)

    def edges(self, function: Function) -> Edges[int]:
        """Of its blocks, each with what it executes and calls."""
        made: dict[int, list[tuple[int | None, int]]] = {}
        for start, block in function.blocks.items():
            if block.calls is not None and self.code.names.get(block.calls) in self.never:
                made[start] = []
                continue
            callee = self.callee(block)
            cost = len(block.instructions) + (callee.instructions if callee is not None else 0)
            made[start] = [(to, cost) for to in block.successors]
            if block.ends:
                made[start].append((END, cost))
        return made

    # ---- calls ----

    def callee(self, block: Block) -> Bound | None:
        """The longest of what its last instruction may call; None: it calls nothing that counts."""
        found = [self.at(address) for address in self.targets(block)]
        return max(found, key=lambda bound: bound.instructions, default=None)

    def targets(self, block: Block) -> list[int]:
        if block.calls is not None:
            return [] if self.code.names.get(block.calls) in self.apart else [block.calls]
        if not block.by_register:
            return []
        names = self.hooks[self.hook(block)]
        return [self.code.named(name).start for name in names]

    def hook(self, block: Block) -> str:
        """The name of the pointer that a call goes through."""
        address = block.instructions[-1].address
        frames = self.lines.frames(address)
        for frame in frames[:1]:
            said = line_of(frame.path, frame.line) + line_of(frame.path, frame.line + 1)
            for match in MEMBER_CALL.finditer(said):
                name = match[1] or match[2]
                if name in self.hooks:
                    return name
        raise CodeError(f"{where(frames, address)}: a call of what a register says")

    # ---- loops ----

    def _passes(
        self, function: Function, loop: Loop[int], around: Loop[int] | None
    ) -> tuple[int, int]:
        limit = self.limit(function, loop)
        if limit.source.in_all and around is not None:
            outer = self.limit(function, around).source
            if outer.path == limit.source.path and outer.first < limit.source.first < outer.last:
                return 1, limit.passes - 1
        return limit.passes, 0

    def limit(self, function: Function, loop: Loop[int]) -> Limit:
        """The largest of what the source loops allow that the loop's instructions are of."""
        found: dict[SourceLoop, Limit] = {}
        for start in loop.own:
            for one in function.blocks[start].instructions:
                frames = self.lines.frames(one.address)
                for level, frame in enumerate(frames):
                    source = loop_around(frame.path, frame.line)
                    if source is not None:
                        if source not in found:
                            body = self._in_body(function.blocks[loop.head], source)
                            times = self._times(source, frames[level:], one.address)
                            extra = 0 if source.repeats or body else 1
                            found[source] = Limit(max(times + extra, 1), source)
                        break
        if not found:
            frames = self.lines.frames(loop.head)
            raise CodeError(f"{where(frames, loop.head)}: a loop that is none in the source")
        return max(found.values(), key=lambda limit: limit.passes)

    def _in_body(self, head: Block, source: SourceLoop) -> bool:
        """Does the loop's first block belong to the body? The compiler then tests at the end. An
        access of memory or a call is not moved there from elsewhere."""
        for one in head.instructions:
            if one.touches_memory or one.flow in (Flow.CALL, Flow.CALL_BY_REGISTER):
                for frame in self.lines.frames(one.address):
                    if loop_around(frame.path, frame.line) == source:
                        return frame.line > source.head
        return False

    def _times(self, source: SourceLoop, frames: Sequence[Frame], address: int) -> int:
        if not source.bound:
            raise CodeError(f"{source}: no bound is stated beside this loop")
        unit = self.lines.unit(address)

        def meaning(name: str) -> int:
            for frame in frames[1:]:
                said = stated(frame.path, frame.line, frame.line, name)
                if said:
                    return evaluate(said, unit, meaning)
            if name not in self.meaning:
                raise CodeError(f"{source}: nobody says what {name} is")
            return self.meaning[name]

        return evaluate(source.bound, unit, meaning)


def where(frames: Sequence[Frame], address: int) -> str:
    return f"{frames[0].path.name}:{frames[0].line}" if frames else f"{address:#x}"
