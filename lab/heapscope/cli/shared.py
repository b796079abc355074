"""Arguments and options that several verbs share. A flag is declared once, here or in
heapscope.memory.options, so that it means the same everywhere; what is special about it in a verb
is in that verb's text."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from typer.models import OptionInfo

from heapscope.cli.memory import memory_option

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


def output(metavar: str) -> OptionInfo:
    """The one way to name what a verb writes; the verb's text says what that is."""
    option: OptionInfo = typer.Option(
        "--output", "-o", metavar=metavar, help="Where the output goes.", show_default=False
    )
    return option


Needs = Annotated[
    list[str] | None,
    typer.Option(
        "--need",
        metavar="BYTES[:CAPS]",
        help="Ask whether a request of this size would succeed, for malloc or with capabilities "
        "(16717, 16.5KB, 32KB:INTERNAL). May be repeated.",
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
Plan = Annotated[
    bool,
    typer.Option(
        "--plan",
        help="Also one combined set of changes, searched for by replays and tested on perturbed "
        "runs.",
    ),
]
Strength = Annotated[
    float,
    typer.Option(
        "--jitter-strength",
        metavar="X",
        help="Share of the allocations with another size, from 0 to 1 (0.25).",
    ),
]

Chip = Annotated[str | None, memory_option("chip")]
Idf = Annotated[str | None, memory_option("idf")]
Elf = Annotated[Path | None, memory_option("elf")]
Map = Annotated[Path | None, memory_option("map")]
Sdkconfig = Annotated[Path | None, memory_option("sdkconfig")]
Place = Annotated[Path | None, memory_option("place")]
Allocators = Annotated[list[str] | None, memory_option("allocator")]
StaticDram = Annotated[str | None, memory_option("static_dram")]

Sdkconfigs = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="[SDKCONFIG...]",
        help="sdkconfig, sdkconfig.json or sdkconfig.defaults; of several, later ones win.",
        show_default=False,
    ),
]
Tcp = Annotated[
    int, typer.Option("--tcp", min=0, max=253, help="TCP connections at the same time.")
]
Udp = Annotated[int, typer.Option("--udp", min=0, max=253, help="UDP sockets at the same time.")]
Tls = Annotated[int, typer.Option("--tls", min=0, max=253, help="TLS sessions at the same time.")]
Links = Annotated[
    str | None,
    typer.Option(
        "--links",
        metavar="wifi,ble",
        help="Radios that the firmware has linked at boot and app_main already.",
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
Poisoning = Annotated[
    str | None,
    typer.Option(
        "--poisoning",
        metavar="P",
        help="The heap's poisoning, where it is known: none, light, comprehensive.",
    ),
]
Sarif = Annotated[
    Path | None,
    typer.Option("--sarif", metavar="FILE", help="Also write what is found as SARIF."),
]
Seconds = Annotated[
    float | None,
    typer.Option("--seconds", metavar="N", min=0.0, help="End after so many seconds."),
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
