"""Plays the steady part of a trace again and again, until a request fails or the time is over."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from os import cpu_count
from threading import Event

from heapscope.answers.leaks.reading import what_stays
from heapscope.answers.lifetime.ended import Ended, Owners
from heapscope.answers.lifetime.growth import growth_of, verdicts_of
from heapscope.answers.lifetime.period import rounds_in
from heapscope.answers.lifetime.result import (
    Lifetime,
    LifetimeGrowth,
    LifetimeHolder,
    LifetimeRun,
)
from heapscope.answers.lifetime.stretch import SteadyPart
from heapscope.answers.why.holding import held_by
from heapscope.base.printable import printable
from heapscope.base.progress import Phase
from heapscope.base.request import Request
from heapscope.memory.layout.layout import Layout
from heapscope.native.config import NativeConfig
from heapscope.native.cycle import NativeCycle, play_rounds
from heapscope.native.live import live_blocks
from heapscope.native.moment import stop_before
from heapscope.native.reader import NativeReader
from heapscope.simulation.jitter.runs import Jitter, PerturbedRuns
from heapscope.simulation.jitter.share import share
from heapscope.simulation.replay.clock import clock_rate
from heapscope.simulation.replay.labels import Labels
from heapscope.simulation.replay.run import replay_reader

_STEP = 2_000_000  # events between two looks at whether to go on

Push = Callable[[NativeReader], None]


@dataclass(frozen=True, kw_only=True)
class OngoingProgram:
    """A program that goes on. `push`: gives a reader its trace, which has so many heap events and
    none missing."""

    trace: str
    push: Push
    events: int
    stretch: SteadyPart
    layout: Layout
    config: NativeConfig
    needs: Sequence[Request]


def lifetime(program: OngoingProgram, jitter: Jitter, time: str, progress: Phase) -> Lifetime:
    """`time`: as rounds_in() takes it. InputError: it is something else, or events are
    missing in the trace."""
    stretch = program.stretch
    stays = what_stays(program.push, program.events)
    with (
        NativeCycle(stretch.first, stretch.stop) as cycle,
        PerturbedRuns(program.push, jitter) as runs,
    ):
        with NativeReader() as reader:
            cycle.learn_from(reader)
            program.push(reader)
            cycle.learnt()
            hz, labels = clock_rate(reader), Labels(reader)
        growth = tuple(growth_of(cycle, stays))
        for row in growth:
            if row.until is not None:
                cycle.keeps_level(*row.owner, since=row.until + 1)
        with NativeReader() as reader:
            stop_before(reader, stretch.stop)
            program.push(reader)
            owners = Owners(live_blocks(reader), cycle.births())
        player = _Player(program, cycle, runs, hz=hz, time=time, progress=progress)
        ended = player.play_all()
        first = min(
            (one for one in ended if one.request is not None),
            key=lambda one: (one.rounds, one.number),
            default=None,
        )
        names = {owner: (labels.task(owner[0]), labels.site(owner[1])) for owner in owners.all()}
        return Lifetime(
            trace=printable(program.trace, limit=400),
            layout=program.layout.name,
            first_event=stretch.first,
            last_event=stretch.stop,
            stretch=stretch.why,
            period=player.period,
            limit=player.limit,
            seconds=None if player.period is None else player.limit * player.period,
            lives=share(sum(one.request is None for one in ended), len(ended)),
            free=ended[0].free_before,
            runs=tuple(_run(one, labels, hz) for one in ended),
            growth=tuple(
                LifetimeGrowth(
                    task=labels.task(row.owner[0]),
                    site=labels.site(row.owner[1]),
                    blocks=row.blocks,
                    bytes=row.bytes,
                    verdict=row.verdict,
                    until=row.until,
                )
                for row in growth
            ),
            holders=()
            if first is None
            else tuple(
                LifetimeHolder(
                    task=one.task, site=one.site, blocks=one.blocks, live=one.live, hole=one.hole
                )
                for one in held_by(first.pieces, owners, names, verdicts_of(stays))
            ),
            varied=runs.varied,
        )


class _Player:
    """Plays all runs, several at once."""

    def __init__(
        self,
        program: OngoingProgram,
        cycle: NativeCycle,
        runs: PerturbedRuns,
        *,
        hz: int | None,
        time: str,
        progress: Phase,
    ) -> None:
        self._program, self._cycle, self._runs = program, cycle, runs
        self._progress, self._played, self._stop = progress, 0, Event()
        with self._reader(0) as reader:
            played = play_rounds(reader, 0)
        self.period = played.period / hz if hz and played.period else None
        self.limit = rounds_in(time, self.period)
        self._step = max(1, _STEP // (program.stretch.stop - program.stretch.first))

    def play_all(self) -> list[Ended]:
        numbers = range(self._runs.jitter.runs)
        with ThreadPoolExecutor(max_workers=min(len(numbers), cpu_count() or 1)) as pool:
            try:
                return list(pool.map(self._play, numbers))
            finally:
                self._stop.set()

    def _reader(self, number: int) -> NativeReader:
        reader = replay_reader(self._program.config, self._program.layout)
        self._runs.play(reader, number, first=self._cycle.repeat_in)
        return reader

    def _play(self, number: int) -> Ended:
        """One run to its end."""
        with self._reader(number) as reader:
            ended = Ended(number, reader)
            while not ended.over and ended.rounds < self.limit and not self._stop.is_set():
                before = ended.rounds
                ended.go_on(play_rounds(reader, min(self._step, self.limit - before)))
                self._played += ended.rounds - before
                self._progress(self._played, self.limit * self._runs.jitter.runs)
            ended.look_around(self._program.needs)
            return ended


def _run(one: Ended, labels: Labels, hz: int | None) -> LifetimeRun:
    request = one.request
    return LifetimeRun(
        number=one.number,
        rounds=one.rounds,
        seconds=None if hz is None else one.ticks / hz,
        end=one.end,
        size=None if request is None else request.size,
        capabilities="" if request is None else request.capabilities,
        task=labels.task(one.task) if one.task is not None else "",
        site=labels.site(one.site) if one.site else "",
        cause=one.cause,
        free=one.free,
        largest=one.largest,
    )
