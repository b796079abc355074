"""Options and arguments that several verbs share. A flag is declared once, here or in
heapscope.memory.options, so that it means the same everywhere; what is special about it in a verb
is in that verb's text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

from heapscope.base.option import Option
from heapscope.base.request import Needed
from heapscope.memory.options import DECLARED, Bytes

#: heapscope.simulation.jitter.runs.STRENGTH, which takes too long to import for a help text.
STRENGTH = 0.25


def _project_files(folder: str | Path) -> Iterable[Path]:
    from heapscope.cli.verbs.project_files import project_files

    return project_files(folder)


def output(metavar: str, *, writes: bool = True, required: bool = False) -> Option:
    """The one way to name what a verb writes; the verb's text says what that is."""
    return Option(
        metavar,
        "Where the output goes.",
        flags=("--output", "-o"),
        writes=writes,
        required=required,
    )


Trace = Annotated[str | Path, Option("T.hst", "Trace (.hst, or .hst.zst).")]
OwnTrace = Annotated[
    str | Path | None, Option("T.hst", "The program's own allocations, which must fit too.")
]
State = Annotated[
    str | Path | None,
    Option("LOG", "Begin with the heaps as the end of this log, or a memory image, has them."),
]
Traced = Annotated[
    bool,
    Option("", "The trace has the blocks of Wi-Fi, lwIP and Bluetooth too: they count once."),
]
Json = Annotated[
    Path | None,
    Option(
        "FILE",
        'Also write the result as JSON; "-": to standard output, in place of the tables.',
        writes=True,
    ),
]
JsonBrief = Annotated[
    Path | None,
    Option(
        "FILE",
        'Also write the answer and its figures as JSON of at most 2 KB; "-": to standard output.',
        writes=True,
    ),
]
EveryRow = Annotated[
    bool, Option("", "Print all rows and explanations, not the first ones alone.", flags=("--all",))
]
Fold = Annotated[
    Sequence[str] | None,
    Option(
        "PATTERN",
        "Leave the frames of these functions or libraries out of call sites that are shown: "
        "the beginning of a name (std::), or one with * and ? (*.so*). May be repeated.",
    ),
]
Needs = Annotated[
    Needed,
    Option(
        "BYTES[:CAPS]",
        "Ask whether a request of this size would succeed, for malloc or with capabilities "
        "(16717, 16.5KB, 32KB:INTERNAL). May be repeated.",
        flags=("--need",),
    ),
]
Runs = Annotated[
    int | None,
    Option(
        "N",
        "Also replay N perturbed runs: sizes that call sites have shown, other orders of tasks, "
        "more or fewer connections.",
    ),
]
Seed = Annotated[int, Option("N", "Other perturbed runs (0).")]
Strength = Annotated[
    float, Option("X", "Share of the allocations with another size, from 0 to 1 (0.25).")
]
Plan = Annotated[
    bool,
    Option(
        "",
        "Also one combined set of changes, searched for by replays and tested on perturbed runs.",
    ),
]

Chip = Annotated[str | None, DECLARED["chip"]]
Idf = Annotated[str | None, DECLARED["idf"]]
System = Annotated[str | None, DECLARED["system"]]
PsramSize = Annotated[Bytes | None, DECLARED["psram"]]
Elf = Annotated[str | Path | None, DECLARED["elf"]]
Map = Annotated[str | Path | None, DECLARED["map"]]
Bin = Annotated[str | Path | None, DECLARED["bin"]]
Sdkconfig = Annotated[str | Path | None, DECLARED["sdkconfig"]]
Layout = Annotated[str | Path | None, DECLARED["layout"]]
Place = Annotated[str | Path | None, DECLARED["place"]]
Allocators = Annotated[str | Iterable[str], DECLARED["allocator"]]
StaticDram = Annotated[int | str | None, DECLARED["static_dram"]]

Sdkconfigs = Annotated[
    str | Path,
    Option(
        "[SDKCONFIG...]",
        "sdkconfig, sdkconfig.json or sdkconfig.defaults; of several, later ones win.",
    ),
]
Tcp = Annotated[int, Option("", "TCP connections at the same time.", least=0, most=253)]
Udp = Annotated[int, Option("", "UDP sockets at the same time.", least=0, most=253)]
Tls = Annotated[int, Option("", "TLS sessions at the same time.", least=0, most=253)]
Links = Annotated[
    str | Sequence[str],
    Option("wifi,ble", "Radios that the firmware has linked at boot and app_main already."),
]
ProjectFolder = Annotated[
    str | Path | None,
    Option(
        "FOLDER",
        "The project: its own Kconfig options count, and its sdkconfig files where no others "
        "are given.",
        reads=_project_files,
    ),
]
Poisoning = Annotated[
    str | None,
    Option("P", "The heap's poisoning, where it is known: none, light, comprehensive."),
]
Sarif = Annotated[Path | None, Option("FILE", "Also write what is found as SARIF.", writes=True)]
Seconds = Annotated[float | None, Option("N", "End after so many seconds.", least=0.0)]
Air = Annotated[bool, Option("", "In air, not in a shielded box.")]
Rtt = Annotated[float, Option("MS", "Round trip beyond that of the box.")]
Loss = Annotated[float, Option("PERCENT", "Frames lost for good.")]
MeasuredFile = Annotated[
    str | Path | None,
    Option(
        "F.toml",
        "Figures of your own board; kept beside the configuration, and read from there from then "
        "on (heapscope-measured.toml).",
    ),
]
NoMeasured = Annotated[bool, Option("", "Leave heapscope-measured.toml aside.")]


def each_of(links: str | Sequence[str]) -> tuple[str, ...]:
    """The radios of --links, which may stand in one word with commas."""
    words = [links] if isinstance(links, str) else links
    return tuple(link for word in words for link in word.split(",") if link)


def inputs_of(file: str | Path) -> Iterable[Path]:
    """The files that a check reads."""
    from heapscope.cli.verbs.checked import inputs_of

    return inputs_of(file)
