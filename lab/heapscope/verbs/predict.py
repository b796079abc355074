"""The needs of a configuration, and what it gives."""

from __future__ import annotations

from pathlib import Path

from heapscope.layout.chosen_config import built_config, choose_config
from heapscope.predict.config_knobs import knobs_of
from heapscope.predict.environment import placed
from heapscope.predict.forecast import Forecast, forecast
from heapscope.predict.own_board import measured_of
from heapscope.predict.parts import Demand
from heapscope.predict.power_save import Times
from heapscope.predict.trace_replay import replayed
from heapscope.progress import OnProgress, phase
from heapscope.tune.prediction import Prediction
from heapscope.tune.tls import beside
from heapscope.tune.trace_fit import TraceFit, trace_fit


def predict(
    *files: str | Path,
    chip: str | None = None,
    idf: str | None = None,
    trace: str | Path | None = None,
    measured: str | Path | None = None,
    no_measured: bool = False,
    tcp: int = 1,
    udp: int = 0,
    tls: int = 0,
    air: bool = False,
    rtt: float = 0.0,
    loss: float = 0.0,
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

    `files`: sdkconfig files, of which later ones win. `trace`: a trace that is tried on the memory
    that is left. `measured`: figures of the user's own board; `no_measured` leaves those aside that
    are kept beside the configuration. `tcp`, `udp`, `tls`: sockets and sessions at the same time.
    `air`, `rtt` (ms), `loss` (percent): where the device is. The rest describes power save:
    `beacon` in units of 1.024 ms, `dtim` and `listen` in beacons, `window`, `interval` and `awake`
    in ms, `wifi_share` in percent. InputError: an input cannot be used.
    """
    environment = placed(air=air, rtt=rtt, loss=loss)
    times = Times(
        beacon=beacon,
        dtim=dtim,
        listen=listen,
        awake_ms=awake,
        window_ms=window,
        interval_ms=interval,
        wifi_share=wifi_share / 100,
    )
    paths = [Path(file) for file in files]
    board = None if measured is None else Path(measured)
    chosen = choose_config(paths, chip=chip, idf=idf)
    config, left_out = built_config(chosen.config)
    own, said = measured_of(paths, measured=board, no_measured=no_measured, chip=chip, idf=idf)
    found = forecast(
        config,
        knobs_of(config, idf=idf),
        demand=Demand(tcp=tcp, udp=udp, tls=tls),
        environment=environment,
        times=times,
        measured=own,
        notes=(*chosen.notes, *left_out, *said),
    )
    if trace is None:
        return Prediction(**vars(found))
    replay = replayed(Path(trace), config, phase(progress, "replaying"))
    if replay.loss is not None:  # whether the whole run fits is not known
        return Prediction(**vars(found), replay=replay)
    fit = _fit(Path(trace), found, progress)
    return Prediction(**vars(found), replay=replay, trace_fit=fit)


def _fit(trace: Path, found: Forecast, progress: OnProgress | None) -> TraceFit:
    """Judged as tune does: what Bluetooth takes is taken off, TLS is in the trace."""
    taken = sum(beside(found.config, found.knobs, 0).values())
    return trace_fit(
        trace,
        found.config,
        left_kb=max(0.0, found.available_kb.median - taken),
        held_kb=max(0.0, found.available_kb.low_80 - taken),
        progress=phase(progress, "replays", parts=True),
    )
