"""The study's own engine, recorded with its modules and plugins, on both of its heaps; and its jobs'
time by the price of a node."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass

import numpy as np

from heapscope_studies.script_heap.cost import BANDS, bands, per_call, share_missed
from heapscope_studies.script_heap.measures import Spread
from heapscope_studies.script_heap.parts import BASE, NETWORK, TLS, Part, Recorded, read_parts
from heapscope_studies.script_heap.runs import PUBLISHED
from heapscope_studies.week import TURN, Actor, NativeWeek, TurnRows, WeekHeap

CROWD = "script_study_crowd"
RATES = (0, 2)  #: events a second that were recorded
JOBS = ("minute", "collection", "json", "cbor")
MINUTE = 60.0  #: seconds
ROUNDS = 6  #: how often the recorded minutes are played again between
_CROWD, _SCRIPT, _TLS, _NETWORK = range(4)
Turn = tuple[int, int, int, int]


@dataclass(frozen=True, kw_only=True)
class Ran:
    """One recording on one heap. `parts`, `rows`: the script's, as played."""

    allocator: str
    parts: tuple[Part, ...]
    rows: TurnRows

    def mean(self, job: str, field: str) -> float:
        """Over all parts of a job: "minute 1", "minute 2" and so on, or the one "json"."""
        chosen = [row[field] for part, row in self._of(job) for row in [row]]
        return float(np.mean([float(value) for value in chosen]))

    def free_blocks(self) -> float:
        """Of its heap, before a minute and before a collection, in the mean."""
        chosen = [row["free_blocks"][0] for job in JOBS[:2] for _, row in self._of(job)]
        return float(np.mean(chosen))

    @property
    def failures(self) -> int:
        """In the jobs that are told; JSON by the module's own function fails on the device too."""
        return int(sum(row["failures"] for job in JOBS for _, row in self._of(job)))

    def _of(self, job: str) -> list[tuple[Part, np.void]]:
        return [
            (part, row)
            for part, row in zip(self.parts, self.rows, strict=True)
            if part.name == job or part.name.rpartition(" ")[0] == job
            if part.name != f"{job} done"
        ]

    def seconds(self, job: str) -> Spread:
        """The engine's instructions, and the heap's with its nodes."""
        return Spread(**{band: self._cycles(job, band) / _hertz() for band in BANDS})

    def _cycles(self, job: str, band: str) -> float:
        end, cost = bands()[band], per_call(_plain(self.allocator))
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
        missed = end.missed
        if missed is None:
            missed = share_missed(self.free_blocks(), 0.0)
        return (engine + heap) * end.per_instruction + (walked + frees) * missed * end.read

    def share(self) -> Spread:
        """Percent of the processor: a minute's events and its collection."""
        parts = [self.seconds(job) for job in JOBS[:2]]
        return Spread(**{b: 100 * sum(getattr(p, b) for p in parts) / MINUTE for b in BANDS})


@dataclass(frozen=True, kw_only=True)
class Studied:
    """Both heaps, by events a second; and the shared one after what a device does between."""

    shared: Mapping[int, Ran]
    private: Mapping[int, Ran]
    between: Mapping[str, Ran]

    @property
    def told(self) -> tuple[Ran, Ran]:
        """At the rate that was chosen."""
        rate = PUBLISHED["study"]["events_a_second"]
        return self.shared[rate], self.private[rate]


def study() -> Studied:
    """InputError: this installation lacks a trace."""
    with ExitStack() as stack:
        crowd, tls, network = (read_parts(name, stack) for name in (CROWD, TLS, NETWORK))
        scripts = {rate: read_parts(f"script_study_{rate}", stack) for rate in RATES}
        script = scripts[PUBLISHED["study"]["events_a_second"]]
        actors = (crowd, script, tls, network)
        return Studied(
            shared={
                rate: _shared((crowd, one, tls, network), _straight) for rate, one in scripts.items()
            },
            private={rate: _private(one) for rate, one in scripts.items()},
            between={name: _shared(actors, plan) for name, plan in BETWEEN.items()},
        )


def _private(script: Recorded) -> Ran:
    told = PUBLISHED["study"]
    heap = WeekHeap(
        allocator=told["private"], size=PUBLISHED["published"]["heap_size"], base=BASE
    )
    actor = Actor(trace=script.steps, watched=script.mask("script"))
    with NativeWeek([actor], [heap]) as week:
        rows = week.play(np.array([_turn(part, 0) for part in script.parts], dtype=TURN))
    return Ran(allocator=told["private"], parts=script.parts, rows=rows)


def _shared(actors: tuple[Recorded, ...], plan: Callable[..., tuple[list[Turn], list[Part]]]) -> Ran:
    """The crowd first; `plan` gives the turns after it, and the last of them that are told of."""
    told = PUBLISHED["study"]
    heap = WeekHeap(allocator=told["shared"], size=told["shared_size"], base=BASE)
    players = [
        Actor(trace=actor.steps, watched=actor.mask("script") if number == _SCRIPT else 0)
        for number, actor in enumerate(actors)
    ]
    turns, parts = plan(actors)
    turns = [*(_turn(part, _CROWD) for part in actors[_CROWD].parts), *turns]
    with NativeWeek(players, [heap]) as week:
        rows = week.play(np.array(turns, dtype=TURN))
    return Ran(allocator=told["shared"], parts=tuple(parts), rows=rows[-len(parts) :])


def _straight(actors: tuple[Recorded, ...]) -> tuple[list[Turn], list[Part]]:
    parts = list(actors[_SCRIPT].parts)
    return [_turn(part, _SCRIPT) for part in parts], parts


def _between(
    actors: tuple[Recorded, ...], *, reconnects: bool = False, reloads: bool = False
) -> tuple[list[Turn], list[Part]]:
    """Boot and a day's history; then rounds of the recorded minutes, each after what is asked for; the
    last round and the encoders are told of."""
    script = actors[_SCRIPT]
    at = next(i for i, part in enumerate(script.parts) if part.name == "minute 1")
    minutes = [p for p in script.parts if p.name.startswith(("minute ", "collection "))]
    encoders = [p for p in script.parts if p.name in ("json", "json done", "cbor", "cbor done")]
    turns = [_turn(part, _SCRIPT) for part in script.parts[:at]]
    for _ in range(ROUNDS):
        if reloads:
            turns += [_turn(part, _SCRIPT) for part in script.parts[:3]]
        for part in minutes:
            if reconnects and part.name.startswith("minute "):
                turns += [_turn(each, _TLS) for each in actors[_TLS].parts]
                turns += [_turn(each, _NETWORK) for each in actors[_NETWORK].parts]
            turns.append(_turn(part, _SCRIPT))
    last = [*minutes, *encoders]
    return [*turns, *(_turn(part, _SCRIPT) for part in encoders)], last


BETWEEN: Mapping[str, Callable[..., tuple[list[Turn], list[Part]]]] = {
    "minutes alone": lambda actors: _between(actors),
    "TLS reconnects each minute": lambda actors: _between(actors, reconnects=True),
    "reload of engine and plugins": lambda actors: _between(actors, reloads=True),
}


def _turn(part: Part, actor: int) -> Turn:
    return part.first, part.count, actor, 1


def _plain(allocator: str) -> str:
    """The list whose real code was counted: that of 3.3 is 4.2's, and a unit's size is none of it."""
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
