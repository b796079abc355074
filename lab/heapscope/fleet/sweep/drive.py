"""Sends the batches of a plan to a cluster and keeps what comes back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from heapscope.base.errors import HeapscopeError
from heapscope.base.printable import printable
from heapscope.fleet.sweep.cluster import another_version, scheduler_lost, scheduler_there
from heapscope.fleet.sweep.inputs import read_input
from heapscope.fleet.sweep.output import Output
from heapscope.fleet.sweep.plan_file import ReadPlan
from heapscope.fleet.sweep.worker import BatchResult, checked, replay_batch

if TYPE_CHECKING:
    from distributed import Client, Future

#: Batches on their way for each thread of the cluster: one runs, the next ones wait beside it.
_AHEAD = 3

_LOOK = 0.1  # seconds after which the connection is looked at where no batch comes

#: Called with the cells that are done, those of before included, and all of the plan's.
OnCells = Callable[[int, int], None]


@dataclass
class Driven:
    """The work of a run. Seconds are processor time on the workers."""

    cells: int = 0
    before: int = 0  # were there already
    failed: int = 0
    replaying: float = 0.0
    seconds: float = 0.0


@dataclass
class _Files:
    """The plan's files on the cluster. They go there once: a task of the scheduler holds each, so a
    lost worker's are made again and those of a worker go to others from there."""

    client: Client
    source: ReadPlan
    traces: dict[int, Future] = field(default_factory=dict)

    def named(self) -> dict[str, Future]:
        files = self.source.plan.recipe.files
        return {name: self._sent(name, content) for name, content in files.items()}

    def trace(self, place: int) -> Future:
        if place not in self.traces:
            planned = self.source.plan.traces[place]
            self.traces[place] = self._sent(planned.name, planned.content)
        return self.traces[place]

    def forget_before(self, place: int) -> None:
        """No batch that is still to be sent has a trace before this one."""
        for earlier in [one for one in self.traces if one < place]:
            del self.traces[earlier]

    def _sent(self, name: str, content: str) -> Future:
        data = read_input(self.source.path(name), "a file of the plan")
        with scheduler_there():
            return self.client.submit(
                checked, name, content, data, key=f"heapscope-{content}-{name}"
            )


def drive(
    client: Client, source: ReadPlan, output: Output, on_cells: OnCells | None = None
) -> Driven:
    """Replays all cells that the output does not have. InputError or HeapscopeError: the sweep
    cannot go on; what is kept stays."""
    from distributed import as_completed

    plan = source.plan
    done = output.done()
    driven = Driven(before=sum(batch.cells for batch in plan.batches() if batch.number in done))
    waiting = (batch for batch in plan.batches() if batch.number not in done)
    files = _Files(client, source)
    with scheduler_there():
        recipe = client.submit(_itself, plan.recipe, key=f"heapscope-plan-{plan.hash}")
        ahead = _AHEAD * max(1, sum(client.nthreads().values()))
    named = files.named()

    def send() -> Iterator[Future]:
        for batch in waiting:
            places = plan.recipe.traces_of(batch)
            files.forget_before(places.start)
            traces = [files.trace(place) for place in places]
            with scheduler_there():
                future = client.submit(
                    replay_batch,
                    plan.hash,
                    recipe,
                    named,
                    traces,
                    batch,
                    key=f"heapscope-batch-{plan.hash}-{batch.number}",
                )
            yield future

    sending = send()
    if on_cells is not None:
        on_cells(driven.before, plan.cell_count)
    coming: Any = as_completed(
        [future for _, future in zip(range(ahead), sending, strict=False)],
        loop=client.loop,
        raise_errors=False,
    )
    for future in _arrived(coming, client):
        if future.status == "lost":  # with its worker; the scheduler has it replayed once more
            coming.add(future)
            continue
        result = _result(future)
        output.put(result.number, result.parquet)
        driven.cells += result.cells
        driven.failed += result.failed
        driven.replaying += result.replaying
        driven.seconds += result.seconds
        if on_cells is not None:
            on_cells(driven.before + driven.cells, plan.cell_count)
        following = next(sending, None)
        if following is not None:
            coming.add(following)
    return driven


def _itself(value: Any) -> Any:
    """The plan's recipe, sent once and kept by the workers."""
    return value


def _arrived(coming: Any, client: Client) -> Iterator[Future]:
    """The batches that come back. HeapscopeError: the connection broke while nothing came; a batch
    that was sent after that moment would be waited for in vain."""
    while coming.count():
        if coming.has_ready():
            yield next(coming)
        elif client.status != "running":
            raise scheduler_lost()
        else:
            with coming.thread_condition:
                coming.thread_condition.wait(timeout=_LOOK)


def _result(future: Future) -> BatchResult:
    if future.status == "cancelled":
        raise scheduler_lost()
    if future.status != "error":
        result = _gathered(future)
        if result is not None:
            if result.refused:
                raise another_version(result.worker, result.refused)
            return result
    raise _failed(future)


def _gathered(future: Future) -> BatchResult | None:
    """The result, which has to come from its worker yet. None: it was lost there, and replaying the
    batch once more failed. HeapscopeError: the scheduler is lost."""
    try:
        with scheduler_there():
            result: BatchResult = future.result()
    except Exception:
        if future.status == "error":
            return None
        raise
    return result


def _failed(future: Future) -> HeapscopeError:
    """Why a batch has no result. Its error is here already."""
    from distributed import KilledWorker

    error = future.exception()
    batch = str(future.key).rpartition("-")[2]
    if isinstance(error, KilledWorker):
        return HeapscopeError(
            f"batch {batch}: every worker that replayed it was lost",
            remedy="see what ended them, such as a lack of memory, and run the same command again: "
            "it goes on where it was",
        )
    if not isinstance(error, OSError | ValueError | MemoryError):
        raise error  # a fault of ours, which is shown as it is
    strerror = error.strerror if isinstance(error, OSError) else str(error)
    return HeapscopeError(
        f"batch {batch}: a worker could not replay it: "
        f"{printable(strerror or type(error).__name__, limit=400)}",
        remedy="correct that, such as a full disk there, and run the same command again: it "
        "goes on where it was",
    )
