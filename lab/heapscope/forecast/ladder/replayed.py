"""The memory of each configuration with a program's own trace in it.

A configuration tells what the system holds; a trace what the program does: how long its TLS records
are, which peaks meet, which requests go into which memory.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from heapscope.base.capabilities import EIGHT_BIT
from heapscope.base.errors import InputError
from heapscope.forecast.ladder.difference import ReplayedMemory
from heapscope.forecast.ladder.side import ConfigSide
from heapscope.forecast.predict.memory_states import MemoryModel
from heapscope.forecast.predict.system_load import busiest_memory, twice
from heapscope.simulation.replay.run import replay
from heapscope.simulation.result.result import ReplayResult

_IRAM = "IRAM"


def traces_of(traces: Sequence[Path], sides: Sequence[ConfigSide]) -> tuple[Path, ...]:
    """One for each configuration. InputError: there are other than one, or one for each."""
    if len(traces) not in (1, len(sides)):
        raise InputError(
            f"--trace is given {len(traces)} times, and there are {len(sides)} configurations",
            remedy="give one trace for all of them, or one for each",
        )
    return tuple(traces) if len(traces) > 1 else (*traces,) * len(sides)


def replayed(
    sides: Sequence[ConfigSide],
    traces: Sequence[Path],
    *,
    traced: bool,
    progress: Callable[[int, int], None] = lambda done, parts: None,
) -> tuple[ReplayedMemory, ...]:
    """`traces`: one for each. `traced`: they have the network's blocks. InputError: a trace cannot
    be replayed."""
    rows: list[ReplayedMemory] = []
    for side, trace in zip(sides, traces, strict=True):
        result = in_memory(side.model, trace, traced=traced)
        free, iram = least_free(result)
        before = rows[-1] if rows else None
        rows.append(
            ReplayedMemory(
                name=side.name,
                trace=str(trace),
                minimum_free=free,
                gained=0 if before is None else free - before.minimum_free,
                minimum_free_iram=iram,
                gained_iram=0 if before is None else iram - before.minimum_free_iram,
                failures=result.summary.failures,
            )
        )
        progress(len(rows), len(sides))
    return tuple(rows)


def in_memory(model: MemoryModel, trace: Path, *, traced: bool) -> ReplayResult:
    """The trace in the memory that a configuration leaves when everything is at work."""
    layout = busiest_memory(model, traced=traced).layout()
    return replay(trace, layout, capsets=(EIGHT_BIT,))


def least_free(result: ReplayResult) -> tuple[int, int]:
    """The minimum free bytes of what malloc gives, and of instruction memory."""
    iram = sum(row.reported_minimum_free for row in result.regions if row.kind == _IRAM)
    return result.sets[0].minimum_free_reported, iram


def notes_of(
    rows: Sequence[ReplayedMemory], traces: Sequence[Path], *, traced: bool
) -> tuple[str, ...]:
    """Sentences that limit the worth of the rows."""
    failed = [
        f"{row.name}: {row.failures:,} requests of {Path(row.trace).name} fail in its memory"
        for row in rows
        if row.failures
    ]
    same = [] if traced else [note for each in traces for note in twice(each, remedy="--traced")]
    return (*failed, *dict.fromkeys(same))
