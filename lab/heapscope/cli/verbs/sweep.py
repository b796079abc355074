"""Many traces on many memories at once, and answers over the results."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

from heapscope.answers.fit.schedule import cores
from heapscope.base.errors import InputError
from heapscope.base.extras import need
from heapscope.base.output import open_output
from heapscope.base.printable import printable
from heapscope.base.progress import OnProgress, ProgressStep
from heapscope.fleet.sweep.answer import SweepResult
from heapscope.fleet.sweep.cluster import Tls, check_address, local_cluster, remote_cluster
from heapscope.fleet.sweep.drive import drive
from heapscope.fleet.sweep.output import opened
from heapscope.fleet.sweep.plan_file import read_plan
from heapscope.fleet.sweep.show import show

if TYPE_CHECKING:
    from distributed import Client

WORKERS_MAX = 1024


def sweep(
    plan: str | Path,
    out: str | Path | None = None,
    *,
    workers: int | None = None,
    scheduler: str | None = None,
    tls_ca: str | Path | None = None,
    tls_cert: str | Path | None = None,
    tls_key: str | Path | None = None,
    progress: OnProgress | None = None,
) -> SweepResult:
    """Replays every trace of a plan on every memory of it, and answers over all of them.

    `out`: the folder of the results (the plan's name with .sweep, in this folder); a sweep that was
    stopped goes on there. `workers`: processes on this machine (one a processor). `scheduler`: a
    running dask scheduler's address instead, with its files of TLS where it is beyond this machine.
    InputError: the plan, the output or the cluster cannot be used; what is kept stays.
    """
    need("sweep", "a sweep")
    source = read_plan(plan)
    cluster = _cluster(workers, scheduler, _tls(tls_ca, tls_cert, tls_key))
    folder = Path(out) if out is not None else Path(f"{Path(plan).stem}.sweep")

    def on_cells(done: int, total: int) -> None:
        if progress is not None:
            progress(ProgressStep("sweeping", done, total, parts=True, each="cells"))

    with opened(folder, source.plan) as output:
        if len(output.done()) < sum(1 for _ in source.plan.batches()):
            with cluster as client:
                drive(client, source, output, on_cells)
    return show(folder)


def sweep_show(folder: str | Path) -> SweepResult:
    """The answers over a sweep's results, as they stand: also while it runs. InputError: the folder
    is not of a sweep."""
    need("sweep", "a sweep's answers")
    return show(folder)


def check_page(out: Path) -> None:
    """InputError: no page can be written by what is installed. It is asked before the sweep."""
    need("report", f"{printable(str(out), limit=400)}: a page in HTML")


def write_page(result: SweepResult, out: Path, *, inputs: Sequence[Path] = ()) -> int:
    """Writes the answers as one HTML page; its size. InputError: it cannot be written."""
    check_page(out)
    from heapscope.render.page.frame import fitting  # imports the extra that draws
    from heapscope.render.page.sweep import sweep_page

    data = fitting(lambda detail: sweep_page(result, detail)).encode("utf-8")
    with open_output(out, inputs=tuple(inputs)) as write:
        write(data)
    return len(data)


def _cluster(
    workers: int | None, scheduler: str | None, tls: Tls | None
) -> AbstractContextManager[Client]:
    if scheduler is None:
        if tls is not None:
            raise InputError(
                "--tls-ca, --tls-cert and --tls-key are for a scheduler",
                remedy="give --scheduler tls://HOST:PORT, or leave them out",
            )
        count = cores() if workers is None else workers
        if not 1 <= count <= WORKERS_MAX:
            raise InputError(
                f"--workers {count}: outside its range", remedy=f"give 1 to {WORKERS_MAX}"
            )
        return local_cluster(count)
    if workers is not None:
        raise InputError(
            "--workers and --scheduler both say who works",
            remedy="leave --workers out: the scheduler has its own",
        )
    check_address(scheduler, tls)
    return remote_cluster(scheduler, tls)


def _tls(ca: str | Path | None, cert: str | Path | None, key: str | Path | None) -> Tls | None:
    files = (ca, cert, key)
    if all(one is None for one in files):
        return None
    if ca is None or cert is None or key is None:
        raise InputError(
            "--tls-ca, --tls-cert and --tls-key go together",
            remedy="give all three: the authority, this client's certificate and its key",
        )
    for one in (ca, cert, key):
        if not Path(one).is_file():
            raise InputError(f"{one}: no such file", remedy="check the path")
    return Tls(ca=Path(ca), cert=Path(cert), key=Path(key))
