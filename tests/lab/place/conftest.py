"""Traces with tasks, sites and heaps by name, and rules for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from heapscope.base.capabilities import ALL, DEFAULT, EXEC, INTERNAL, WORD
from heapscope.memory.layout.layout import Layout, MallocRule, Region
from heapscope.memory.layout.place_file import read_placement
from heapscope.memory.layout.placement import Placement
from heapscope.native.events import NativeWriter, event_dtype
from heapscope.native.reader import NameTable
from heapscope.simulation.replay.run import replay
from heapscope.simulation.result.placement import RuleRow
from heapscope.simulation.result.result import ReplayResult

SITES = 4  # HS_TRACE_SITES
KINDS = {"malloc": 1, "calloc": 2, "aligned": 3, "realloc": 4, "free": 5, "failed": 6}

Event = dict[str, Any]  # kind and key, and what else of a row is not 0
Names = Mapping[str, Sequence[str]]


@dataclass(frozen=True, kw_only=True)
class Story:
    """Events with the names that their indices mean, by table: task, site, heap."""

    events: Sequence[Event]
    names: Names

    def write(self, path: Path) -> Path:
        rows = np.zeros(len(self.events), dtype=event_dtype())
        for row, event in zip(rows, self.events, strict=True):
            for field, value in event.items():
                row[field] = KINDS[value] if field == "kind" else value
            row["new_key"] = row["key"] if event["kind"] == "realloc" else row["new_key"]
        with NativeWriter(features=SITES) as writer:
            writer.events(rows)
            for table, names in self.names.items():  # after their first use, as the format allows
                for index, name in enumerate(names):
                    if name:
                        writer.name(NameTable[table.upper()], index, name.encode())
            writer.finish()
            path.write_bytes(b"".join(writer.take()))
        return path


def two_regions(*, first: int = 32768, second: int = 32768, allocator: str = "idf-5.5") -> Layout:
    """Byte memory "DRAM", of which malloc takes the first, then the second; and "IRAM" of words."""
    plain = (ALL & ~EXEC, 0, 0)
    regions = (
        Region(start=0x10000, size=first, kind="DRAM", caps=plain, allocator=allocator),
        Region(start=0x80000, size=second, kind="DRAM", caps=plain, allocator=allocator),
        Region(
            start=0x100000,
            size=16384,
            kind="IRAM",
            caps=(EXEC | WORD | INTERNAL, 0, 0),
            allocator=allocator,
        ),
    )
    return Layout(
        name="two", regions=regions, malloc=MallocRule(small=DEFAULT | INTERNAL), source="two"
    )


@dataclass(frozen=True)
class Placed:
    """A replay by rules."""

    result: ReplayResult

    def rule(self, number: int | None) -> RuleRow:
        return next(row for row in self.result.placement if row.rule == number)

    def blocks(self) -> dict[str, int]:
        """Blocks given, by the name of a region without its address, those of a kind together."""
        given: dict[str, int] = {}
        for row in self.result.regions:
            given[row.kind] = given.get(row.kind, 0) + row.allocations
        return {kind: count for kind, count in given.items() if count}


Place = Callable[..., Placed]
ReadRules = Callable[..., Placement]


@pytest.fixture
def rules(tmp_path: Path) -> ReadRules:
    """rules(TOML, layout=...): the rules of this text."""

    def read(text: str, layout: Layout | None = None) -> Placement:
        file = tmp_path / "rules.toml"
        file.write_text(text, encoding="utf-8")
        return read_placement(file, layout or two_regions())

    return read


@pytest.fixture
def place(tmp_path: Path, rules: ReadRules) -> Place:
    """place(TOML, events, layout=..., task=(...), site=(...), heap=(...))."""

    def run(
        text: str, events: Sequence[Event], layout: Layout | None = None, **names: Sequence[str]
    ) -> Placed:
        path = Story(events=events, names=names).write(tmp_path / "T.hst")
        used = layout or two_regions()
        return Placed(replay(path, used, placement=rules(text, used)))

    return run


def malloc(key: int, size: int, **more: Any) -> Event:
    return {"kind": "malloc", "key": key, "size": size, **more}


def free(key: int, **more: Any) -> Event:
    return {"kind": "free", "key": key, **more}


def realloc(key: int, size: int, **more: Any) -> Event:
    return {"kind": "realloc", "key": key, "size": size, **more}
