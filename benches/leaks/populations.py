"""Programs whose leaks are known, as traces: holders without a leak of four kinds, and leaks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from heapscope.answers.leaks.find import Leaks, find_leaks
from heapscope.answers.leaks.interval import interval
from heapscope.native.events import NativeWriter, event_dtype
from heapscope.native.reader import NameTable
from heapscope.trace.info import read_info

MALLOC, FREE = 1, 5  # hs_event_kind_t
NEVER = 2.0  # a time after the end; a program runs from 0 to 1
KINDS = ("birth-death", "bursts", "daily", "slow pools")

Floats = NDArray[np.float64]
Blocks = tuple[Floats, Floats]  # when each is born and freed
Random = np.random.Generator


def without_leak(kind: str, chance: Random) -> Blocks:
    """One holder of that kind, its figures drawn as well."""
    return {
        "birth-death": _birth_death,
        "bursts": _bursts,
        "daily": _daily,
        "slow pools": _slow,
    }[kind](chance)


def around(chance: Random, *, level: int, life: float, full: bool = True) -> Blocks:
    """Births at random, exponential lives; `full`: from the level on, else from nothing."""
    births = chance.uniform(0, 1, chance.poisson(level / life))
    start = np.zeros(chance.poisson(level) if full else 0)
    births = np.concatenate((start, births))
    return births, births + chance.exponential(life, len(births))


def _birth_death(chance: Random) -> Blocks:
    life = 10 ** chance.uniform(-2.5, -0.8)
    return around(chance, level=int(chance.integers(5, 80)), life=life, full=chance.random() < 0.5)


def _bursts(chance: Random) -> Blocks:
    """Many blocks within a moment, freed together or one by one."""
    number, blocks = chance.integers(3, 60), chance.integers(5, 60)
    begins = np.repeat(chance.uniform(0, 1, number), blocks)
    life = 10 ** chance.uniform(-3, -0.7)
    together = np.repeat(chance.exponential(life, number), blocks)
    single = chance.exponential(life, number * blocks)
    births = begins + chance.uniform(0, 0.003, number * blocks)
    return births, births + (together if chance.random() < 0.5 else single) + 0.003


def _daily(chance: Random) -> Blocks:
    """Births by the hour of the day, or a table that is emptied each night."""
    days, hour = chance.uniform(2, 20), chance.random()
    births = chance.uniform(0, 1, chance.integers(200, 2000))
    if chance.random() < 0.5:
        return births, (np.floor(births * days + hour) + 1 - hour) / days
    awake = chance.random(len(births)) < 0.5 + 0.5 * np.sin(2 * np.pi * (births * days + hour))
    births = births[awake]
    return births, births + chance.exponential(chance.uniform(0.02, 0.5) / days, len(births))


def _slow(chance: Random) -> Blocks:
    """Lives of the length of the recording and longer; pools that fill up; records of demand."""
    kind = chance.integers(4)
    if kind == 0:
        life = 10 ** chance.uniform(-0.7, 0.5)
        return around(chance, level=int(chance.integers(10, 300)), life=life, full=False)
    if kind == 1:
        life = 10 ** chance.uniform(-0.7, 0.5)
        return around(chance, level=int(chance.integers(10, 300)), life=life, full=True)
    number = int(chance.integers(10, 500))
    if kind == 2:
        births = chance.exponential(chance.uniform(0.05, 0.5), number)
    else:
        births = 10 ** chance.uniform(-3, 0, number // 5)
    return births, np.full(len(births), NEVER)


def cache(chance: Random, *, entries: int = 40, turns: int = 400) -> Blocks:
    """Filled first; then an entry at random makes place for a new one."""
    births = np.sort(chance.uniform(0, 1, entries + turns))
    births[:entries] /= 20
    freed = np.full(len(births), NEVER)
    held = list(range(entries))
    for new in range(entries, len(births)):
        place = int(chance.integers(entries))
        freed[held[place]] = births[new] + 1e-9
        held[place] = new
    return births, freed


def leaking(chance: Random, *, rounds: int, leaked: int) -> Blocks:
    """A block each round, freed within it; in `leaked` rounds of them, drawn at random, not."""
    births = (np.arange(rounds) + 0.25) / rounds
    freed = births + 0.5 / rounds
    freed[chance.choice(rounds, leaked, replace=False)] = NEVER
    return births, freed


def write(path: Path, holders: Mapping[str, Blocks], *, size: int = 32) -> None:
    """A trace of all holders, each a task of its own; ids in the order of births."""
    births = np.concatenate([born for born, _ in holders.values()])
    freed = np.concatenate([ends for _, ends in holders.values()])
    tasks = np.repeat(np.arange(len(holders)), [len(born) for born, _ in holders.values()])
    order = np.argsort(births, kind="stable")
    order = order[births[order] < 1]
    births, freed, tasks = births[order], freed[order], tasks[order]
    keys = np.arange(len(births))
    dead = freed < 1
    rows = np.zeros(len(births) + int(dead.sum()), dtype=event_dtype())
    rows["key"] = np.concatenate((keys, keys[dead]))
    rows["task"] = np.concatenate((tasks, tasks[dead]))
    rows["kind"] = np.repeat((MALLOC, FREE), (len(births), int(dead.sum())))
    rows["size"][: len(births)] = size
    rows = rows[np.argsort(np.concatenate((births, freed[dead])), kind="stable")]
    with NativeWriter() as writer:
        for index, name in enumerate(holders):
            writer.name(NameTable.TASK, index, name.encode())
        writer.events(rows)
        writer.finish()
        path.write_bytes(b"".join(writer.take()))


def leaks_of(path: Path) -> Leaks:
    return find_leaks(path, interval(read_info(path), start=None, end=None))


def called_leaks(path: Path) -> set[str]:
    return {row.task for row in leaks_of(path).holders if row.verdict == "leak"}
