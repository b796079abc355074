"""Bounds of what a function executes, in instructions, derived from its machine code.

All ways through the code are looked at, whether data would lead there or not; a loop is passed as
often as its statement in the source allows (bounds_source). Whatever cannot be bounded is
refused: CodeError says which loop has no statement, or which call goes where nothing is known of.
"""

from __future__ import annotations

import fnmatch
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from emulation.bounds_code import Block, Code, CodeError, Flow, Function
from emulation.bounds_lines import Frame, Lines
from emulation.bounds_paths import END, Allowed, Edges, Loop, NoEndError, longest
from emulation.bounds_source import (
    SourceLoop,
    evaluate,
    line_of,
    loops_around,
    names_stated,
    stated,
)

__all__ = ["Bound", "Bounds", "Limit"]

MEMBER_CALL = re.compile(r"(?:->|\.)(\w+)\(|\b(\w+)\(")
OF_BYTES = (
    "memcpy",
    "memmove",
    "memset",
)  #: the compiler calls them; the third argument is `count`
NONE: Mapping[str, int] = {}


@dataclass(frozen=True)
class Bound:
    """`visits`: instructions of the longest way and how often each is executed."""

    instructions: int
    visits: Mapping[int, int] = field(repr=False)


@dataclass(frozen=True)
class Limit:
    """How often a loop of the machine code is passed at most, per entry; how many rounds more it
    makes at most while the loop around it goes on; and which loop of the source it seems to be."""

    passes: int
    more: int
    source: SourceLoop | None
    tests_first: bool = False  # the last pass is one of the head alone


