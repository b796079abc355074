"""A system beside ESP-IDF: its allocators, and how a firmware of it tells its heap."""

from __future__ import annotations

import csv
import functools
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

from heapscope.base.choices import known

_FILES = resources.files("heapscope.data") / "systems"
_TABLES = ("reclaimed", "radio")  # of facts, and no systems


@dataclass(frozen=True, kw_only=True)
class System:
    """The keys are those of data/systems/README.md."""

    name: str
    title: str
    allocator: str
    candidates: Sequence[str]
    source: str
    sized: str
    config: bool = False
    libc: bool = False
    heap_symbols: Sequence[str] = ()
    heaps_max: int = 1
    lower: Sequence[str] = ()
    upper: Sequence[str] = ()
    to_end: bool = False
    stack: str = ""


@dataclass(frozen=True, kw_only=True)
class AllocatorCost:
    """The cost of an allocator beside its pool: bytes `outside`, the most instructions of a
    `malloc` and of a `free`, bytes of `code`, as RV32IMC. None: not known."""

    outside: int | None = None
    malloc: int | None = None
    free: int | None = None
    code: int | None = None


@functools.cache
def _data() -> Mapping[str, dict[str, Any]]:
    return tomllib.loads((_FILES / "systems.toml").read_text(encoding="utf-8"))


def system_names() -> tuple[str, ...]:
    return tuple(name for name in _data() if name not in _TABLES)


def find_system(name: str) -> System:
    """InputError lists all that are known."""
    match = known(str(name).strip().lower(), system_names(), noun="system")
    values = {_KEYS.get(key, key): value for key, value in _data()[match].items()}
    return System(name=match, **values)


_KEYS = {"from": "lower", "to": "upper"}


def reclaimed_memory(chip: str) -> tuple[int, int] | None:
    """Address and size of what esp-hal gives to nothing but a heap; None: not known."""
    start, size = _data()["reclaimed"].get(chip, (0, 0))
    return (start, size) if size else None


def radio_needs() -> Mapping[str, tuple[int, int]]:
    """The least and the most bytes that esp-radio holds, by its use."""
    return {use: (least, most) for use, (least, most) in _data()["radio"].items()}


@functools.cache
def _costs() -> Mapping[str, AllocatorCost]:
    text = (_FILES / "allocators.csv").read_text(encoding="utf-8")
    return {row["allocator"]: _cost(row) for row in csv.DictReader(text.splitlines())}


def _cost(row: Mapping[str, str]) -> AllocatorCost:
    figures = {key: int(row[key]) for key in ("outside", "malloc", "free", "code") if row[key]}
    return AllocatorCost(**figures)


def cost_of(allocator: str) -> AllocatorCost:
    """All of it is unknown where nothing was ever measured."""
    return _costs().get(allocator, AllocatorCost())
