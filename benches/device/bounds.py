"""Bounds of the library's operations on RV32IMC, and the largest counts seen beside them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from emulation.bounds import Bounds
from emulation.bounds_code import CodeError
from emulation.bounds_held import Held
from emulation.bounds_source import line_of
from emulation.bounds_trace import Addresses, Trace, held
from emulation.build import OPTIMISED
from emulation.events import ALIGNED, CALLOC, EVENT, FREE, MALLOC, REALLOC, Rows
from emulation.machine import POOL, Machine
from emulation.places import ROOT
from emulation.program import build_program
from emulation.run import SKIPPED
from emulation.targets import TARGETS

__all__ = ["CALLS", "WAYS", "Seen", "Way", "bounds_of", "image", "derived", "measured_bounds", "report", "seen"]

HERE = Path(__file__).resolve().parent
PORT = ROOT / "device" / "include" / "heapscope" / "port.h"
TARGET = TARGETS["rv32imc"]
LARGEST, USABLE = 6, 7  #: as in bounds_driver.c
MAP = 2  #: words of the map of bins
OWNERS = 8  #: rows of the table of owners
EVENTS_AT, SLOTS_AT, RESULTS_AT = 0x3000_0000, 0x3800_0000, 0x3C00_0000
#: Of a heap of the small form.
WIDE = tuple(
    f"hs_wide_{name}" for name in ("malloc", "free", "realloc", "aligned", "largest", "fits")
)
#: Of a heap whose data are as the library left them, and calls with the addresses of blocks.
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
    """What the port calls its functions that begin a section, and those that end it."""
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
    sources = [HERE / "bounds_driver.c", HERE / "bounds_hooks.c", ROOT / "device" / "port" / "bare" / "port.c"]
    return build_program(
        TARGET, sources, level=OPTIMISED, flags=flags, keep=tuple(dict.fromkeys(keep))
    )


def bounds_of(way: Way, call: str = "", path: Path | None = None) -> Bounds:
    """For one call; empty: for any. `path`: an image; None: the library's."""
    begin, end = locks()
    meaning = {"copied": 0, "filled": 0, "map": MAP, "regions": max(way.regions, 1)}
    meaning |= {"rules": 0, "choices": 1}
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
        never=(*WIDE, *FAULTS, *way.never, *(NOT_OF.get(call, ()) if way.regions else ())),
    )


# ---- seen -----------------------------------------------------------------------------------------


def rows_of(events: Sequence[tuple[int, int, int, int]]) -> Rows:
    return np.array(events, EVENT)


def random_rows(random: np.random.Generator, count: int, slots: int, most: int) -> Rows:
    """Any calls; sizes of all magnitudes."""
    kinds = random.choice(
        [MALLOC, CALLOC, ALIGNED, REALLOC, FREE, LARGEST, USABLE],
        size=count,
        p=[0.4, 0.03, 0.07, 0.12, 0.34, 0.02, 0.02],
    )
    rows = np.zeros(count, EVENT)
    rows["kind"] = kinds
    rows["slot"] = random.integers(0, slots, count)
    rows["after"] = random.integers(3, 9, count)
    rows["size"] = np.exp2(random.uniform(0, np.log2(most), count)).astype(np.uint32)
    return rows


