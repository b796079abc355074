"""The cost of the guard: bytes a block, on this machine; instructions a call, in emulation."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import numpy as np
from emulation.build import build_image, heap_sources, host_library
from emulation.events import CALLOC, FREE, MALLOC, REALLOC, Rows, load
from emulation.machine import PAGE
from emulation.places import ROOT
from emulation.run import SKIPPED, EmulatedHeap, Form
from emulation.targets import TARGETS

__all__ = ["CHIPS", "LEVELS", "TRACES", "guard_sources", "instructions", "overheads"]

DRIVER = Path(__file__).parent / "guard_driver.c"
TRACES = ("script_json", "tls_rsa_cli", "mix_gateway")
EVENTS = 4_000  # of each trace
POOL = 400_000
CHIPS = ("x86-32", "rv32imc", "cortex-m4")
#: The measured choices, by name: the level, owners, sites.
LEVELS = {
    "off": (-1, False, False),
    "off, owners": (-1, True, False),
    "0 links": (0, False, False),
    "0 links, owners": (0, True, False),
    "1 canaries": (1, True, False),
    "1 canaries, sites": (1, True, True),
    "2 fill": (2, True, False),
    "3 walk": (3, True, False),
}
CALLS = {"malloc": MALLOC, "calloc": CALLOC, "realloc": REALLOC, "free": FREE}


def guard_sources() -> list[Path]:
    return [DRIVER, *sorted((ROOT / "device" / "src" / "guard").glob("*.c")), *heap_sources()]


def chosen(name: str, alignment: int) -> int:
    """The encoding of guard_driver.c."""
    level, owners, sites = LEVELS[name]
    return alignment | (level + 1) << 8 | owners << 16 | sites << 17


def rows_of(trace: str) -> Rows:
    folders = (ROOT / "studies" / "workloads" / "captured", ROOT / "tests" / "oracle" / "traces")
    return load(next(p for folder in folders for p in folder.glob(f"{trace}.hst*")), EVENTS)


def overhead(rows: Rows, name: str, form: Form, alignment: int) -> float:
    """Mean bytes of a block beyond what was asked for, its share of the bitmap included."""
    library = ctypes.CDLL(str(host_library("guard", guard_sources())))
    library.drive_create.restype = ctypes.c_void_p
    library.drive_create.argtypes = [ctypes.c_void_p, *[ctypes.c_uint32] * 3]
    library.drive_overhead.argtypes = [
        *[ctypes.c_void_p] * 2,
        ctypes.c_uint32,
        *[ctypes.c_void_p] * 2,
    ]
    memory = np.zeros(POOL + PAGE, np.uint8)
    base = memory.ctypes.data + -memory.ctypes.data % PAGE
    guard = library.drive_create(base, POOL, form, chosen(name, alignment))
    events = np.ascontiguousarray(rows)
    slots = np.zeros(int(max(rows["slot"].max(), rows["after"].max())) + 1, np.uintp)
    sums = np.zeros(2, np.uint64)
    library.drive_overhead(
        guard, events.ctypes.data, len(rows), slots.ctypes.data, sums.ctypes.data
    )
    return float(sums[1]) / float(sums[0])


def overheads(traces: tuple[str, ...] = TRACES) -> dict[str, dict[str, float]]:
    """By level, then by form and alignment: the mean over the traces."""
    table: dict[str, dict[str, float]] = {}
    all_rows = [rows_of(trace) for trace in traces]
    for name, (_, _, sites) in LEVELS.items():
        if sites:
            continue  # pointers of this machine have another size
        table[name] = {}
        for form in (Form.SMALL, Form.WORD):
            for alignment in (4, 8, 16):
                own = [overhead(rows, name, form, alignment) for rows in all_rows]
                key = f"{form.name.lower()} {alignment}"
                table[name][key] = round(sum(own) / len(own), 2)
    return table


def instructions(
    chips: tuple[str, ...] = CHIPS, traces: tuple[str, ...] = TRACES, count: int = EVENTS
) -> dict[str, Any]:
    """By chip, level and call: mean, 99th percentile and most, over all calls of the traces."""
    table: dict[str, Any] = {}
    for chip in chips:
        target = TARGETS[chip]
        image = build_image(target, guard_sources())
        for name in LEVELS:
            taken: dict[str, list[Any]] = {call: [] for call in CALLS}
            for trace in traces:
                rows = rows_of(trace)[:count]
                heap = EmulatedHeap(
                    target,
                    image,
                    POOL,
                    form=Form.SMALL,
                    alignment=chosen(name, 8),
                    events=len(rows),
                )
                replay = heap.replay(rows)
                for call, kind in CALLS.items():
                    built = (rows["kind"] == kind) & (replay.results != SKIPPED)
                    taken[call].append((replay.counts + replay.copying)[built])
            for call, parts in taken.items():
                all_counts = np.concatenate(parts)
                if len(all_counts):
                    table.setdefault(chip, {}).setdefault(name, {})[call] = {
                        "mean": round(float(all_counts.mean()), 1),
                        "p99": int(np.percentile(all_counts, 99)),
                        "max": int(all_counts.max()),
                        "calls": len(all_counts),
                    }
    return table
