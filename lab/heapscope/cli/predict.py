"""`heapscope predict`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from heapscope.cli.place_options import (
    Air,
    Loss,
    MeasuredFile,
    NoMeasured,
    Rtt,
    environment_of,
    measured_of,
)
from heapscope.cli.shared import Json

if TYPE_CHECKING:
    from heapscope.predict.forecast import Forecast
    from heapscope.tune.trace_fit import TraceFit

__all__ = ["predict"]


def predict(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="SDKCONFIG...",
            help="sdkconfig, sdkconfig.json or sdkconfig.defaults; of several, later ones win.",
        ),
    ],
    chip: Annotated[
        str | None,
        typer.Option("--chip", metavar="C", help="Chip (as CONFIG_IDF_TARGET says)."),
    ] = None,
    idf: Annotated[
        str | None,
        typer.Option("--idf", metavar="V", help="ESP-IDF version (as the file says, or 5.5)."),
    ] = None,
    trace: Annotated[
        Path | None,
        typer.Option("--trace", metavar="T.hst", help="Does what this trace allocates fit too?"),
    ] = None,
    measured: MeasuredFile = None,
    no_measured: NoMeasured = False,
    tcp: Annotated[
        int, typer.Option("--tcp", min=0, max=253, help="TCP connections at the same time.")
    ] = 1,
    udp: Annotated[
        int, typer.Option("--udp", min=0, max=253, help="UDP sockets at the same time.")
    ] = 0,
    tls: Annotated[
        int, typer.Option("--tls", min=0, max=253, help="TLS sessions at the same time.")
    ] = 0,
    air: Air = False,
    rtt: Rtt = 0.0,
    loss: Loss = 0.0,
    beacon: Annotated[
        int, typer.Option("--beacon", metavar="TU", help="Beacon interval, 1.024 ms each.")
    ] = 100,
    dtim: Annotated[int, typer.Option("--dtim", metavar="N", help="DTIM period, beacons.")] = 1,
    listen: Annotated[
        int, typer.Option("--listen", metavar="N", help="Listen interval, beacons.")
    ] = 3,
    window: Annotated[
        int, typer.Option("--window", metavar="MS", help="Window of connectionless modules.")
    ] = 65535,
    interval: Annotated[
        int,
        typer.Option("--interval", metavar="MS", help="Their interval; 0: the default mode."),
    ] = 0,
    awake: Annotated[
        float, typer.Option("--awake", metavar="MS", help="Radio on for each beacon.")
    ] = 5.0,
    wifi_share: Annotated[
        float,
        typer.Option("--wifi-share", metavar="PERCENT", help="Time left to Wi-Fi by Bluetooth."),
    ] = 100.0,
    json: Json = None,
) -> None:
    """Predict what a configuration needs and gives: RAM part by part, available memory, Wi-Fi
    throughput with bands, TLS time, power save.

    The bands are to hold 80 and 95 % of all cases, and say how much is known: of a chip without
    published figures they are wide. What each prediction rests on is printed with it.

    \b
    Examples:
      heapscope predict sdkconfig.defaults --chip esp32 --idf 5.5
      heapscope predict sdkconfig.defaults sdkconfig.release --chip esp32s3 --tls 2
      heapscope predict sdkconfig.defaults --chip esp32 --air --rtt 20 --loss 0.1
      heapscope predict sdkconfig.defaults --chip esp32 --listen 10 --json predict.json
      heapscope predict sdkconfig.defaults --chip esp32 --trace T.hst
    """
    from heapscope.cli.config_choice import built_config, choose_config
    from heapscope.cli.json_output import wants_tables, write_json
    from heapscope.cli.progress import progress_bar
    from heapscope.predict.config_knobs import knobs_of
    from heapscope.predict.forecast import forecast
    from heapscope.predict.parts import Demand
    from heapscope.predict.power_save import Times
    from heapscope.predict.trace_replay import replayed

    environment = environment_of(air=air, rtt=rtt, loss=loss)
    times = Times(
        beacon=beacon,
        dtim=dtim,
        listen=listen,
        awake_ms=awake,
        window_ms=window,
        interval_ms=interval,
        wifi_share=wifi_share / 100,
    )
    chosen = choose_config(files, chip=chip, idf=idf)
    config, left_out = built_config(chosen.config)
    own, said = measured_of(files, measured=measured, no_measured=no_measured, chip=chip, idf=idf)
    result = forecast(
        config,
        knobs_of(config, idf=idf),
        demand=Demand(tcp=tcp, udp=udp, tls=tls),
        environment=environment,
        times=times,
        measured=own,
        notes=(*chosen.notes, *left_out, *said),
    )
    again, fit = None, None
    if trace is not None:
        with progress_bar("replaying") as bar:
            again = replayed(trace, config, bar)
        if again.loss is None:  # whether the whole run fits is otherwise not known
            fit = _fit(trace, result)
    document = result.to_json()
    document["trace_fit"] = None if fit is None else fit.to_json()
    document["replay"] = None if again is None else again.to_json()
    read = [*files, *(each for each in (trace, measured) if each is not None)]
    write_json(document, json, inputs=read)
    if wants_tables(json):
        from heapscope.report.console import console
        from heapscope.report.predict import print_forecast

        print_forecast(result, console())
        if again is not None:
            from heapscope.report.predict import print_replayed

            print_replayed(again, fit, console())


def _fit(trace: Path, found: Forecast) -> TraceFit:
    """Judged as tune does: what Bluetooth takes is taken off, TLS is in the trace."""
    from heapscope.cli.progress import progress_bar
    from heapscope.tune.tls import beside
    from heapscope.tune.trace_fit import trace_fit

    taken = sum(beside(found.config, found.knobs, 0).values())
    with progress_bar("replays", parts=True) as bar:
        return trace_fit(
            trace,
            found.config,
            left_kb=max(0.0, found.available.middle - taken),
            held_kb=max(0.0, found.available.low[0.8] - taken),
            progress=lambda done: bar(done, None),
        )
