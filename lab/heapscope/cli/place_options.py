"""Where the device will be, and what was measured on it: options of every verb that predicts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from heapscope.predict.calibrate import Measured
    from heapscope.predict.environment import Environment
    from heapscope.predict.wifi_table import Knobs

__all__ = ["Air", "Loss", "MeasuredFile", "NoMeasured", "Rtt", "environment_of", "measured_of"]

Air = Annotated[bool, typer.Option("--air", help="In air, not in a shielded box.")]
Rtt = Annotated[
    float, typer.Option("--rtt", metavar="MS", help="Round trip beyond that of the box.")
]
Loss = Annotated[float, typer.Option("--loss", metavar="PERCENT", help="Frames lost for good.")]
MeasuredFile = Annotated[
    Path | None,
    typer.Option(
        "--measured",
        metavar="F.toml",
        help="Figures of your own board; kept beside the configuration, and read from there from "
        "then on (heapscope-measured.toml).",
    ),
]
NoMeasured = Annotated[
    bool, typer.Option("--no-measured", help="Leave heapscope-measured.toml aside.")
]


def environment_of(*, air: bool, rtt: float, loss: float) -> Environment:
    from heapscope.predict.environment import AIR, SHIELDED, Environment

    return Environment(place=AIR if air else SHIELDED, round_trip_ms=rtt, loss=loss / 100)


def measured_of(
    files: Sequence[Path],
    *,
    measured: Path | None,
    no_measured: bool,
    chip: str | None,
    idf: str | None,
) -> tuple[tuple[Measured, ...], tuple[str, ...]]:
    """Figures of the user's own board, and what to say of them. `files`: the configuration's."""
    from heapscope.cli.config_choice import built_config, choose_config
    from heapscope.predict.calibrate import keep, measured_beside, read_measured
    from heapscope.predict.config_knobs import knobs_of

    beside = measured_beside(files[-1]) if files else None
    kept = None if no_measured else measured or beside
    if kept is None:
        return (), ()

    def knobs(paths: Sequence[Path]) -> Knobs:
        built, _ = built_config(choose_config(paths, chip=chip, idf=idf).config)
        return knobs_of(built, idf=idf).knobs

    found = read_measured(kept, knobs)
    if measured is None or not files or str(files[-1]) == "-":
        return found, (f"calibrated by {kept}",)
    return found, (keep(measured, files[-1]),)
