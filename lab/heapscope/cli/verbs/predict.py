"""Predict memory and throughput of a configuration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from heapscope.base.choices import known
from heapscope.base.option import Option
from heapscope.base.printable import printable
from heapscope.base.progress import OnProgress, phase
from heapscope.base.sizes import parse_size
from heapscope.cli.verbs.options import (
    Air,
    Bin,
    Chip,
    Elf,
    Idf,
    Links,
    Loss,
    Map,
    MeasuredFile,
    NoMeasured,
    OwnTrace,
    ProjectFolder,
    PsramSize,
    Rtt,
    Sdkconfigs,
    StaticDram,
    Tcp,
    Tls,
    Traced,
    Udp,
    each_of,
)

if TYPE_CHECKING:
    from heapscope.forecast.predict.prediction import Prediction


def predict(
    *files: Sdkconfigs,
    chip: Chip = None,
    idf: Idf = None,
    project: ProjectFolder = None,
    trace: OwnTrace = None,
    traced: Traced = False,
    measured: MeasuredFile = None,
    no_measured: NoMeasured = False,
    tcp: Tcp = 1,
    udp: Udp = 0,
    tls: Tls = 0,
    links: Links = (),
    elf: Elf = None,
    map: Map = None,
    bin: Bin = None,
    static_dram: StaticDram = None,
    psram: PsramSize = None,
    air: Air = False,
    rtt: Rtt = 0.0,
    loss: Loss = 0.0,
    band: Annotated[float, Option("GHZ", "Band of the access point: 2.4 or 5.")] = 2.4,
    width: Annotated[int, Option("MHZ", "Its channel: 20 or 40 (the chip's fastest).")] = 0,
    calibrate: Annotated[
        Sequence[str | Path],
        Option(
            "IPERF_LOG",
            "The output of iperf of your board with this configuration: on the host (iperf "
            "2 or 3, with -J too) or on the device.",
        ),
    ] = (),
    beacon: Annotated[int, Option("TU", "Beacon interval, 1.024 ms each.")] = 100,
    dtim: Annotated[int, Option("N", "DTIM period, beacons.")] = 1,
    listen: Annotated[int, Option("N", "Listen interval, beacons.")] = 3,
    window: Annotated[int, Option("MS", "Window of connectionless modules.")] = 65535,
    interval: Annotated[int, Option("MS", "Their interval; 0: the default mode.")] = 0,
    awake: Annotated[float, Option("MS", "Radio on for each beacon.")] = 5.0,
    wifi_share: Annotated[float, Option("PERCENT", "Time left to Wi-Fi by Bluetooth.")] = 100.0,
    progress: OnProgress | None = None,
) -> Prediction:
    """Predict what a configuration needs and gives: RAM part by part, available memory, Wi-Fi
    throughput with bands, TLS time, power save.

    The bands are to hold 80 and 95 % of all cases, and say how much is known: of a chip without
    published figures they are wide. Each prediction is printed with what it rests on.

    Examples:
      heapscope predict sdkconfig.defaults --chip esp32 --idf 5.5
      heapscope predict sdkconfig.defaults sdkconfig.release --chip esp32s3 --tls 2
      heapscope predict sdkconfig.defaults --chip esp32 --air --rtt 20 --loss 0.1
      heapscope predict sdkconfig.defaults --chip esp32 --listen 10 --json predict.json
      heapscope predict sdkconfig --calibrate iperf.log
      heapscope predict sdkconfig.defaults --chip esp32 --trace T.hst
      heapscope predict --project . --tls 1
    """
    from heapscope.config.chosen_config import choose_config, left_out
    from heapscope.forecast.predict.config_knobs import has_wifi, knobs_of
    from heapscope.forecast.predict.demand import Demand
    from heapscope.forecast.predict.environment import placed
    from heapscope.forecast.predict.forecast import forecast, with_own
    from heapscope.forecast.predict.memory_scene import MemoryScene, minor_of_config
    from heapscope.forecast.predict.memory_states import MemoryModel
    from heapscope.forecast.predict.own_board import calibrated_by, measured_of
    from heapscope.forecast.predict.part_table import LINKS
    from heapscope.forecast.predict.power_save import Times
    from heapscope.forecast.predict.prediction import Prediction
    from heapscope.forecast.predict.psram import on_board
    from heapscope.forecast.predict.static_use import static_use
    from heapscope.forecast.predict.system_load import busiest_memory, twice
    from heapscope.forecast.predict.trace_fit import trace_fit
    from heapscope.simulation.replay.run import replay as replay_events
    from heapscope.trace.loss import is_cut

    environment = placed(air=air, rtt=rtt, loss=loss, band=band, width=width)
    times = Times(
        beacon=beacon,
        dtim=dtim,
        listen=listen,
        awake_ms=awake,
        window_ms=window,
        interval_ms=interval,
        wifi_share=wifi_share / 100,
    )
    board = None if measured is None else Path(measured)
    chosen = choose_config(
        files, chip=chip, idf=idf, project=None if project is None else Path(project)
    )
    paths = chosen.paths
    config = chosen.config
    minor = minor_of_config(config, idf)
    scene = MemoryScene(
        config=config,
        minor=minor,
        demand=Demand(tcp=tcp, udp=udp, tls=tls),
        links=tuple(known(printable(link), LINKS, noun="--links") for link in each_of(links)),
    )
    size = None if psram is None else parse_size(psram, what="--psram")
    scene, of_board = on_board(scene, size)
    model = MemoryModel(
        scene=scene,
        **vars(
            static_use(
                scene,
                elf=elf,
                map=map,
                bin=bin,
                static_dram=None
                if static_dram is None
                else parse_size(static_dram, what="--static-dram"),
            )
        ),
    )
    own, stated = measured_of(paths, measured=board, no_measured=no_measured, chip=chip, idf=idf)
    read = knobs_of(config, idf=idf, psram=size != 0) if has_wifi(config) else None
    logs = [Path(log) for log in calibrate]
    learned = calibrated_by(logs, config, read, environment=environment, known=own)
    result = forecast(
        model,
        read,
        environment=environment,
        times=times,
        measured=learned.measured,
        notes=(
            *chosen.notes,
            *left_out(config),
            *of_board,
            *model.unlike,
            *stated,
            *learned.notes,
        ),
    )
    if trace is None:
        return Prediction(**vars(result))
    system = busiest_memory(with_own(model, own), traced=traced)
    replay = replay_events(trace, system.layout(), progress=phase(progress, "replaying"))
    if not traced:
        result = replace(result, notes=(*result.notes, *twice(Path(trace), remedy="--traced")))
    if is_cut(replay.loss):  # whether the whole run fits is not known
        return Prediction(**vars(result), replay=replay)
    replays = phase(progress, "replays", parts=True)
    fit = trace_fit(Path(trace), system, progress=replays)
    return Prediction(**vars(result), replay=replay, trace_fit=fit)
