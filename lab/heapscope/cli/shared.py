"""What the verbs share: arguments, and what the user said of the layout."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

__all__ = ["LAYOUT_FILES", "Fold", "Json", "LayoutOptions", "Needs", "Trace"]

#: Options of a layout that name a file.
LAYOUT_FILES = ("boot_log", "sdkconfig", "elf", "map", "layout", "place")

Trace = Annotated[Path, typer.Argument(metavar="T.hst", help="Trace (.hst, or .hst.zst).")]

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
        help="Ask whether one block of this size would have fitted, at every moment, from malloc "
        "or with capabilities (16717, 4KB:DMA). May be repeated.",
    ),
]


@dataclass(frozen=True, kw_only=True)
class LayoutOptions:
    """What the user said about the memory to replay on, as typed; None: nothing."""

    chip: str | None = None
    idf: str | None = None
    boot_log: str | None = None
    sdkconfig: str | None = None
    cores: str | None = None
    static_dram: str | None = None
    static_iram: str | None = None
    elf: str | None = None
    map: str | None = None
    psram: str | None = None
    psram_threshold: str | None = None
    psram_reserve: str | None = None
    rtc: str | None = None
    memprot: str | None = None
    iram_8bit: str | None = None
    layout: str | None = None
    pool: str | None = None
    allocator: str | None = None
    place: str | None = None

    @property
    def files(self) -> tuple[Path, ...]:
        """What is read, so that no output takes its place."""
        return tuple(Path(name) for one in LAYOUT_FILES if (name := getattr(self, one)))
