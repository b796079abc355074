"""The file of rules that says an assignment, line by line (docs/reference/place.md)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from heapscope.answers.place.blocks import Array
from heapscope.answers.place.classes import BlockClass, Classes, Owner
from heapscope.answers.place.memories import FixedPool, PlaceTarget
from heapscope.memory.layout.layout import ADDRESS_END
from heapscope.memory.layout.placement import HIGH

SIZE_MAX = ADDRESS_END - 1


@dataclass(frozen=True, kw_only=True)
class PlaceRule:
    """One rule: the requests of `owner` from `least` to `most` bytes go to `target`. `private`:
    that is a private heap of so many bytes; `pool`: it is a pool of fixed blocks; else it is a
    region. `high`: instead of going anywhere, they take from the high end of a free block, and
    `target` is HIGH."""

    owner: Owner
    target: str
    least: int = 0
    most: int = SIZE_MAX
    private: int = 0
    high: bool = False
    pool: FixedPool | None = None

    @property
    def lines(self) -> tuple[str, ...]:
        return tuple(self._lines())

    def _lines(self) -> Iterator[str]:
        if self.private:
            yield from ("[[private]]", f"name = {_text(self.target)}", f"size = {self.private}", "")
        yield "[[rule]]"
        if self.owner.task is not None:
            yield f"task = {_text(self.owner.task)}"
        if self.owner.site is not None:
            yield f"site = {_text(self.owner.site)}"
        if self.owner.heap is not None:
            yield f"heap = {self.owner.heap}"
        if self.most == SIZE_MAX:
            if self.least:
                yield f"min = {self.least}"
        else:
            yield f"size = [{self.least}, {self.most}]"
        if self.high:
            yield 'end = "high"'
        elif self.pool is not None:
            yield f"pool = {_text(self.target)}"
        elif self.private:
            yield from (f"private = {_text(self.target)}", "fallback = true")
        else:
            yield f"region = {_text(self.target)}"


def sent(classes: Classes, targets: Sequence[PlaceTarget], moved: Array) -> tuple[PlaceRule, ...]:
    """The fewest rules that say it: neighbours of one owner that go to one target are one."""
    rules: list[PlaceRule] = []
    numbered = sorted(
        (number for number, row in enumerate(classes.rows) if not row.fixed),
        key=lambda number: (str(classes.rows[number].owner), classes.rows[number].least),
    )

    def place(number: int) -> tuple[Owner, int]:
        where = [index for index, there in enumerate(moved[number]) if there]
        return classes.rows[number].owner, where[0] if where else -1

    for (owner, where), group in groupby(numbered, key=place):
        rows: list[BlockClass] = [classes.rows[number] for number in group]
        if where >= 0:
            rules.append(
                PlaceRule(
                    owner=owner,
                    target=targets[where].name,
                    least=rows[0].least,
                    most=rows[-1].most,
                    pool=targets[where].pool,
                )
            )
    return tuple(rules)


def sent_high(classes: Classes, high: Array) -> tuple[PlaceRule, ...]:
    """The rules that give these classes the high end: neighbours of one owner are one."""
    end = PlaceTarget(name=HIGH, regions=(), weight=0, room=0, caps=0)
    rules = sent(classes, (end,), high.reshape(-1, 1))
    return tuple(replace(rule, high=True) for rule in rules)


def file_of(rules: Sequence[PlaceRule], before: str = "") -> str:
    """The text of the file. `before`: that of the user's own rules, which come first."""
    pools = dict.fromkeys(rule.pool for rule in rules if rule.pool is not None)
    parts = ["\n".join(_pool_lines(pool)) + "\n" for pool in pools]
    parts += ["\n".join(rule.lines) + "\n" for rule in rules]
    return "\n".join([*([before.rstrip("\n") + "\n"] if before else []), *parts])


def _pool_lines(pool: FixedPool) -> Iterator[str]:
    yield from ("[[pool]]", f"name = {_text(pool.name)}")
    yield from (f"block = {pool.block}", f"count = {pool.count}", f"alignment = {pool.alignment}")
    yield f"from = {_text(pool.source)}"


def _text(name: str) -> str:
    return json.dumps(name, ensure_ascii=False)  # a TOML basic string takes the same escapes
