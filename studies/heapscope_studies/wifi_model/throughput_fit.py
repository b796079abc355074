"""The constants of throughput from rows, and what is believed of them before."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import log

from heapscope.forecast.predict.posterior import Array, Posterior
from heapscope.forecast.predict.software import software_beliefs
from heapscope.forecast.predict.throughput import PENALTIES, Cases, Widths
from heapscope.forecast.predict.wifi_table import METRICS, NO_PSRAM, WifiRow, chips
from heapscope_studies.wifi_model.evidence import Prior, choose, fit_posterior

#: First guesses, each right within a factor of about 2: a round trip of 1.5 ms is 0.18 KB for each
#: Mbit/s; a buffer of 1.6 KB is turned over in about half a millisecond.
_GUESSES = {
    "send_window": 0.18,
    "receive_window": 0.18,
    "tx_buffers": 0.05,
    "static_rx": 0.01,
    "dynamic_rx": 0.01,
    "block_ack": 0.005,
    "no_block_ack": 0.005,
}
_CLOCK = 160  # MHz at which the prior's ceiling is given
#: The values that choose_widths tries.
WIDTH_GRID: Mapping[str, Sequence[float]] = {
    "error": (0.04, 0.055, 0.07, 0.085, 0.1),
    "degrees": (2.0, 3.0, 5.0),
    "spread": (0.08, 0.12, 0.2),
    "penalty": (0.35, 0.5, 0.7),
    "code": (0.3, 0.5, 0.7),
    "psram": (0.1, 0.2, 0.4),
    "chip": (0.15, 0.2, 0.3),
    "walk": (0.05, 0.1, 0.2),
    "sharpness": (3.0, 6.0, 12.0),
}


def throughput_prior(groups: Iterable[str], widths: Widths) -> tuple[tuple[str, ...], Prior]:
    """Names of all constants, and what is believed of them before the data."""
    groups = tuple(dict.fromkeys(groups))
    members = tuple(dict.fromkeys(group.split(".")[0] for group in groups))
    beliefs: dict[str, tuple[dict[str, float], float, float]] = {}

    def believe(
        name: str, mean: float, width: float, less: Mapping[str, float] | None = None
    ) -> None:
        around = {other: -value for other, value in (less or {}).items() if value}
        beliefs[name] = ({name: 1.0, **around}, mean, width)

    believe("base", 3.7, 1.0)  # about 40 Mbit/s at 160 MHz
    believe("clock", 1.0, 0.5)  # a faster clock's chips are that power of it faster
    believe("clock.own", 1.0, 0.3)  # one chip at another clock; nothing was measured
    believe("cores", 0.35, 0.2)  # two cores are more than one and less than two of one
    believe("cores.own", 0.0, 0.2)  # one of two cores in use; nothing was measured
    believe("optimized", 0.08, 0.06)  # of what is not in the libraries; nothing tells it alone
    believe("core_locking", 0.06, 0.06)
    believe("band.5", 0.0, 0.1)
    believe("software.year", 0.04, 0.04)  # software grows faster, a little each year
    for name, start, width in software_beliefs(widths.walk):
        believe(name, 0.0, width, start)
    for metric in METRICS:
        believe(f"metric.{metric}", 0.0, 0.4)
        believe(f"psram.{metric}", 0.0, widths.psram)
    for chip in members:
        about = {
            "base": 1.0,
            "clock": log(chips()[chip].mhz / _CLOCK),
            "cores": float(chips()[chip].cores - 1),
        }
        believe(f"chip.{chip}", 0.0, widths.chip, about)
        believe(f"aged.{chip}", 0.0, 0.1)
        believe(f"psram.{chip}", 0.0, 0.4)
        believe(f"code.{chip}", 0.0, 1.5)
        for metric in METRICS:
            believe(f"code.{chip}.{metric}", 0.0, widths.code)
    for group in groups:
        if not group.endswith(f".{NO_PSRAM}"):
            believe(f"psram.{group}", 0.0, 0.15, {f"psram.{group.split('.')[0]}": 1.0})
        for metric in METRICS:
            believe(f"spread.{group}.{metric}", 0.0, widths.spread)
    for limit, guess in _GUESSES.items():
        believe(f"limit.{limit}", log(guess), 0.5)
        believe(f"beyond.{limit}", 0.0, 0.5)
    for penalty in PENALTIES:
        believe(f"penalty.{penalty}", log(0.1), 0.5)
        for metric in METRICS:
            believe(f"penalty.{metric}.{penalty}", 0.0, widths.penalty, {f"penalty.{penalty}": 1.0})
    names = tuple(beliefs)
    return names, Prior.of(names, tuple(beliefs.values()))


def names_for(rows: Iterable[WifiRow]) -> tuple[str, ...]:
    """The groups (chip and PSRAM) of rows."""
    return tuple(dict.fromkeys(row.knobs.group for row in rows))


def observed_cases(
    rows: Sequence[WifiRow], groups: Sequence[str] = ()
) -> tuple[tuple[str, ...], Cases]:
    """The names of all constants, and what was measured. `groups`: those that predictions will be
    asked of besides."""
    names, _ = throughput_prior((*names_for(rows), *groups), Widths())
    results = [(row, metric) for row in rows for metric in row.throughput]
    return names, Cases(
        [(row.knobs, metric) for row, metric in results],
        names,
        [row.throughput[metric] for row, metric in results],
    )


def fit_throughput(
    rows: Sequence[WifiRow],
    widths: Widths,
    *,
    groups: Sequence[str] = (),
    start: Array | None = None,
    cases: Cases | None = None,
) -> tuple[tuple[str, ...], Posterior]:
    """Constants from rows. `start`: those of another fit of the same rows; `cases`: of
    observed_cases, where many fits are made."""
    names, prior = throughput_prior((*names_for(rows), *groups), widths)
    if cases is None:
        _, cases = observed_cases(rows, groups)
    seen = cases.behind_air(widths.sharpness)
    result = fit_posterior(seen, prior, errors=widths.errors, start=start)
    return names, replace(result, log_evidence=result.log_evidence + seen.log_stretch)


def choose_widths(rows: Sequence[WifiRow], start: Widths | None = None) -> Widths:
    """The widths with the most evidence in these rows."""
    last: list[Array] = []
    _, cases = observed_cases(rows)

    def evidence(widths: Widths) -> float:
        here = last[-1] if last else None
        _, result = fit_throughput(rows, widths, start=here, cases=cases)
        last.append(result.theta)
        return result.log_evidence

    return choose(start or Widths(), WIDTH_GRID, evidence)
