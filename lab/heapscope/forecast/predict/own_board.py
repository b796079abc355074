"""Figures of the user's own board: kept beside its configuration, or read from a log of iperf."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from heapscope.base.errors import InputError
from heapscope.config.chosen_config import choose_config
from heapscope.config.config import Config
from heapscope.forecast.predict.calibrate import (
    Measured,
    calibrated,
    keep,
    measured_beside,
    read_measured,
)
from heapscope.forecast.predict.config_knobs import KnobsRead, knobs_of
from heapscope.forecast.predict.constants import read_constants
from heapscope.forecast.predict.environment import Environment, on_channel
from heapscope.forecast.predict.guess import Guess, predicted_throughput
from heapscope.forecast.predict.iperf_log import read_iperf_log
from heapscope.forecast.predict.radio import air_limit
from heapscope.forecast.predict.wifi_table import Knobs


def measured_of(
    files: Sequence[Path],
    *,
    measured: Path | None,
    no_measured: bool,
    chip: str | None,
    idf: str | None,
) -> tuple[tuple[Measured, ...], tuple[str, ...]]:
    """Figures of the user's own board, and what to say of them. `files`: the configuration's."""
    beside = measured_beside(files[-1]) if files else None
    kept = None if no_measured else measured or beside
    if kept is None:
        return (), ()

    def read(paths: Sequence[Path]) -> tuple[Config, Knobs]:
        built = choose_config(paths, chip=chip, idf=idf).config
        return built, knobs_of(built, idf=idf).knobs

    result = read_measured(kept, read)
    if measured is None or not files or str(files[-1]) == "-":
        return result, (f"calibrated by {kept}",)
    return result, (keep(measured, files[-1]),)


@dataclass(frozen=True, kw_only=True)
class Learned:
    """The figures that were known and those of the logs, and what to say of these."""

    measured: tuple[Measured, ...]
    notes: tuple[str, ...] = ()


def calibrated_by(
    logs: Sequence[Path],
    config: Config,
    read: KnobsRead | None,
    *,
    environment: Environment,
    known: tuple[Measured, ...],
) -> Learned:
    """Figures of logs of iperf, measured with this configuration on this channel. InputError: a log
    cannot be used."""
    if not logs:
        return Learned(measured=known)
    if read is None:
        raise InputError(
            f"{logs[0]}: {config.chip} has no Wi-Fi of its own", remedy="leave --calibrate away"
        )
    if not replace(environment, band_ghz=2.4, width_mhz=0).plain:
        raise InputError(
            f"{logs[0]}: a log has the air and the way of its place in it",
            remedy="leave --air, --rtt and --loss away: the prediction is then of that place",
        )
    knobs = on_channel(environment, read.knobs)
    built, notes = list(known), []
    for log in logs:
        iperf_log = read_iperf_log(log)
        for metric, mbps in iperf_log.mbps.items():
            limit = air_limit(knobs, metric)
            if mbps >= limit.mbps:
                raise InputError(
                    f"{log}: {metric} of {mbps:.1f} Mbit/s, where the air carries {limit.mbps:.1f}",
                    remedy="give a log of one stream over Wi-Fi, the configuration that it ran "
                    "with, and --band and --width as they were",
                )
        figures = dict(iperf_log.mbps)
        now = Measured(config=config, knobs=knobs, throughput=figures, available_kb=None)
        notes += [f"{log}: {note}" for note in iperf_log.notes]
        notes += _learned(log, now, known=built)
        built.append(now)
    return Learned(measured=tuple(built), notes=tuple(notes))


def _learned(log: Path, now: Measured, *, known: Sequence[Measured]) -> Iterator[str]:
    metrics = list(now.throughput)
    before, after = _guesses(now.knobs, metrics, known), _guesses(now.knobs, metrics, [*known, now])
    for metric, old, new in zip(metrics, before, after, strict=True):
        mbps = now.throughput[metric]
        outside = "" if old.holds(mbps, share=0.95) else ", outside its 95 % band"
        yield (
            f"{log}: {metric} = {mbps:.1f} Mbit/s was measured, {_shown(old)} was predicted"
            f"{outside}; now {_shown(new)}. The line `{metric} = {mbps:.1f}` in "
            f"heapscope-measured.toml keeps it"
        )


def _guesses(knobs: Knobs, metrics: Sequence[str], measured: Sequence[Measured]) -> list[Guess]:
    constants = calibrated(read_constants(), measured)
    return predicted_throughput(
        [(knobs, metric) for metric in metrics],
        constants.names,
        constants.throughput,
        constants.widths,
    )


def _shown(guess: Guess) -> str:
    low, high = guess.band(0.8)
    return f"{guess.mbps():.1f} ({low:.1f} to {high:.1f})"
