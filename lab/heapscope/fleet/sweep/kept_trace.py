"""A trace as a worker keeps it: its bytes once, and what every cell asks of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, lru_cache
from pathlib import Path
from typing import NamedTuple, Self

from heapscope.answers.fit.fit_trace import RecordedFit, fit_recorded, pool_rules
from heapscope.answers.fit.perturbed_fit import fit_of_run
from heapscope.base.errors import InputError
from heapscope.base.request import Request
from heapscope.base.rows.request import with_room
from heapscope.native.reader import NativeReader
from heapscope.simulation.jitter.runs import Jitter, PerturbedRuns, kept_in_memory
from heapscope.trace.all_names import AllNames, read_all_names
from heapscope.trace.feed import read_trace

_KEPT = 256  # searches of recorded runs, each of some KB


class LeastPool(NamedTuple):
    """`pool`: the least that serves a run; None: none does up to `most`."""

    pool: int | None
    most: int


class KeptTrace:
    """Use as a context manager: its perturbed runs hold native memory. `file`: the trace's content
    under a name that no other content ever has in this process. The first use of a file that is
    not a trace raises InputError."""

    def __init__(self, file: Path, jitter: Jitter | None) -> None:
        self.file = file
        self._jitter = jitter
        self._runs: PerturbedRuns | InputError | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if isinstance(self._runs, PerturbedRuns):
            self._runs.__exit__()

    @cached_property
    def _push(self) -> Callable[[NativeReader], None]:
        with NativeReader() as reader:
            health = read_trace(self.file, reader)  # says what else the file is
            if reader.census().events == 0 and (health.loss is None or health.loss.events == 0):
                raise InputError(f"{self.file}: no heap event in it, nothing to replay")
        return kept_in_memory(self.file)

    @cached_property
    def names(self) -> AllNames:
        return read_all_names(self.file)

    def check(self) -> None:
        """InputError: the file cannot be replayed."""
        _ = self._push

    def play(self, reader: NativeReader, run: int) -> None:
        """The whole run into a new reader."""
        if run == 0:
            self._push(reader)
            return
        self._perturbed.play(reader, run - 1)

    def least_pool(
        self, allocator: str, run: int, rules: Path | None, needs: tuple[Request, ...]
    ) -> LeastPool:
        """The pool that `heapscope fit` with the same `--need` finds for the run, with `--jitter`
        for a perturbed one. InputError: no pool serves the recorded run, beside which those of
        perturbed runs are looked for."""
        recorded = _recorded(self.file, allocator, rules, needs)
        pool, limits = recorded.rows[0].pool, recorded.limits[allocator]
        if pool is None or limits is None:
            whose = "it" if run == 0 else "the recorded run"
            raise InputError(f"no pool serves {whose} with {allocator}{with_room(needs)}")
        if run == 0:
            return LeastPool(pool, limits.most)
        result = fit_of_run(
            self._perturbed,
            run - 1,
            allocator,
            pool,
            limits,
            ends=recorded.ends,
            needing=recorded.needing,
        )
        return LeastPool(result.least, result.most)

    @property
    def _perturbed(self) -> PerturbedRuns:
        """InputError: no run can be like the recorded one."""
        if self._runs is None:
            self._runs = self._learnt()
        if isinstance(self._runs, InputError):
            raise self._runs
        return self._runs

    def _learnt(self) -> PerturbedRuns | InputError:
        assert self._jitter is not None
        try:
            return PerturbedRuns(self._push, self._jitter)
        except InputError as error:
            return error


@lru_cache(maxsize=_KEPT)
def _recorded(
    file: Path, allocator: str, rules: Path | None, needs: tuple[Request, ...]
) -> RecordedFit:
    """The search over the recorded run, which takes as long as those over some dozens of perturbed
    ones: once for all batches that a process has of a trace."""
    placement = None if rules is None else pool_rules(rules)
    return fit_recorded(file, [allocator], placement=placement, needs=needs)
