"""Where the device will be, and what was measured on it: options of every verb that predicts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

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
