"""The user's own board: what was measured on it moves the constants, as far as they allow.

A measured figure is one more observation: the constants move by their covariance, and the bands of
whatever hangs on them narrow. A board and its application differ from the lab's by more than a row
of a table does from the next: the constants that carry it are first let loose by that much. The
file is TOML, and is kept beside the configuration:

    [[measured]]
    sdkconfig = "sdkconfig.old"      # one file or a list, from the file's own folder
    tcp_rx = 31.5                    # Mbit/s; any of tcp_tx, tcp_rx, udp_tx, udp_rx
    available_kb = 141.0
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from heapscope.base.errors import InputError
from heapscope.base.output import open_output
from heapscope.config.config import Config
from heapscope.forecast.predict.constants import Constants
from heapscope.forecast.predict.posterior import Array, Posterior
from heapscope.forecast.predict.throughput import Cases
from heapscope.forecast.predict.wifi_table import METRICS, Knobs
from heapscope.memory.layout.toml_text import read_toml_text

#: Beside the configuration, it is read without being named.
KEPT = "heapscope-measured.toml"

_REMEDY = 'give [[measured]] tables with sdkconfig = "FILE" and figures: tcp_rx = 31.5'
_AVAILABLE = "available_kb"
#: A user's figures are of one board, read once: as good as this.
_ERROR = 0.05
#: How a board with its application differs from the lab's: ln of throughput.
_BOARD = 0.2
_ROUNDS = 6  # two or three settle it
_MARK = "# Kept by `heapscope predict --measured"


@dataclass(frozen=True, kw_only=True)
class Measured:
    config: Config
    knobs: Knobs
    throughput: dict[str, float]  # Mbit/s by metric
    available_kb: float | None


def read_measured(
    path: Path, read: Callable[[Sequence[Path]], tuple[Config, Knobs]]
) -> tuple[Measured, ...]:
    """InputError names file, table and cause."""
    try:
        document = tomllib.loads(read_toml_text(path, what="measurements").text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path}: {error}", remedy=_REMEDY) from None
    tables = document.get("measured")
    if not isinstance(tables, list) or not tables or set(document) != {"measured"}:
        raise InputError(f"{path}: not [[measured]] tables alone", remedy=_REMEDY)
    return tuple(
        _measured(table, f"{path}, measured {number}", path.parent, read)
        for number, table in enumerate(tables, 1)
    )


def _measured(
    table: Any, where: str, folder: Path, read: Callable[[Sequence[Path]], tuple[Config, Knobs]]
) -> Measured:
    if not isinstance(table, dict):
        raise InputError(f"{where}: no table", remedy=_REMEDY)
    known = ("sdkconfig", _AVAILABLE, *METRICS)
    for key in table:
        if key not in known:
            raise InputError(f"{where}: unknown key '{key}'", remedy=f"valid: {', '.join(known)}")
    named = table.get("sdkconfig")
    names = [named] if isinstance(named, str) else named
    if not isinstance(names, list) or not names or not all(isinstance(n, str) for n in names):
        raise InputError(f"{where}: no sdkconfig", remedy=_REMEDY)
    figures = {key: value for key, value in table.items() if key != "sdkconfig"}
    for key, value in figures.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e6:
            raise InputError(f"{where}: {key} is not a figure above 0", remedy=_REMEDY)
    if not figures:
        raise InputError(f"{where}: no figure", remedy=_REMEDY)
    available = figures.pop(_AVAILABLE, None)
    config, knobs = read([folder / name for name in names])
    return Measured(
        config=config,
        knobs=knobs,
        throughput=figures,
        available_kb=available,
    )


def calibrated(constants: Constants, measured: Sequence[Measured]) -> Constants:
    """The constants with these throughputs in them."""
    throughput = _loosened(
        constants.throughput,
        constants.names,
        {f"chip.{each.knobs.chip}": _BOARD for each in measured if each.throughput},
    )
    for each in measured:
        for metric, value in each.throughput.items():
            try:
                cases = Cases([(each.knobs, metric)], constants.names, [value]).behind_air(
                    constants.widths.sharpness
                )
            except ValueError as error:
                raise InputError(
                    f"{metric}: {error}",
                    remedy="give a figure of Wi-Fi, of one stream, in Mbit/s",
                ) from None
            throughput = _reached(throughput, cases)
    return replace(constants, throughput=throughput)


def _loosened(posterior: Posterior, names: Sequence[str], widths: Mapping[str, float]) -> Posterior:
    """With more doubt about these constants."""
    more = np.array([widths.get(name, 0.0) ** 2 for name in names])
    return replace(posterior, covariance=posterior.covariance + np.diag(more))


def _reached(posterior: Posterior, cases: Cases) -> Posterior:
    """One observation of a throughput more, linear around the constants that come out."""
    moved = posterior
    for _ in range(_ROUNDS):
        expected, slope = cases.expected_and_slope(moved.theta)
        back = float(slope[0] @ (posterior.theta - moved.theta))
        moved = _moved(posterior, slope[0], float(cases.observed[0] - expected[0]) - back, _ERROR)
    return moved


def _moved(posterior: Posterior, slope: Array, off: float, error: float) -> Posterior:
    """One observation more, linear around the constants there are."""
    gain = posterior.covariance @ slope
    gain = gain / float(slope @ gain + error**2)
    kept = np.eye(len(slope)) - np.outer(gain, slope)
    covariance = kept @ posterior.covariance @ kept.T + error**2 * np.outer(gain, gain)
    return replace(posterior, theta=posterior.theta + gain * off, covariance=covariance)


def measured_beside(config: Path) -> Path | None:
    """The board's figures that are kept beside a configuration file; None: none."""
    kept = config.parent / KEPT
    return kept if kept.is_file() else None


def keep(path: Path, config: Path) -> str:
    """Writes the figures of `path`, which were read without an error, beside the configuration,
    where they are read from then on; a sentence that says so, or why they are not kept. A file
    that a user wrote there stays."""
    kept = config.parent / KEPT
    if kept.exists() and kept.resolve() == path.resolve():
        return f"calibrated by {path}"
    try:
        if kept.exists() and not kept.is_file():
            return f"calibrated by {path}; not kept: {kept}: is not a file"
        if kept.exists() and not kept.read_text(encoding="utf-8").startswith(_MARK):
            return f"calibrated by {path}; not kept, as {kept} has figures of its own"
        with open_output(kept, inputs=(path,)) as write:
            write(_kept_text(path, kept.parent).encode("utf-8"))
    except InputError as error:
        return f"calibrated by {path}; not kept: {error.message}"
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
        return f"calibrated by {path}; not kept: {kept}: {why}"
    return f"calibrated by {path}; kept as {kept}, which is read from now on (--no-measured: not)"


def _kept_text(path: Path, folder: Path) -> str:
    """The same tables; files are named from this folder."""
    lines = [f"{_MARK} {path.name}`; delete it to forget them."]
    for table in tomllib.loads(path.read_text(encoding="utf-8"))["measured"]:
        named = table["sdkconfig"]
        names = [named] if isinstance(named, str) else named
        moved = [os.path.relpath(path.parent / name, folder) for name in names]
        lines += ["", "[[measured]]", f"sdkconfig = {json.dumps(moved, ensure_ascii=False)}"]
        lines += [f"{key} = {value}" for key, value in table.items() if key != "sdkconfig"]
    return "\n".join(lines) + "\n"
