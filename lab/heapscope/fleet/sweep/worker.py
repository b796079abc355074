"""The part of a sweep that runs on a worker: the files that reached it, and a batch of cells."""

from __future__ import annotations

import functools
import itertools
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from heapscope.base.interrupt import scratch_folder
from heapscope.base.version import __version__
from heapscope.base.whole_file import write_whole
from heapscope.fleet.sweep.columns import batch_name, parquet_bytes
from heapscope.fleet.sweep.kept_trace import KeptTrace
from heapscope.fleet.sweep.plan import Batch, Recipe, SweepCell, content_hash
from heapscope.fleet.sweep.play import Player

_making = threading.Lock()


@dataclass(frozen=True)
class Sent:
    """A file on its way. `suffix` tells what it is to those who look at names."""

    name: str
    content: str
    data: bytes

    @property
    def suffix(self) -> str:
        return "".join(Path(self.name).suffixes[-2:])


@dataclass(frozen=True, kw_only=True)
class BatchResult:
    """`parquet`: the rows, as a file. `refused`: the version of a worker that is not the plan's.
    Seconds are processor time: `replaying` inside of replays, `seconds` of the whole batch."""

    number: int
    cells: int = 0
    failed: int = 0
    parquet: bytes = b""
    replaying: float = 0.0
    seconds: float = 0.0
    refused: str = ""
    worker: str = ""


def replay_batch(
    plan: str, recipe: Recipe, files: Mapping[str, Sent], traces: Sequence[Sent], batch: Batch
) -> BatchResult:
    """Replays the cells of one batch. `plan`: the hash of the plan that it is of. `files`: by the
    names that options have for them. `traces`: those of recipe.traces_of(batch)."""
    if recipe.version != __version__:
        return BatchResult(number=batch.number, refused=__version__, worker=worker_name())
    began = time.thread_time()
    paths = {name: kept(sent) for name, sent in files.items()}
    results: list[dict[str, Any]] = []
    replaying = 0.0
    first = recipe.traces_of(batch).start
    for place, cells in itertools.groupby(recipe.cells(batch), attrgetter("trace")):
        sent = traces[place - first]
        with KeptTrace(kept(sent), recipe.jitter) as trace:
            player = Player(trace, needs=recipe.needs, file=paths.__getitem__)
            shown = {**paths, sent.name: trace.file}
            results += (_result(sent, cell, player.play(cell), shown) for cell in cells)
            replaying += player.seconds
    return BatchResult(
        number=batch.number,
        cells=batch.cells,
        failed=sum(result.get("failed") is not None for result in results),
        parquet=parquet_bytes(results, batch_name(plan, batch.number)),
        replaying=replaying,
        seconds=time.thread_time() - began,
    )


def _result(
    sent: Sent, cell: SweepCell, figures: dict[str, Any], shown: Mapping[str, Path]
) -> dict[str, Any]:
    if "failed" in figures:
        figures["failed"] = _with_plan_names(figures["failed"], shown)
    about = {"cell": cell.number, "trace": sent.name, "content": sent.content, "run": cell.run}
    return {**about, **cell.options, **figures}


def worker_name() -> str:
    """The address under which the scheduler knows this worker; empty outside of a cluster."""
    try:
        from distributed import get_worker

        return str(get_worker().address)
    except (ImportError, ValueError):
        return ""


def _with_plan_names(reason: str, files: Mapping[str, Path]) -> str:
    """The plan's names of files in place of those on this worker."""
    for name, path in files.items():
        reason = reason.replace(str(path), name)
    return reason


def kept(sent: Sent) -> Path:
    """The file on this worker's disk, written once."""
    path = _folder() / f"{sent.content}{sent.suffix}"
    with _making:
        if not path.exists():
            write_whole(path, sent.data)
    return path


@functools.cache
def _kept_folder() -> TemporaryDirectory[str]:
    try:
        from distributed import get_worker

        place: str | None = get_worker().local_directory  # which its nanny removes
    except (ImportError, ValueError):
        place = None
    return scratch_folder(within=place)


def _folder() -> Path:
    with _making:
        return Path(_kept_folder().name)


def version_here() -> dict[str, Any]:
    """A worker says this of itself before it gets any work."""
    return {"heapscope": __version__}


def checked(name: str, content: str, data: bytes) -> Sent:
    """The file as it arrived, which stays with the worker for all its batches."""
    if content_hash(data) != content:
        raise ValueError(f"{name}: its content is not what the plan says")
    return Sent(name, content, data)
