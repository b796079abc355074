"""Perturbed runs of one trace: learnt once, made by number (docs/design/jitter.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Self

from heapscope.base.errors import InputError
from heapscope.base.rows.figure import figure
from heapscope.base.rows.row import Row
from heapscope.base.wording import plural
from heapscope.native.jitter import NativeShown
from heapscope.native.reader import NativeReader
from heapscope.simulation.replay.clock import clock_rate
from heapscope.trace.segment import segment_of
from heapscope.trace.whole import kept_trace

LATE = 0.01  # seconds that a task may be late: one tick of FreeRTOS as ESP-IDF sets it
STRENGTH = 0.25  # a choice: enough to be seen, and most of the run as it was recorded
RUNS_MAX = 1_000_000
SEED_MAX = (1 << 32) - 1

Push = Callable[[NativeReader], None]


def kept_in_memory(path: str | Path) -> Push:
    """Reads the file once; the runs then take it from memory. InputError: it cannot be opened."""
    file, segment = segment_of(path)
    blocks = kept_trace(file)

    def push(reader: NativeReader) -> None:
        reader.begin_with(segment)
        for block in blocks:
            reader.push(block)
        reader.finish()

    return push


class Jitter(Row):
    """How runs are perturbed. The same values make the same runs on every machine."""

    runs: int = figure("Perturbed runs.", least=1, most=RUNS_MAX)
    seed: int = figure("Seed of the first; each run has its own.", most=SEED_MAX, default=0)
    strength: float = figure(
        "The share of allocations that ask for another size of their call site, from 0 to 1; the "
        "same part of the lateness of tasks and of the visits that are left out or doubled.",
        most=1,
        default=STRENGTH,
    )

    @classmethod
    def requested(cls, runs: int | None, *, seed: int, strength: float) -> Jitter | None:
        """None: no runs are. InputError: a value is outside its range, or a seed or a strength is
        there without runs, where it would do nothing."""
        if runs is not None:
            jitter = cls(runs=runs, seed=seed, strength=strength)
            jitter.check()
            return jitter
        for name, value, usual in (
            ("--jitter-seed", seed, 0),
            ("--jitter-strength", strength, STRENGTH),
        ):
            if value != usual:
                raise InputError(
                    f"{name} {value}: no perturbed runs are asked for",
                    remedy=f"add --jitter with their number, or leave {name} out",
                )
        return None

    def check(self) -> None:
        """InputError: a value is outside its range."""
        for name, value, least, most in (
            ("--jitter", self.runs, 1, RUNS_MAX),
            ("--jitter-seed", self.seed, 0, SEED_MAX),
            ("--jitter-strength", self.strength, 0, 1),
        ):
            if not least <= value <= most:
                raise InputError(
                    f"{name} {value}: outside its range",
                    remedy=f"give a number from {least:,} to {most:,}",
                )


class PerturbedRuns:
    """The runs of one trace. Use as a context manager: it holds native memory, which its readers
    read. `varied`: sentences on what differs from run to run."""

    def __init__(self, push: Push, jitter: Jitter) -> None:
        """`push` puts the whole trace into a reader and finishes it. InputError: events are missing
        in it."""
        jitter.check()
        self.jitter = jitter
        self._push = push
        self._shown = NativeShown()
        with NativeReader() as reader:
            self._shown.learn_from(reader)
            push(reader)
            if not reader.whole:
                raise InputError(
                    "--jitter: events are missing in the trace, so no run is like its whole run",
                    remedy="record it again without a loss, or leave --jitter out",
                )
            hz = clock_rate(reader)
        self._reach = max(1, round(hz * LATE)) if hz else 0
        self.varied = tuple(self._sentences())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._shown.close()

    def play(
        self,
        reader: NativeReader,
        number: int,
        *,
        first: Callable[[NativeReader], None] | None = None,
    ) -> None:
        """The run of this number, from 0, into a new reader, to its end. `first`: sets the reader
        up before it reads."""
        self._shown.perturb(
            reader,
            seed=self.jitter.seed << 32 | number,
            strength=self.jitter.strength,
            reach=self._reach,
        )
        if first is not None:
            first(reader)
        self._push(reader)

    def _sentences(self) -> Iterator[str]:
        figures = self._shown.figures()
        if figures.varied_sites:
            yield (
                f"Sizes vary within what {figures.varied_sites:,} of "
                f"{plural(figures.sites, 'call site')} have shown."
            )
        else:
            yield "Every call site asked for one size only, so sizes do not vary."
        if self._reach == 0:
            yield "No clock of a known rate separates the events, so their order does not vary."
        else:
            yield f"Each task is up to {1000 * LATE * self.jitter.strength:g} ms late."
        if figures.visits == 0:
            yield "No task comes and goes, so the number of connections does not vary."
        else:
            yield (
                f"Up to {25 * self.jitter.strength:g} % of {plural(figures.visits, 'visit')} by "
                "tasks that come and go are left out or doubled, with no more tasks at once than "
                "the recording had."
            )