class Bounds:
    """The bounds of one image's functions. `meaning`: the numbers that names in statements stand
    for. `hooks`: the functions that a call through a pointer of that name may lead to; of none:
    what it executes is not counted. `never`: functions that are not called, and so no way leads
    through a call of them."""

    def __init__(
        self,
        image: Path,
        *,
        meaning: Mapping[str, int] | None = None,
        hooks: Mapping[str, Sequence[str]] | None = None,
        never: Sequence[str] = (),
    ) -> None:
        self.code, self.lines = _read(image)
        self.meaning = dict(meaning or {})
        self.hooks = dict(hooks or {})
        every = self.code.names.values()
        self.never = frozenset(name for one in never for name in fnmatch.filter(every, one))
        self._bounds: dict[tuple[int, frozenset[tuple[str, int]]], Bound] = {}
        self._counted: dict[tuple[int, frozenset[tuple[str, int]]], dict[int, tuple[int, int]]] = {}
        self._under_way: list[int] = []

    def of(self, name: str) -> Bound:
        return self.at(self.code.named(name).start)

    def bounded(self) -> list[Function]:
        """Those whose bounds were derived."""
        return [self.code.at(address) for address in dict.fromkeys(at for at, _ in self._bounds)]

    def at(self, address: int, text: Mapping[str, int] = NONE) -> Bound:
        """`text`: what names mean that the function's loops leave to the caller. CodeError: there
        is no bound."""
        key = (address, frozenset(text.items()))
        if key not in self._bounds:
            if address in self._under_way:
                raise CodeError(f"{self.code.names[address]} calls itself")
            self._under_way.append(address)
            try:
                self._bounds[key] = self._derive(self.code.at(address), text)
            finally:
                self._under_way.pop()
        return self._bounds[key]

    def _derive(self, function: Function, text: Mapping[str, int]) -> Bound:
        apart = self.counted_calls(function, text)
        edges = self.edges(function, text, apart)
        try:
            path = longest(
                function.start,
                edges,
                lambda loop, around: self.allowed(function, loop, around, text),
            )
        except CodeError as error:
            raise type(error)(f"{function.name}: {error}") from None
        visits: Counter[int] = Counter()
        for node, times in path.visits.items():
            start = node[1] if isinstance(node, tuple) else node
            if not isinstance(node, tuple):
                for one in function.blocks[start].instructions:
                    visits[one.address] += times
                if start in apart:
                    continue
            callee = self.callee(function.blocks[start], text)
            for address, count in callee.visits.items() if callee is not None else ():
                visits[address] += times * count
        return Bound(path.cost, visits)

    def allowed(
        self,
        function: Function,
        loop: Loop[int],
        around: Loop[int] | None,
        text: Mapping[str, int] = NONE,
    ) -> Allowed:
        limit = self.limit(function, loop, text)
        passes, more = limit.passes + limit.more, 0
        if limit.more and limit.source is not None and around is not None:
            outer = self.limit(function, around, text).source
            if outer in loops_around(limit.source.path, limit.source.first):
                passes, more = limit.passes, limit.more
        extra = tuple(
            (times, self._callee_cost(function.blocks[start], text), ("calls", start))
            for start, (times, head) in self.counted_calls(function, text).items()
            if head == loop.head
        )
        body = frozenset(
            start
            for start in (loop.nodes if limit.tests_first and limit.source else ())
            if self._in_body(function.blocks[start], limit.source)
        )
        return Allowed(passes, more, extra, body)

    def edges(
        self,
        function: Function,
        text: Mapping[str, int] = NONE,
        apart: Mapping[int, tuple[int, int]] = NONE,  # type: ignore[assignment]
    ) -> Edges[int]:
        """The edges of its blocks, each with what it executes and calls; the calls of those
        `apart` are left out."""
        built: dict[int, list[tuple[int | None, int]]] = {}
        for start, block in function.blocks.items():
            if block.calls is not None and self.code.names.get(block.calls) in self.never:
                built[start] = []
                continue
            cost = len(block.instructions)
            try:
                cost += self._callee_cost(block, text) if start not in apart else 0
            except NoEndError:  # what it calls does not come back
                built[start] = []
                continue
            built[start] = [(to, cost) for to in block.successors]
            if block.ends:
                built[start].append((END, cost))
        return built

    # ---- calls ----

    def _callee_cost(self, block: Block, text: Mapping[str, int]) -> int:
        callee = self.callee(block, text)
        return callee.instructions if callee is not None else 0

    def callee(self, block: Block, text: Mapping[str, int] = NONE) -> Bound | None:
        """The longest of what its last instruction may call; None: it calls nothing that counts."""
        targets = self.targets(block)
        if not targets:
            return None
        frames = self.lines.frames(block.instructions[-1].address)
        reported: dict[str, int] = {}
        if frames and frames[0].line:
            unit = self.lines.unit(block.instructions[-1].address)
            for name, expression in names_stated(frames[0].path, frames[0].line).items():
                reported[name] = evaluate(expression, unit, self._meaning(frames, 0, unit, text))
        if block.calls is not None and self.code.names.get(block.calls) in OF_BYTES:
            count = block.third_argument()
            if count is not None:
                reported["count"] = count
        results = [self.at(address, reported) for address in targets]
        return max(results, key=lambda bound: bound.instructions)

    def targets(self, block: Block) -> list[int]:
        if block.calls is not None:
            return [block.calls]
        if not block.by_register:
            return []
        names = self.hooks[self.hook(block)]
        return [self.code.named(name).start for name in names]

    def hook(self, block: Block) -> str:
        """The name of the pointer that a call goes through."""
        address = block.instructions[-1].address
        frames = self.lines.frames(address)
        for frame in frames[:1]:
            text = line_of(frame.path, frame.line) + line_of(frame.path, frame.line + 1)
            for match in MEMBER_CALL.finditer(text):
                name = match[1] or match[2]
                if name in self.hooks:
                    return name
        raise CodeError(f"{where(frames, address)}: a call of what a register says")

    def counted_calls(
        self, function: Function, message: Mapping[str, int] = NONE
    ) -> Mapping[int, tuple[int, int]]:
        """Blocks in loops whose call, or the inlined one that it is part of, is made a stated
        number of times in all: how often, and the head of the outermost loop that the statement is
        about."""
        key = (function.start, frozenset(message.items()))
        if key in self._counted:
            return self._counted[key]
        built = self._counted[key] = {}
        loops: list[Loop[int]] | None = None
        for start, block in function.blocks.items():
            if block.calls is None or self.code.names.get(block.calls) in self.never:
                continue
            address = block.instructions[-1].address
            frames = self.lines.frames(address)
            results = ((at, stated(f.path, f.line, f.line, "calls")) for at, f in enumerate(frames))
            level, text = next((one for one in results if one[1]), (0, ""))
            if not text:
                continue
            if loops is None:
                loops = function.loops()
            about = loops_around(frames[level].path, frames[level].line)
            head = None
            for loop in loops:  # the innermost first
                if start in loop.nodes:
                    if self.limit(function, loop, message).source not in about:
                        break
                    head = loop.head
            if head is not None:
                unit = self.lines.unit(address)
                times = evaluate(text, unit, self._meaning(frames, level, unit, message))
                built[start] = (times, head)
        return built

    # ---- loops ----

    def source(self, function: Function, loop: Loop[int]) -> SourceLoop | None:
        """Which loop of the source it seems to be."""
        result, covers, known = self._of_source(function, loop)
        return next((one for one in covering(covers, 0.9 * known) if one in result), None)

    def limit(self, function: Function, loop: Loop[int], text: Mapping[str, int] = NONE) -> Limit:
        """It is that of the innermost source loop that has nearly all of its instructions. Where
        another one inside has many of them, too, it is not certain which it is: then it is
        the largest that any of these source loops allows."""
        result, covers, known = self._of_source(function, loop)
        if not result:
            frames = self.lines.frames(loop.head)
            raise CodeError(f"{where(frames, loop.head)}: not a loop in the source")
        limits = {
            source: max(
                (self._limit(function, loop, source, at, level, text) for at, level in places),
                key=lambda limit: limit.passes + limit.more,
            )
            for source, places in result.items()
        }
        seems = next((one for one in covering(covers, 0.9 * known) if one in result), None)
        if seems is not None and seems == covering(covers, 0.5 * known)[0]:
            return limits[seems]
        return Limit(max(limit.passes + limit.more for limit in limits.values()), 0, seems)

    def _of_source(
        self, function: Function, loop: Loop[int]
    ) -> tuple[dict[SourceLoop, set[tuple[int, int]]], dict[SourceLoop, tuple[int, int]], int]:
        """The innermost source loops of its instructions, with these and the number of the frame;
        how many instructions each loop around them has and how deep it is; and how many have a
        line."""
        result: dict[SourceLoop, set[tuple[int, int]]] = {}
        covers: dict[SourceLoop, tuple[int, int]] = {}
        known = 0
        for start in loop.own:
            for one in function.blocks[start].instructions:
                frames = self.lines.frames(one.address)
                around = [
                    (level, source)
                    for level, frame in enumerate(frames)
                    for source in loops_around(frame.path, frame.line)
                ]
                if around:
                    result.setdefault(around[0][1], set()).add((one.address, around[0][0]))
                if frames[0].line:
                    known += 1
                    for depth, (_, source) in enumerate(reversed(around)):
                        count, deepest = covers.get(source, (0, 0))
                        covers[source] = (count + 1, max(deepest, depth))
        return result, covers, known

    def _in_body(self, block: Block, source: SourceLoop) -> bool:
        """Does the block belong to the loop's body for sure? An access of memory or a call is not
        moved there from elsewhere. Where it is the first, the compiler tests at the end."""
        for one in block.instructions:
            if one.touches_memory or one.flow in (Flow.CALL, Flow.CALL_BY_REGISTER):
                for frame in self.lines.frames(one.address):
                    if source in loops_around(frame.path, frame.line):
                        return frame.line > source.head
        return False

    def _limit(
        self,
        function: Function,
        loop: Loop[int],
        source: SourceLoop,
        address: int,
        level: int,
        text: Mapping[str, int],
    ) -> Limit:
        if not source.bound:
            raise CodeError(f"{source}: no bound is stated beside this loop")
        unit = self.lines.unit(address)
        meaning = self._meaning(self.lines.frames(address), level, unit, text)
        times = evaluate(source.bound, unit, meaning)
        more = evaluate(source.more, unit, meaning) if source.more else 0
        first = not source.repeats and not self._in_body(function.blocks[loop.head], source)
        return Limit(max(times + first, 1), more, source, tests_first=first)

    def _meaning(
        self, frames: Sequence[Frame], level: int, unit: Path, text: Mapping[str, int]
    ) -> _Meaning:
        return _Meaning(self, frames, level, unit, text)


