"""The needs of a configuration, and what it gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from heapscope.base.choices import known
from heapscope.base.printable import printable
from heapscope.base.progress import OnProgress, phase
from heapscope.base.sizes import parse_size
from heapscope.config.chosen_config import choose_config, left_out
from heapscope.forecast.predict.config_knobs import knobs_of
from heapscope.forecast.predict.demand import Demand
from heapscope.forecast.predict.environment import placed
from heapscope.forecast.predict.forecast import forecast, with_own
from heapscope.forecast.predict.memory_scene import MemoryScene, minor_of_config
from heapscope.forecast.predict.memory_states import MemoryModel
from heapscope.forecast.predict.own_board import calibrated_by, measured_of
from heapscope.forecast.predict.part_table import LINKS
from heapscope.forecast.predict.power_save import Times
from heapscope.forecast.predict.prediction import Prediction
from heapscope.forecast.predict.static_use import static_use
from heapscope.forecast.predict.system_load import busiest_memory, twice
from heapscope.forecast.predict.trace_fit import trace_fit
from heapscope.forecast.predict.wifi_table import chips
from heapscope.simulation.replay.run import replay as replay_events
from heapscope.trace.loss import is_cut


def predict(
    *files: str | Path,
    chip: str | None = None,
    idf: str | None = None,
    project: str | Path | None = None,
    trace: str | Path | None = None,
    traced: bool = False,
    measured: str | Path | None = None,
    no_measured: bool = False,
    tcp: int = 1,
    udp: int = 0,
    tls: int = 0,
    links: Sequence[str] = (),
    elf: str | Path | None = None,
    map: str | Path | None = None,
    static_dram: int | str | None = None,
    air: bool = False,
    rtt: float = 0.0,
    loss: float = 0.0,
    band: float = 2.4,
    width: int = 0,
    calibrate: Sequence[str | Path] = (),
    beacon: int = 100,
    dtim: int = 1,
    listen: int = 3,
    window: int = 65535,
    interval: int = 0,
    awake: float = 5.0,
    wifi_share: float = 100.0,
    progress: OnProgress | None = None,
) -> Prediction:
    """Predicts the RAM, the available memory, the throughput and the power save of a configuration.

    `files`: sdkconfig files, of which later ones win; without them those of the folder `project`,
    whose own options count in any case. `trace`: a trace that is tried on the memory
    that is left; `traced`: it has the blocks of Wi-Fi, lwIP and Bluetooth too. `measured`: figures
    of the user's own board; `no_measured` leaves those aside that are kept beside the
    configuration. `tcp`, `udp`, `tls`: sockets and sessions at the same time.
    `links`: what is linked at boot and app_main already, of "wifi" and "ble". `elf`, `map`: the
    firmware, for its static use; `static_dram`: that use itself, bytes of code and data in the
    memory that malloc serves. Without them it is that of an empty program with what is linked.
    `air`, `rtt` (ms), `loss` (percent): where the device is; `band` (GHz) and `width` (MHz; 0: the
    one on which the chip is fastest): the channel. `calibrate`: logs of iperf on the user's own
    board with this configuration, on that channel. The rest describes power save:
    `beacon` in units of 1.024 ms, `dtim` and `listen` in beacons, `window`, `interval` and `awake`
    in ms, `wifi_share` in percent. InputError: an input cannot be used.
    """
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
    model = MemoryModel(
        scene=MemoryScene(
            config=config,
            minor=minor_of_config(config, idf),
            demand=Demand(tcp=tcp, udp=udp, tls=tls),
            links=tuple(known(printable(link), LINKS, noun="--links") for link in links),
        ),
        **vars(
            static_use(
                config.chip,
                elf=elf,
                map=map,
                static_dram=None
                if static_dram is None
                else parse_size(static_dram, what="--static-dram"),
            )
        ),
    )
    has_wifi = config.chip in chips()
    own, stated = measured_of(paths, measured=board, no_measured=no_measured, chip=chip, idf=idf)
    read = knobs_of(config, idf=idf) if has_wifi else None
    logs = [Path(log) for log in calibrate]
    learned = calibrated_by(logs, config, read, environment=environment, known=own)
    result = forecast(
        model,
        read,
        environment=environment,
        times=times,
        measured=learned.measured,
        notes=(*chosen.notes, *left_out(config), *stated, *learned.notes),
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
