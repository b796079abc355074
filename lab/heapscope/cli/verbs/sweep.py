"""Replay many traces on many memories, and answer over all of them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from heapscope.base.errors import InputError
from heapscope.base.extras import need
from heapscope.base.option import Option
from heapscope.base.output import open_output
from heapscope.base.printable import printable
from heapscope.base.progress import OnProgress, ProgressStep
from heapscope.cli.verbs.options import output

if TYPE_CHECKING:
    from distributed import Client

    from heapscope.fleet.sweep.answer import SweepResult
    from heapscope.fleet.sweep.cluster import Tls


WORKERS_MAX = 1024


#: The word in front of a folder whose results are shown.
SHOW = "show"


def sweep(
    *words: Annotated[
        str | Path,
        Option(
            "PLAN.toml | show FOLDER",
            "The plan to sweep; or the word show and the folder of a sweep's results.",
            kind=str,
        ),
    ],
    out: Annotated[str | Path | None, output("FOLDER")] = None,
    workers: Annotated[
        int | None, Option("N", "Processes on this machine (one for each processor).")
    ] = None,
    scheduler: Annotated[
        str | None,
        Option(
            "ADDRESS",
            "A running dask scheduler in their place: tcp://127.0.0.1:8786; beyond this "
            "machine tls://HOST:8786.",
        ),
    ] = None,
    tls_ca: Annotated[
        str | Path | None, Option("F.pem", "The authority of the cluster's TLS.")
    ] = None,
    tls_cert: Annotated[str | Path | None, Option("F.pem", "This client's certificate.")] = None,
    tls_key: Annotated[str | Path | None, Option("F.pem", "The key of that certificate.")] = None,
    progress: OnProgress | None = None,
) -> SweepResult:
    """Replay many traces on many memories, and answer over all of them.

    A plan names traces, and in its grids the choices of the memory: chips, versions, allocators,
    sizes of pools, rules, configurations. Each trace is replayed on each combination, by the
    processors of this machine or of a cluster. Results are Parquet files in the
    folder of -o (PLAN.sweep); a sweep that was stopped
    or killed goes on where it was when the same command runs again.

    `show` answers over what is there, also while a sweep runs: which configuration is safe for all
    traces, which chip carries them, where safety ends, and what each choice gives.

    Examples:
      heapscope sweep plan.toml
      heapscope sweep plan.toml -o fleet.sweep --workers 8
      heapscope sweep plan.toml --scheduler tcp://127.0.0.1:8786
      heapscope sweep show plan.sweep
      heapscope sweep show plan.sweep --html sweep.html --json sweep.json
    """
    from heapscope.fleet.sweep.drive import drive
    from heapscope.fleet.sweep.output import opened
    from heapscope.fleet.sweep.plan_file import read_plan
    from heapscope.fleet.sweep.show import show

    if words and str(words[0]) == SHOW:
        if len(words) != 2:
            raise InputError(
                "sweep show: one folder is needed", remedy="heapscope sweep show FOLDER"
            )
        stated = {
            "-o": out,
            "--workers": workers,
            "--scheduler": scheduler,
            "--tls-ca": tls_ca,
            "--tls-cert": tls_cert,
            "--tls-key": tls_key,
        }
        for name in (name for name, value in stated.items() if value is not None):
            raise InputError(
                f"sweep show and {name}: nothing is replayed", remedy=f"leave {name} out"
            )
        return sweep_show(words[1])
    if len(words) != 1:
        raise InputError(
            f"sweep: {len(words)} plans, one is needed",
            remedy="sweep one after the other; the traces and grids of both fit into one plan",
        )
    (plan,) = words
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
    from heapscope.fleet.sweep.show import show

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
    from heapscope.answers.fit.schedule import cores
    from heapscope.fleet.sweep.cluster import check_address, local_cluster, remote_cluster

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
    from heapscope.fleet.sweep.cluster import Tls

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
