"""Arguments and options that several verbs share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from heapscope.memory.values import offered

Trace = Annotated[Path, typer.Argument(metavar="T.hst", help="Trace (.hst, or .hst.zst).")]

Traced = Annotated[
    bool,
    typer.Option(
        "--traced",
        help="The trace has the blocks of Wi-Fi, lwIP and Bluetooth too: they count once.",
    ),
]

Json = Annotated[
    Path | None,
    typer.Option(
        "--json",
        metavar="FILE",
        help='Also write the result as JSON; "-": to standard output, in place of the tables.',
    ),
]


def _fold(patterns: list[str] | None) -> list[str] | None:
    from heapscope.trace.fold_sites import fold

    fold(patterns or ())
    return patterns


Fold = Annotated[
    list[str] | None,
    typer.Option(
        "--fold",
        metavar="PATTERN",
        callback=_fold,
        help="Leave the frames of these functions or libraries out of call sites that are shown: "
        "the beginning of a name (std::), or one with * and ? (*.so*). May be repeated.",
    ),
]

Needs = Annotated[
    list[str] | None,
    typer.Option(
        "--need",
        metavar="BYTES[:CAPS]",
        help="Ask whether a request of this size would succeed at every moment, for malloc or with "
        "capabilities (16717, 16.5KB, 32KB:INTERNAL). May be repeated.",
    ),
]


#: heapscope.simulation.jitter.runs.STRENGTH, which takes too long to import for a help text.
STRENGTH = 0.25
Runs = Annotated[
    int | None,
    typer.Option(
        "--jitter",
        metavar="N",
        help="Also replay N perturbed runs: sizes that call sites have shown, other orders of "
        "tasks, more or fewer connections.",
    ),
]
Seed = Annotated[int, typer.Option("--jitter-seed", metavar="N", help="Other perturbed runs (0).")]
Strength = Annotated[
    float,
    typer.Option(
        "--jitter-strength",
        metavar="X",
        help="Share of the allocations with another size, from 0 to 1 (0.25).",
    ),
]

Chip = Annotated[
    str | None,
    typer.Option(
        "--chip",
        metavar="C",
        help="Chip (as CONFIG_IDF_TARGET says).",
        autocompletion=offered("chip"),
    ),
]
Idf = Annotated[
    str | None,
    typer.Option(
        "--idf",
        metavar="V",
        help="ESP-IDF version (as the file says, or 5.5).",
        autocompletion=offered("idf"),
    ),
]

ProjectFolder = Annotated[
    Path | None,
    typer.Option(
        "--project",
        metavar="FOLDER",
        help="The project: its own Kconfig options count, and its sdkconfig files where no others "
        "are given.",
    ),
]
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
