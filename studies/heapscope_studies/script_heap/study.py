"""The study's own engine, recorded with its modules and plugins, on both of its heaps; its jobs'
time by the price of a node."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass

import numpy as np

from heapscope_studies.script_heap.cost import bands, per_call, share_missed
from heapscope_studies.script_heap.parts import BASE, NETWORK, TLS, Part, Recorded, read_parts
from heapscope_studies.script_heap.runs import PUBLISHED, WORKERS
from heapscope_studies.week import TURN, Actor, NativeWeek, TurnRows, Turns, WeekHeap

CROWD = "script_study_crowd"
RATES = (0, 2)  #: events a second that were recorded
JOBS = ("minute", "collection", "json", "cbor")
RECORDED = 8  #: minutes, each with its collection
ENCODERS = ("json", "json done", "cbor", "cbor done")
MINUTE = 60.0  #: seconds
ROUNDS = 3  #: how often the recorded minutes are played again between
_CROWD, _SCRIPT, _TLS, _NETWORK = range(4)

Actors = tuple[Recorded, ...]
#: Turns after the crowd: parts, each with its actor.
Plan = list[tuple[Part, int]]


ENDS = ("cached", "middle", "uncached")


@dataclass(frozen=True, kw_only=True)
class Priced:
    """A figure by the price of a node: all in the cache, as the model of the cache has them, and
    every node a line of external RAM. Cycles of an instruction are the middle ones in all three."""

    cached: float
    middle: float
    uncached: float


@dataclass(frozen=True, kw_only=True)
class Ran:
    """One recording on one heap. `parts`, `rows`: the script's, as played."""

    allocator: str
    parts: tuple[Part, ...]
    rows: TurnRows

    def mean(self, job: str, field: str) -> float:
        """Over all parts of a job: "minute 1", "minute 2" and so on, or the one "json"."""
        return float(np.mean([float(row[field]) for row in self._of(job)]))

    def free_blocks(self) -> float:
        """Those of its heap, before a minute and before a collection, in the mean."""
        return float(np.mean([row["free_blocks"][0] for job in JOBS[:2] for row in self._of(job)]))

    @property
    def failures(self) -> int:
        """In the jobs that are reported."""
        return int(sum(row["failures"] for job in JOBS for row in self._of(job)))

    def _of(self, job: str) -> list[np.void]:
        numbered = {f"{job} {number}" for number in range(1, RECORDED + 1)}
        return [
            row
            for part, row in zip(self.parts, self.rows, strict=True)
            if part.name == job or part.name in numbered
        ]

    def seconds(self, job: str) -> Priced:
        """The engine's instructions, and the heap's with its nodes."""
        shares = (0.0, share_missed(self.free_blocks(), 0.0), 1.0)
        ends = zip(ENDS, shares, strict=True)
        return Priced(**{end: self._cycles(job, missed) / _hertz() for end, missed in ends})

    def _cycles(self, job: str, missed: float) -> float:
        band, cost = bands()["middle"], per_call(_plain(self.allocator))
        assert cost is not None  # both of its heaps are lists
        frees = self.mean(job, "free_nodes")
        walked = self.mean(job, "nodes") - frees
        heap = (
            self.mean(job, "mallocs") * cost.malloc
            + self.mean(job, "frees") * cost.free
            + self.mean(job, "reallocs") * cost.realloc
            + walked * cost.node
            + frees * cost.free_node
        )
        engine = PUBLISHED["study"]["engine"][job]
        cycles: float = (engine + heap) * band.per_instruction
        return cycles + (walked + frees) * missed * band.read

    def share(self) -> Priced:
        """Percent of the processor: a minute's events and its collection."""
        parts = [self.seconds(job) for job in JOBS[:2]]
        return Priced(**{e: 100 * sum(getattr(p, e) for p in parts) / MINUTE for e in ENDS})


@dataclass(frozen=True, kw_only=True)
class Studied:
    """Both heaps, by events a second; and the shared one after what a device does between."""

    shared: Mapping[int, Ran]
    private: Mapping[int, Ran]
    between: Mapping[str, Ran]

    @property
    def reported(self) -> tuple[Ran, Ran]:
        """At the rate that was chosen."""
        rate = PUBLISHED["study"]["events_a_second"]
        return self.shared[rate], self.private[rate]


#: Events that a device may have between, before each round of minutes.
BETWEEN: Mapping[str, Mapping[str, bool]] = {
    "five TLS connections and their network": {"reconnects": True},
    "boot of engine and plugins again": {"reloads": True},
}
BOOT = 3  #: the parts of a boot: before the first mark, engine, boot


