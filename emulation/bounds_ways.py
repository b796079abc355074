"""The operations whose bounds are derived: of the heap, of a guard around it, of sets of regions;
on RV32IMC, by the port for bare metal."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from emulation.bounds import Bounds
from emulation.bounds_held import Held
from emulation.build import OPTIMISED
from emulation.events import ALIGNED, CALLOC, FREE, MALLOC, REALLOC
from emulation.places import HERE, ROOT
from emulation.program import build_program
from emulation.targets import TARGETS

__all__ = [
    "APART",
    "CALLS",
    "LARGEST",
    "MAP",
    "TARGET",
    "USABLE",
    "WAYS",
    "Way",
    "bounds_of",
    "function_of",
    "held_of",
    "image",
    "locks",
]

PORT = ROOT / "device" / "include" / "heapscope" / "port.h"
TARGET = TARGETS["rv32imc"]
LARGEST, USABLE = 6, 7  #: as in bounds_driver.c
#: The rounds of loops that copy or fill, or compare what was filled. Their number is that of the
#: bytes, and bounds are without them.
APART = ("copied", "filled")
MAP = 2  #: words of the map of bins
OWNERS = 8  #: rows of the table of owners
WIDE = "hs_wide_*"  #: never called for a heap of the small form
#: Never called where a heap's data are as the library left them, and addresses are those of blocks.
FAULTS = ("hs_guard_report", "hs_guard_examine", "hs_heap_check", "hs_heap_check_block")
WALK = ("hs_guard_walk_now", "hs_guard_check")  #: of the guard's level 3
#: From level 1 on.
MARKS = ("malloc_marked", "hs_guard_write_marks")
#: From level 0 on.
LINKS = tuple(
    f"hs_guard_{name}"
    for name in ("candidate", "can_take_slot", "can_align", "can_put", "look_around")
)
OWNED = tuple(f"hs_owners_{name}" for name in ("row", "took", "gave", "resized"))


@dataclass(frozen=True)
class Way:
    """`stem`: of its functions' names. `regions`: how many the set has."""

    name: str
    stem: str
    never: tuple[str, ...] = ()
    regions: int = 0


#: Numbered as in bounds_driver.c.
WAYS = (
    Way("heap", "hs_heap"),
    Way("guard, level 0", "hs_guard", (*WALK, *MARKS)),
    Way("guard, level 1, owners", "hs_guard", WALK),
    Way("guard, level 2, owners", "hs_guard", WALK),
    Way("regions, 1", "hs_regions", (*WALK, *MARKS, *LINKS, *OWNED), regions=1),
    Way("regions, the fifth of 5", "hs_regions", (*WALK, *MARKS, *LINKS, *OWNED), regions=5),
    Way("regions, the same, owners", "hs_regions", (*WALK, *MARKS), regions=5),
)
CALLS = {
    MALLOC: "malloc",
    CALLOC: "calloc",
    ALIGNED: "aligned_alloc",
    REALLOC: "realloc",
    FREE: "free",
    LARGEST: "largest",
    USABLE: "usable_size",
}
#: All requests of regions go the same way; these have no alignment.
NOT_OF = dict.fromkeys(("malloc", "calloc", "realloc"), ("hs_guard_aligned_alloc",))


def function_of(way: Way, call: str) -> str:
    if call == "largest" and way.stem == "hs_regions":
        call = "largest_allocatable"
    return f"{way.stem}_{call}"


@cache
def locks() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of the port's functions that begin a section, and of those that end it."""
    names = re.findall(r"\b(hs_port_\w+)\(", PORT.read_text(encoding="utf-8"))
    begin = re.compile(r"hs_port_(lock\w*|enter)$")
    end = re.compile(r"hs_port_(unlock\w*|leave)$")
    return (
        tuple(dict.fromkeys(name for name in names if begin.match(name))),
        tuple(dict.fromkeys(name for name in names if end.match(name))),
    )


def of_regions(names: Sequence[str]) -> str:
    """The one that hs_regions_config_t takes."""
    return next((name for name in names if name.endswith("_region")), names[-1])


@cache
def image() -> Path:
    """All parts with the port for bare metal, as the other figures' image, and with lines, which
    change no instruction."""
    begin, end = (tuple(n for n in names if n.startswith("hs_port_")) for names in locks())
    lock = of_regions([name for name in begin if "lock" in name])
    unlock = of_regions([name for name in end if "lock" in name])
    flags = [f"-DLOCK={lock}", f"-DUNLOCK={unlock}", f"-DOWNERS={OWNERS}", "-gline-tables-only"]
    keep = ["bounds_open", "bounds_run"]
    keep += [function_of(way, call) for way in WAYS for call in CALLS.values()]
    sources = [
        HERE / "bounds_driver.c",
        HERE / "bounds_hooks.c",
        ROOT / "device" / "port" / "bare" / "port.c",
    ]
    return build_program(
        TARGET, sources, level=OPTIMISED, flags=flags, keep=tuple(dict.fromkeys(keep))
    )


def bounds_of(way: Way, call: str = "", path: Path | None = None) -> Bounds:
    """For one call; empty: for any. `path`: an image; None: the library's."""
    begin, end = locks()
    meaning = dict.fromkeys(APART, 0)
    meaning |= {"map": MAP, "regions": way.regions, "rules": 0, "choices": 1}
    hooks = {
        "lock": [of_regions([name for name in begin if "lock" in name])],
        "unlock": [of_regions([name for name in end if "lock" in name])],
        "task": ["bounds_task"],
        "site": [],
        "failed": [],
    }
    return Bounds(
        image() if path is None else path,
        meaning=meaning,
        hooks=hooks,
        never=(WIDE, *FAULTS, *way.never, *(NOT_OF.get(call, ()) if way.regions else ())),
    )


def held_of(way: Way, call: str) -> int:
    """How long the call holds a lock at most. CodeError: there is no bound."""
    return Held(bounds_of(way, call), *locks()).of(function_of(way, call))
