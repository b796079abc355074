"""Predict memory and throughput of a configuration."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from heapscope.cli.shared import (
    Air,
    Chip,
    Elf,
    Idf,
    Json,
    Links,
    Loss,
    Map,
    MeasuredFile,
    NoMeasured,
    ProjectFolder,
    Rtt,
    Sdkconfigs,
    StaticDram,
    Tcp,
    Tls,
    Traced,
    Udp,
)


def predict(
    files: Sdkconfigs = None,
    chip: Chip = None,
    idf: Idf = None,
    project: ProjectFolder = None,
    trace: Annotated[
        Path | None,
        typer.Option(
            "--trace", metavar="T.hst", help="The program's own allocations, which must fit too."
        ),
    ] = None,
    traced: Traced = False,
    measured: MeasuredFile = None,
    no_measured: NoMeasured = False,
    tcp: Tcp = 1,
    udp: Udp = 0,
    tls: Tls = 0,
    links: Links = None,
    elf: Elf = None,
    map: Map = None,
    static_dram: StaticDram = None,
    air: Air = False,
    rtt: Rtt = 0.0,
    loss: Loss = 0.0,
    band: Annotated[
        float, typer.Option("--band", metavar="GHZ", help="Band of the access point: 2.4 or 5.")
    ] = 2.4,
    width: Annotated[
        int,
        typer.Option("--width", metavar="MHZ", help="Its channel: 20 or 40 (the chip's fastest)."),
    ] = 0,
    calibrate: Annotated[
        list[Path] | None,
        typer.Option(
            "--calibrate",
            metavar="IPERF_LOG",
            help="The output of iperf of your board with this configuration: on the host (iperf "
            "2 or 3, with -J too) or on the device.",
        ),
    ] = None,
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
    published figures they are wide. Each prediction is printed with what it rests on.

    \b
    Examples:
      heapscope predict sdkconfig.defaults --chip esp32 --idf 5.5
      heapscope predict sdkconfig.defaults sdkconfig.release --chip esp32s3 --tls 2
      heapscope predict sdkconfig.defaults --chip esp32 --air --rtt 20 --loss 0.1
      heapscope predict sdkconfig.defaults --chip esp32 --listen 10 --json predict.json
      heapscope predict sdkconfig --calibrate iperf.log
      heapscope predict sdkconfig.defaults --chip esp32 --trace T.hst
      heapscope predict --project . --tls 1
    """
    from heapscope.cli.answer import give
    from heapscope.cli.progress import progress_bar
    from heapscope.cli.verbs.predict import predict as answer
    from heapscope.cli.verbs.project_files import project_files

    with progress_bar() as progress:
        result = answer(
            *(files or ()),
            chip=chip,
            idf=idf,
            project=project,
            trace=trace,
            traced=traced,
            measured=measured,
            no_measured=no_measured,
            tcp=tcp,
            udp=udp,
            tls=tls,
            links=links.split(",") if links else (),
            elf=elf,
            map=map,
            static_dram=static_dram,
            air=air,
            rtt=rtt,
            loss=loss,
            band=band,
            width=width,
            calibrate=calibrate or (),
            beacon=beacon,
            dtim=dtim,
            listen=listen,
            window=window,
            interval=interval,
            awake=awake,
            wifi_share=wifi_share,
            progress=progress,
        )
    give(
        result,
        json,
        inputs=[
            *(files or ()),
            *project_files(project),
            *(calibrate or ()),
            *(one for one in (trace, measured, elf, map) if one is not None),
        ],
    )