def study() -> Studied:
    """InputError: this installation lacks a trace."""
    with ExitStack() as stack:
        crowd, tls, network = (read_parts(name, stack) for name in (CROWD, TLS, NETWORK))
        scripts = {rate: read_parts(f"script_study_{rate}", stack) for rate in RATES}
        script = scripts[PUBLISHED["study"]["events_a_second"]]
        actors = (crowd, script, tls, network)
        jobs = [
            *(((crowd, one, tls, network), _straight(one)) for one in scripts.values()),
            *((actors, _between(actors, **what)) for what in BETWEEN.values()),
        ]
        with ThreadPoolExecutor(WORKERS) as pool:
            played = list(pool.map(lambda job: _shared(*job), jobs))
        return Studied(
            shared=dict(zip(RATES, played, strict=False)),
            private={rate: _private(one) for rate, one in scripts.items()},
            between=dict(zip(BETWEEN, played[len(RATES) :], strict=True)),
        )


def _private(script: Recorded) -> Ran:
    """All that was recorded, in its order."""
    reported = PUBLISHED["study"]
    heap = WeekHeap(
        allocator=reported["private"], size=PUBLISHED["published"]["heap_size"], base=BASE
    )
    actor = Actor(trace=script.steps, watched=script.mask("script"))
    with NativeWeek([actor], [heap]) as week:
        rows = week.play(_turns([(part, 0) for part in script.parts]))
    return Ran(allocator=reported["private"], parts=script.parts, rows=rows)


def _shared(actors: Actors, plan: Plan) -> Ran:
    """The crowd first. Where the script plays a part several times, the last one is reported."""
    reported = PUBLISHED["study"]
    heap = WeekHeap(allocator=reported["shared"], size=reported["shared_size"], base=BASE)
    players = [
        Actor(trace=actor.steps, watched=actor.mask("script") if number == _SCRIPT else 0)
        for number, actor in enumerate(actors)
    ]
    plan = [*((part, _CROWD) for part in actors[_CROWD].parts), *plan]
    with NativeWeek(players, [heap]) as week:
        rows = week.play(_turns(plan))
    last = {part.name: i for i, (part, actor) in enumerate(plan) if actor == _SCRIPT}
    places = sorted(last.values())
    return Ran(
        allocator=reported["shared"], parts=tuple(plan[i][0] for i in places), rows=rows[places]
    )


def _straight(script: Recorded) -> Plan:
    """The recorded order, without the two hours between the last minute and the encoders: they
    take a minute to walk here and leave no block behind."""
    return [(part, _SCRIPT) for part in (*_boot(script), *_minutes(script), *_encoders(script))]


def _between(actors: Actors, *, reconnects: bool = False, reloads: bool = False) -> Plan:
    """Boot and a day's history; then rounds of the recorded minutes, each after what is asked
    for."""
    script = actors[_SCRIPT]
    plan = [(part, _SCRIPT) for part in _boot(script)]
    for _ in range(ROUNDS):
        if reloads:
            plan += [(part, _SCRIPT) for part in script.parts[:BOOT]]
        if reconnects:
            for actor in (_TLS, _NETWORK):
                plan += [(part, actor) for part in actors[actor].parts]
        plan += [(part, _SCRIPT) for part in _minutes(script)]
    return [*plan, *((part, _SCRIPT) for part in _encoders(script))]


def _boot(script: Recorded) -> tuple[Part, ...]:
    at = next(i for i, part in enumerate(script.parts) if part.name == "minute 1")
    return script.parts[:at]


def _minutes(script: Recorded) -> tuple[Part, ...]:
    return tuple(p for p in script.parts if p.name.startswith(("minute ", "collection ")))


def _encoders(script: Recorded) -> tuple[Part, ...]:
    return tuple(p for p in script.parts if p.name in ENCODERS)


def _turns(plan: Plan) -> Turns:
    return np.array([(p.first, p.count, actor, 1) for p, actor in plan], dtype=TURN)


def _plain(allocator: str) -> str:
    """Its code was counted under this name: 3.3 has the list of 4.2, and the code of umm is the
    same for every unit."""
    name = allocator.partition("+")[0].partition(":")[0]
    return "idf-4.2" if name == "idf-3.3" else name


def _hertz() -> float:
    return float(PUBLISHED["chip"]["clock_mhz"]) * 1e6


def line_us(mhz: float) -> float:
    """A line of external RAM that the cache does not have, microseconds."""
    return float(sum(PUBLISHED["line_clocks"]["read"])) / mhz


def line_published_us() -> float:
    """The same from a published reading, its copying included."""
    return float(PUBLISHED["chip"]["line_bytes"]) / float(PUBLISHED["validation"]["mb_s"])
