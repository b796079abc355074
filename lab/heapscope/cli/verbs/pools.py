"""The contents of pools, and the sizes that hold least."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from heapscope.answers.pools.account import parse_sizes, pools_result
from heapscope.answers.pools.holdings import PoolsResult
from heapscope.answers.pools.pool_trace import read_pools
from heapscope.base.progress import OnProgress, phase
from heapscope.cli.verbs.recorded import with_word_size


def pools(
    *traces: str | Path,
    sizes: Sequence[str] = (),
    calls: int | None = None,
    progress: OnProgress | None = None,
) -> PoolsResult:
    """Says what a program's pools hold, and which sizes of their blocks would hold least.

    `sizes`: also replays with these, as "NAME=INITIAL:INCREMENT". `calls`: heap calls that the
    advice may take, all traces together; None: as many as recorded. InputError: an input cannot be
    used.
    """
    wanted = parse_sizes(sizes)
    read = [read_pools(Path(trace), progress=phase(progress, "reading")) for trace in traces]
    trying = phase(progress, "trying sizes", parts=True)
    found = pools_result(read, wanted=wanted, calls=calls, progress=trying)
    return with_word_size(found, *traces, named=len(traces) > 1)