@dataclass(frozen=True)
class _Meaning:
    """The meaning of a name in the function of frames[level]: its caller states it, or it is
    given to the analysis."""

    bounds: Bounds
    frames: Sequence[Frame]
    level: int
    unit: Path
    stated: Mapping[str, int]

    def __call__(self, name: str) -> int:
        at = self.level + 1
        if at < len(self.frames):
            caller = self.frames[at]
            text = stated(caller.path, caller.line, caller.line, name)
            if text:
                above = _Meaning(self.bounds, self.frames, at, self.unit, self.stated)
                return evaluate(text, self.unit, above)
        elif name in self.stated:
            return self.stated[name]
        if name not in self.bounds.meaning:
            raise CodeError(f"{where(self.frames[self.level :], 0)}: nobody says what {name} is")
        return self.bounds.meaning[name]


def covering(covers: Mapping[SourceLoop, tuple[int, int]], least: float) -> list[SourceLoop]:
    """The loops that so many instructions are of, the innermost first. All are of the true one, but
    for a few that the compiler moved."""
    results = [(depth, loop) for loop, (count, depth) in covers.items() if count >= least]
    return [loop for _, loop in sorted(results, key=lambda one: -one[0])]


@cache
def _read(image: Path) -> tuple[Code, Lines]:
    return Code(image), Lines(image)


def where(frames: Sequence[Frame], address: int) -> str:
    return f"{frames[0].path.name}:{frames[0].line}" if frames else f"{address:#x}"