def one_bin(least: int, most: int, wanted: int, slots: int) -> Rows:
    """Free blocks of one bin, each smaller than the one before, between used ones; then a request
    that all of them, or none, are large enough for; sizes in granules."""
    events = []
    for slot in range(slots):
        granules = most - slot // 2 % (most - least + 1)
        events.append((MALLOC, slot, 0, 8 * granules if slot % 2 == 0 else 16))
    fill = [(MALLOC, slots + slot, 0, 32000 >> slot // 8) for slot in range(96)]
    free = [(FREE, slot, 0, 0) for slot in range(0, slots, 2)]
    more = [(MALLOC, slot, 0, 8 * wanted) for slot in range(0, slots, 2)]
    every = [(FREE, slot, 0, 0) for slot in range(slots + 96)]
    return rows_of([*events, *fill, *free, (LARGEST, 0, 0, 0), *more, *every])


def loads(seed: int) -> Iterator[tuple[int, Rows]]:
    """Sizes of pools, and events on them."""
    random = np.random.default_rng(seed)
    for pool, slots, most in ((4096, 40, 300), (16384, 60, 3000), (65536, 200, 20000)):
        yield pool, random_rows(random, 1500, slots, most)
        yield pool, random_rows(random, 1500, slots, 60)
    for least, most in ((16, 19), (20, 23), (80, 95)):
        for wanted in (least, most, most + 1):
            yield 65536, one_bin(least, most, wanted, 56)


@dataclass(frozen=True)
class Seen:
    """Of each call the most instructions, and the most with a lock held; and all calls' traces."""

    most: Mapping[str, int]
    held: Mapping[str, int]
    traces: Sequence[Addresses] = field(repr=False)


def seen(number: int, seed: int = 1) -> Seen:
    most: Counter[str] = Counter()
    traces: list[Addresses] = []
    of_lock: Counter[str] = Counter()
    bounds = bounds_of(WAYS[number])
    for pool, rows in loads(seed):
        machine = Machine(TARGET, image())
        machine.map(POOL, pool)
        trace = Trace(machine)
        machine.map(EVENTS_AT, rows.nbytes)
        machine.map(SLOTS_AT, 4 * (int(rows["slot"].max()) + 1))
        machine.map(RESULTS_AT, 4 * len(rows))
        machine.write(EVENTS_AT, np.ascontiguousarray(rows).tobytes())
        if machine.call("bounds_open", number, POOL, pool) == 0:
            raise RuntimeError(f"{WAYS[number].name}: refused")
        trace.taken()
        machine.call("bounds_run", EVENTS_AT, len(rows), SLOTS_AT, RESULTS_AT)
        calls = trace.taken()
        results = np.frombuffer(machine.read(RESULTS_AT, 4 * len(rows)), "<u4")
        made = rows["kind"][results != SKIPPED]
        if len(made) != len(calls):
            raise RuntimeError(f"{len(made)} calls were made and {len(calls)} seen")
        for kind, call in zip(made, calls, strict=True):
            name = CALLS[int(kind)]
            most[name] = max(most[name], len(call))
            if WAYS[number].regions:
                of_lock[name] = max(of_lock[name], held(bounds, call, *locks()))
        traces += calls
    return Seen(most, of_lock, traces)


# ---- together -------------------------------------------------------------------------------------


def derived(way: Way, call: str) -> dict[str, Any]:
    """The bound of a call and of the time that it holds a lock; or why there is none."""
    bounds, name = bounds_of(way, call), function_of(way, call)
    try:
        row: dict[str, Any] = {"bound": bounds.of(name).instructions}
        if way.regions:
            row["held"] = Held(bounds, *locks()).of(name)
    except CodeError as error:
        return {"refused": str(error)}
    return row


def measured_bounds(name: str = "") -> dict[str, Any]:
    """Of each way whose name begins so, and each call: what is derived, and the most that was seen."""
    rows: dict[str, Any] = {}
    for number, way in enumerate(WAYS):
        if not way.name.startswith(name):
            continue
        found = seen(number)
        rows[way.name] = {}
        for call in CALLS.values():
            row = derived(way, call)
            row["seen"] = found.most.get(call, 0)
            if way.regions:
                row["held_seen"] = found.held.get(call, 0)
            rows[way.name][call] = row
    return rows


def report(way: Way, call: str, lines: int = 40) -> str:
    """The longest way of a call, by function and by line."""
    bounds = bounds_of(way, call)
    bound = bounds.of(function_of(way, call))
    own: Counter[str] = Counter()
    whole: Counter[str] = Counter()
    by_line: Counter[tuple[str, int, str]] = Counter()
    for address, times in bound.visits.items():
        frames = bounds.lines.frames(address)
        if not frames:
            own["(no C)"] += times
            continue
        own[frames[0].function] += times
        for name in {frame.function for frame in frames}:
            whole[name] += times
        top = frames[0]
        by_line[top.path.name, top.line, line_of(top.path, top.line).strip()] += times
    out = [f"{way.name}, {call}: at most {bound.instructions} instructions", ""]
    out += ["  with inlined  itself  function"]
    out += [f"  {whole[name]:>12}  {own[name]:>6}  {name}" for name, _ in whole.most_common(lines)]
    out += ["", "  instructions  line"]
    for (name, line, said), times in by_line.most_common(lines):
        out.append(f"  {times:>12}  {name}:{line}: {said}")
    return "\n".join(out)
