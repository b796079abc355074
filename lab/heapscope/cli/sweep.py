"""Replay many traces on many memories, and answer over all of them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from heapscope.cli.shared import Json, output

SHOW = "show"


def sweep(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="PLAN.toml | show FOLDER",
            help="The plan to sweep; or the word show and the folder of a sweep's results.",
        ),
    ],
    out: Annotated[Path | None, output("FOLDER")] = None,
    workers: Annotated[
        int | None,
        typer.Option(metavar="N", help="Processes on this machine (one for each processor)."),
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="A running dask scheduler in their place: tcp://127.0.0.1:8786; beyond this "
            "machine tls://HOST:8786.",
        ),
    ] = None,
    tls_ca: Annotated[
        Path | None, typer.Option(metavar="F.pem", help="The authority of the cluster's TLS.")
    ] = None,
    tls_cert: Annotated[
        Path | None, typer.Option(metavar="F.pem", help="This client's certificate.")
    ] = None,
    tls_key: Annotated[
        Path | None, typer.Option(metavar="F.pem", help="The key of that certificate.")
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Also write one HTML page."),
    ] = None,
    json: Json = None,
) -> None:
    """Replay many traces on many memories, and answer over all of them.

    A plan names traces, and in its grids the choices of the memory: chips, versions, allocators,
    sizes of pools, rules, configurations. Each trace is replayed on each combination, by the
    processors of this machine or of a cluster. Results are Parquet files in the
    folder of -o (PLAN.sweep); a sweep that was stopped
    or killed goes on where it was when the same command runs again.

    `show` answers over what is there, also while a sweep runs: which configuration is safe for all
    traces, which chip carries them, where safety ends, and what each choice gives.

    \b
    Examples:
      heapscope sweep plan.toml
      heapscope sweep plan.toml -o fleet.sweep --workers 8
      heapscope sweep plan.toml --scheduler tcp://127.0.0.1:8786
      heapscope sweep show plan.sweep
      heapscope sweep show plan.sweep --html sweep.html --json sweep.json
    """
    from heapscope.base.errors import InputError
    from heapscope.base.printable import printable
    from heapscope.cli.answer import give, wants_tables
    from heapscope.cli.progress import progress_bar
    from heapscope.cli.verbs.sweep import check_page, sweep_show, write_page
    from heapscope.cli.verbs.sweep import sweep as answer

    if html is not None:
        check_page(html)
    if words[0] == SHOW:
        if len(words) != 2:
            raise InputError(
                "sweep show: one folder is needed", remedy="heapscope sweep show FOLDER"
            )
        for name, value in (
            ("-o", out),
            ("--workers", workers),
            ("--scheduler", scheduler),
            ("--tls-ca", tls_ca),
            ("--tls-cert", tls_cert),
            ("--tls-key", tls_key),
        ):
            if value is not None:
                raise InputError(
                    f"sweep show and {name}: nothing is replayed", remedy=f"leave {name} out"
                )
        folder, inputs = words[1], []
        result = sweep_show(folder)
    else:
        if len(words) != 1:
            raise InputError(
                f"sweep: {len(words)} plans, one is needed",
                remedy="sweep one after the other; the traces and grids of both fit into one plan",
            )
        inputs = [Path(words[0])]
        with progress_bar() as progress:
            result = answer(
                words[0],
                out,
                workers=workers,
                scheduler=scheduler,
                tls_ca=tls_ca,
                tls_cert=tls_cert,
                tls_key=tls_key,
                progress=progress,
            )
    if html is not None:
        size = write_page(result, html, inputs=inputs)
    give(result, json, inputs=[*inputs, *([] if html is None else [html])])
    if html is not None and wants_tables(json):
        typer.echo(f"{printable(str(html), limit=400)}: {size:,} B; open it in a browser")
