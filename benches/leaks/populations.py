"""Programs whose leaks are known, as traces: holders without a leak of several kinds, and leaks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from heapscope.answers.leaks.find import Leaks, find_leaks
from heapscope.answers.leaks.interval import interval
from heapscope.answers.why.recording import CLOCK, SITES
from heapscope.native.events import NativeWriter, event_dtype
from heapscope.native.reader import NameTable
from heapscope.trace.info import read_info

MALLOC, FREE = 1, 5  # hs_event_kind_t
NEVER = 2.0  # a time after the end; a program runs from 0 to 1
KINDS = ("birth-death", "bursts", "daily", "slow pools", "filling", "phases")
TICKS = 1_000_000  # of the clock in a run

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
        "filling": _filling,
        "phases": _phases,
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


def _filling(chance: Random) -> Blocks:
    """Goes up to a level with a time constant of a tenth to twice the run: by new entries that
    become rare, by entries that live so long, or by texts, known ones of which are freed."""
    constant, number = 10 ** chance.uniform(-1, np.log10(2)), int(chance.integers(10, 1000))
    kind = chance.integers(3)
    if kind == 0:
        births = chance.exponential(constant, number)
        return births, np.full(number, NEVER)
    if kind == 1:
        return around(chance, level=number, life=constant, full=False)
    births = np.sort(chance.uniform(0, 1, number * int(chance.integers(3, 20))))
    known = np.exp(-births / constant)
    new = chance.uniform(0, 1, len(births)) < known * number / constant / len(births)
    return births, np.where(new, NEVER, births + 1e-5)


def _phases(chance: Random) -> Blocks:
    """Phases of work: each grows a table and frees it at its end, or holds what it has through the
    next one; the run may end within one."""
    number = int(chance.integers(3, 10))
    ends = (np.arange(number) + chance.uniform(0.7, 1.3, number)) / (number + 0.5)
    births = chance.uniform(0, 1, chance.integers(100, 2000))
    phase = np.searchsorted(ends, births)
    ends = np.append(ends, (NEVER, NEVER))
    busy = chance.random(number + 1) < 0.7
    busy[chance.integers(number + 1)] = True
    births, phase = births[busy[phase]], phase[busy[phase]]
    return births, ends[np.minimum(phase + int(chance.integers(2)), number)]


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


def requests(chance: Random, *, number: int, every: int) -> dict[str, Blocks]:
    """Some requests in a long run, each with blocks of its own; one in `every` forgets one."""
    at = np.sort(chance.uniform(0, 1, number))
    own = np.repeat(at, 6) + np.tile(np.arange(6) * 1e-7, number)
    forgets = np.arange(number) % every == every // 2
    session = at + 1e-6
    return {
        "http/request": (own, np.repeat(at, 6) + 5e-6),
        "http/session": (session, np.where(forgets, NEVER, session + 5e-6)),
    }


def busy_start(chance: Random, *, events: int) -> dict[str, Blocks]:
    """Another task's start-up, in which nearly all events are; some of it stays."""
    births = np.sort(chance.uniform(0, 0.001, events))
    freed = births + 1e-6
    freed[:: max(1, events // 50)] = NEVER
    return {"init/boot": (births, freed)}


def scheduled(chance: Random, threads: Mapping[str, Blocks]) -> dict[str, Blocks]:
    """The same threads by another scheduler: each begins and goes on as it lets them, and does
    what it does in the same order."""
    return {name: _at_other_times(chance, blocks) for name, blocks in threads.items()}


def _at_other_times(chance: Random, blocks: Blocks) -> Blocks:
    steps = chance.gamma(0.5, 1, 40)
    first, last = chance.uniform(0, 0.2), chance.uniform(0.3, 1)
    times = first + (last - first) * np.append(0, np.cumsum(steps)) / steps.sum()
    births, freed = (np.interp(part, np.linspace(0, 1, 41), times) for part in blocks)
    return births, np.where(blocks[1] < 1, freed, NEVER)


def write(
    path: Path, holders: Mapping[str, Blocks], *, size: int = 32, clock: bool = False
) -> None:
    """A trace of all holders, each a task of its own, or TASK/SITE; ids in the order of births."""
    births = np.concatenate([born for born, _ in holders.values()])
    freed = np.concatenate([ends for _, ends in holders.values()])
    owners = np.repeat(np.arange(len(holders)), [len(born) for born, _ in holders.values()])
    order = np.argsort(births, kind="stable")
    order = order[births[order] < 1]
    births, freed, owners = births[order], freed[order], owners[order]
    keys = np.arange(len(births))
    dead = freed < 1
    of = [name.partition("/")[0] for name in holders]
    tasks = list(dict.fromkeys(of))
    task_of = np.array([tasks.index(task) for task in of])
    rows = np.zeros(len(births) + int(dead.sum()), dtype=event_dtype())
    rows["key"] = np.concatenate((keys, keys[dead]))
    rows["task"] = task_of[np.concatenate((owners, owners[dead]))]
    rows["site"] = np.concatenate((owners + 1, owners[dead] + 1))
    rows["kind"] = np.repeat((MALLOC, FREE), (len(births), int(dead.sum())))
    rows["size"][: len(births)] = size
    times = np.concatenate((births, freed[dead]))
    if clock:
        rows["time"] = times * TICKS
    rows = rows[np.argsort(times, kind="stable")]
    with NativeWriter(features=SITES | CLOCK * clock) as writer:
        if clock:
            writer.metadata("clock_hz", "1000")
        for index, name in enumerate(tasks):
            writer.name(NameTable.TASK, index, name.encode())
        for index, name in enumerate(holders):
            writer.name(NameTable.SITE, index + 1, name.encode())
        writer.events(rows)
        writer.finish()
        path.write_bytes(b"".join(writer.take()))


def leaks_of(path: Path) -> Leaks:
    return find_leaks(path, interval(read_info(path), start=None, end=None))


def verdicts_of(path: Path) -> dict[str, str]:
    """By the names of `write`."""
    return {row.site: row.verdict for row in leaks_of(path).holders}


def called_leaks(path: Path) -> set[str]:
    return {name for name, verdict in verdicts_of(path).items() if verdict == "leak"}
