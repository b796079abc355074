"""Find the best configuration for what is needed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from heapscope.cli.shared import (
    Air,
    Chip,
    Idf,
    Json,
    Loss,
    MeasuredFile,
    Needs,
    NoMeasured,
    ProjectFolder,
    Rtt,
    Sdkconfigs,
    Tls,
    Traced,
)


def tune(
    files: Sdkconfigs = None,
    chip: Chip = None,
    idf: Idf = None,
    project: ProjectFolder = None,
    psram_mode: Annotated[
        str | None,
        typer.Option(
            "--psram-mode", metavar="KIND", help="none, quad or octal (as the configuration says)."
        ),
    ] = None,
    air: Air = False,
    rtt: Rtt = 0.0,
    loss: Loss = 0.0,
    measured: MeasuredFile = None,
    no_measured: NoMeasured = False,
    tls: Tls = 0,
    trace: Annotated[
        list[Path] | None,
        typer.Option(
            "--trace",
            metavar="T.hst",
            help="The program's own allocations, which must fit too.",
        ),
    ] = None,
    traced: Traced = False,
    goal: Annotated[
        list[str] | None,
        typer.Option(
            "--goal",
            metavar="G",
            help='The least that it must have: "free>=150KB", "tcp_rx>=20" (Mbit/s; also tcp_tx, '
            "udp_rx, udp_tx). May be repeated.",
        ),
    ] = None,
    need: Needs = None,
    keep: Annotated[
        list[str] | None,
        typer.Option("--keep", metavar="OPTION", help="Leave it as it is. May be repeated."),
    ] = None,
    trade: Annotated[
        list[str] | None,
        typer.Option(
            "--trade",
            metavar="KIND",
            help="Give this up for memory: code, features, checks, stacks, queues, psram, "
            "all (code, and only where it must). May be repeated.",
        ),
    ] = None,
    prefer: Annotated[
        str | None,
        typer.Option(
            "--prefer",
            metavar="WHAT",
            help="The figure to make best: free, speed (all throughputs), or one of them "
            "(free; speed where only free is needed).",
        ),
    ] = None,
    median: Annotated[
        bool,
        typer.Option("--median", help="Hold goals at the median, not at the 80 % lower bound."),
    ] = False,
    extrapolate: Annotated[
        bool,
        typer.Option("--extrapolate", help="Try all of Kconfig's values, not the published ones."),
    ] = False,
    front: Annotated[
        str | None,
        typer.Option(
            "--front", metavar="METRIC", help="Also the front of memory against a throughput."
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option("--plot", metavar="FILE", help="Write the front as a picture (SVG)."),
    ] = None,
    fragment: Annotated[
        Path | None,
        typer.Option("--fragment", metavar="FILE", help="Write the lines for sdkconfig.defaults."),
    ] = None,
    ranks: Annotated[
        bool,
        typer.Option("--ranks", help="Each published rank (of --chip) against the best one."),
    ] = False,
    json: Json = None,
) -> None:
    """Find the configuration with the most memory, or speed, that has all that is needed.

    Exact by the models of `predict`, under every rule that a build, Kconfig or the device enforces.
    It starts from the files, or from the defaults of --chip. --trace is without Wi-Fi's blocks, and
    of several, traces of variants, the best is taken. The buffers of --tls sessions are taken off,
    and their modes compared.
    Exit code 1 when no configuration has all that is needed; then it says how much less would do.

    \b
    Examples:
      heapscope tune --chip esp32 --goal "tcp_rx>=20" --goal "free>=150KB"
      heapscope tune --chip esp32c6 --goal "free>=250KB" --fragment wifi.defaults
      heapscope tune sdkconfig --chip esp32 --keep ESP_WIFI_IRAM_OPT --goal "tcp_rx>=15"
      heapscope tune --chip esp32c3 --goal "free>=240KB" --trade code,features
      heapscope tune --chip esp32 --air --rtt 20 --loss 0.1 --goal "tcp_rx>=3"
      heapscope tune --chip esp32 --tls 2 --goal "tcp_rx>=15" --goal "free>=100KB"
      heapscope tune --chip esp32c3 --front tcp_rx --plot front.svg
      heapscope tune --chip esp32c3 --trace T.hst --need 16717 --prefer tcp_rx
      heapscope tune --ranks --chip esp32c3 --json ranks.json
    """
    from heapscope.base.errors import HeapscopeError
    from heapscope.cli.answer import give, print_answer, wants_tables, write_json, write_text
    from heapscope.cli.progress import progress_bar
    from heapscope.cli.verbs.project_files import project_files
    from heapscope.cli.verbs.tune import tune as answer
    from heapscope.cli.verbs.tune import tune_ranks

    if ranks:
        others = (
            files,
            idf,
            project,
            psram_mode,
            measured,
            trace,
            goal,
            need,
            keep,
            trade,
            prefer,
            front,
            plot,
            fragment,
        )
        flags = (median, extrapolate, tls, air, rtt, loss, no_measured)
        if any(each is not None for each in others) or any(flags):
            raise HeapscopeError(
                "--ranks is a question of its own", remedy="give it with --chip and --json alone"
            )
        with progress_bar() as progress:
            match = tune_ranks(chip, progress=progress)
        give(match, json, inputs=())
        return
    with progress_bar() as progress:
        result = answer(
            *(files or ()),
            chip=chip,
            idf=idf,
            project=project,
            psram_mode=psram_mode,
            goal=goal or (),
            need=need or (),
            keep=keep or (),
            trade=trade or (),
            prefer=prefer,
            trace=trace or (),
            traced=traced,
            tls=tls,
            air=air,
            rtt=rtt,
            loss=loss,
            measured=measured,
            no_measured=no_measured,
            median=median,
            extrapolate=extrapolate,
            front=front or ("tcp_rx" if plot is not None else None),
            progress=progress,
        )
    read = [
        *(files or []),
        *project_files(project),
        *(trace or []),
        *([measured] if measured else []),
    ]
    write_json(result.to_json(), json, inputs=read)
    if plot is not None and result.front:
        from heapscope.forecast.tune.plot import front_svg

        write_text(front_svg(result), plot, option="--plot", inputs=read)
    if fragment is not None and result.best is not None:
        from heapscope.forecast.tune.fragment import fragment as as_fragment

        write_text(as_fragment(result), fragment, option="--fragment", inputs=read)
    if wants_tables(json, plot, fragment):
        print_answer(result)
    if result.best is None:
        raise typer.Exit(1)
