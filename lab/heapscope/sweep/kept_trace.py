"""A trace as a worker keeps it: its bytes once, and what every cell asks of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Self

from heapscope.errors import InputError
from heapscope.fit.fit_trace import fit
from heapscope.jitter.runs import Jitter, PerturbedRuns, kept_in_memory
from heapscope.native.reader import NativeReader
from heapscope.trace.all_names import AllNames, read_all_names
from heapscope.trace.feed import read_trace


class KeptTrace:
    """Use as a context manager: its perturbed runs hold native memory. `file`: the trace's content
    under any name. The first use of a file that is not a trace raises InputError."""

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
        if self._runs is None:
            self._runs = self._perturbed()
        if isinstance(self._runs, InputError):
            raise self._runs
        self._runs.play(reader, run - 1)

    def least_pool(self, allocator: str) -> int | None:
        """The smallest pool that serves the recorded run; None: there is none."""
        return fit(self.file, [allocator])[0].pool

    def _perturbed(self) -> PerturbedRuns | InputError:
        assert self._jitter is not None
        try:
            return PerturbedRuns(self._push, self._jitter)
        except InputError as error:
            return error
