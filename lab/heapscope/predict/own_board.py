"""Figures of the user's own board, kept beside its configuration."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from heapscope.config.config import Config
from heapscope.layout.chosen_config import choose_config
from heapscope.predict.calibrate import Measured, keep, measured_beside, read_measured
from heapscope.predict.config_knobs import knobs_of
from heapscope.predict.wifi_table import Knobs


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

    found = read_measured(kept, read)
    if measured is None or not files or str(files[-1]) == "-":
        return found, (f"calibrated by {kept}",)
    return found, (keep(measured, files[-1]),)
