"""`python -m heapscope_studies.wifi_model.fit`: the constants anew, from the rows of data/wifi.

    (no option)  writes data/wifi/model.json
    --check      fails (exit code 1) when that would change it
    --errors     only prints the errors on what was left out

Errors are measured by whole source, with everything chosen anew for each fold. The constants that
are written then come from all rows.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from heapscope.base.whole_file import write_whole
from heapscope.forecast.predict.constants import FILE, Constants
from heapscope.forecast.predict.posterior import Posterior
from heapscope.forecast.predict.wifi_table import chips
from heapscope_studies.wifi_model.folds import SPLITS, fitted, left_out
from heapscope_studies.wifi_model.left_out import (
    LeftOut,
    covered,
    ordered,
    percent,
)
from heapscope_studies.wifi_model.throughput_fit import choose_widths, fit_throughput

_TOLERANCE = 1e-3  # of a constant: other machines' arithmetic differs in the last digits


def fit_all() -> Constants:
    """From all rows. Widths and shape are chosen by the rank tables."""
    rows = fitted()
    groups = tuple(f"{chip.name}.{psram}" for chip in chips().values() for psram in chip.psram)
    widths = choose_widths(rows)
    names, throughput = fit_throughput(rows, widths, groups=groups)
    return Constants(
        names=names,
        throughput=throughput,
        widths=widths,
        measured={split.key: measured(left_out(split.key)) for split in SPLITS},
    )


def to_json(constants: Constants) -> dict[str, Any]:
    return {
        "heapscope_wifi_model": 1,
        "made_by": "python -m heapscope_studies.wifi_model.fit",
        "throughput": {
            "unit": "natural logarithms: of Mbit/s, of KB or buffers per Mbit/s, of shares",
            "widths": asdict(constants.widths),
            **_posterior(constants.names, constants.throughput),
        },
        "measured": {key: dict(value) for key, value in constants.measured.items()},
    }


def _posterior(names: tuple[str, ...], posterior: Posterior) -> dict[str, Any]:
    """Covariance: of each constant with those up to it."""
    return {
        "constants": {
            name: _digits(value, 8) for name, value in zip(names, posterior.theta, strict=True)
        },
        "covariance": [
            [_digits(posterior.covariance[row, column], 6) for column in range(row + 1)]
            for row in range(len(names))
        ],
        "log_evidence": _digits(posterior.log_evidence, 8),
    }


def _digits(value: float, digits: int) -> float:
    return float(f"{value:.{digits}g}")


def measured(left_outs: Sequence[LeftOut]) -> dict[str, float]:
    """Errors of one split: percent of a throughput, and shares inside the bands."""
    errors = percent(left_outs)
    right, pairs = ordered(left_outs)
    inside = {share: covered(left_outs, share=share / 100) for share in (80, 95)}
    return {
        "figures": len(errors),
        "median_pct": _round(np.median(errors)),
        "mean_pct": _round(errors.mean()),
        "p90_pct": _round(np.percentile(errors, 90)),
        "pairs_right": right,
        "pairs": pairs,
        "in_80_pct": _round(100 * inside[80][0] / inside[80][1]),
        "in_95_pct": _round(100 * inside[95][0] / inside[95][1]),
    }


def error_table(result: Mapping[str, Mapping[str, float]]) -> str:
    """The errors as the documentation shows them."""
    lines = [
        "| left out | figures | median | p90 | pairs right | in 80 % | in 95 % |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for split in SPLITS:
        of = result[split.key]
        lines.append(
            f"| {split.title} | {of['figures']} | {of['median_pct']:.1f} % | {of['p90_pct']:.0f} % "
            f"| {of['pairs_right']} of {of['pairs']} | {of['in_80_pct']:.0f} % "
            f"| {of['in_95_pct']:.0f} % |"
        )
    return "\n".join(lines)


def same(new: Any, old: Any) -> bool:
    """Equal but for the last digits of numbers."""
    if isinstance(new, dict):
        return new.keys() == old.keys() and all(same(new[key], old[key]) for key in new)
    if isinstance(new, list):
        return len(new) == len(old) and all(map(same, new, old))
    if isinstance(new, float | int) and isinstance(old, float | int):
        return abs(new - old) <= _TOLERANCE * max(1.0, abs(old))
    return bool(new == old)


def main(arguments: Sequence[str]) -> int:
    if "--errors" in arguments:
        print(error_table({split.key: measured(left_out(split.key)) for split in SPLITS}))
        return 0
    document = to_json(fit_all())
    if "--check" in arguments:
        if FILE.is_file() and same(document, json.loads(FILE.read_text(encoding="utf-8"))):
            return 0
        print(f"{FILE.name} is not what the rows give; write it anew: without --check")
        return 1
    write_whole(FILE, _text(document).encode("utf-8"))
    return 0


def _text(document: dict[str, Any]) -> str:
    """A constant a line, a row of the covariance a line."""
    lines = json.dumps(document, indent=1).splitlines()
    built: list[str] = []
    open_row = False
    for line in lines:
        if open_row:
            built[-1] += line.strip() + (" " if line.strip().endswith(",") else "")
            open_row = line.strip() not in ("]", "],")
        else:
            built.append(line)
            open_row = line.strip() == "["
    return "\n".join(line.rstrip() for line in built) + "\n"


def _round(value: float | np.floating[Any]) -> float:
    return round(float(value), 2)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
