"""All that the page shows, measured: plain data, ready for JSON."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from emulation.build import OPTIMISED, SMALL
from emulation.counter import Counter
from emulation.footprint import CORE, LEAN, WITH_CHECK, heap_bytes, object_bytes, parts
from emulation.interrupts import (
    INTERRUPTIBLE,
    OPERATIONS,
    Interrupted,
    Met,
    Way,
    build_interrupted,
)
from emulation.machine import Machine
from emulation.program import build_program
from emulation.recorder import recorder_figures
from emulation.targets import TARGETS, Target, compiler_name

__all__ = ["CHIPS", "CONTROL", "WAYS", "code_bytes", "measure", "recorders"]

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
DEVICE = ROOT / "device"
TESTS = ROOT / "tests" / "device"
KERNEL = ROOT / "emulation" / "freertos"

CHIPS = ("rv32imc", "cortex-m0plus", "cortex-m4", "cortex-m33")
#: Numbered like the cases of drive_all().
WAYS = (
    "heap",
    "guard, level 0",
    "guard, level 1, owners",
    "guard, level 2, owners",
    "regions, 1",
    "regions, the fifth of 5",
    "regions, the same, owners",
    "private heap",
    "pool",
    "fixed blocks",
    "libc malloc, masking lock",
    "FreeRTOS, suspended scheduler",
)
#: Numbered like the cases of drive_sizes(): bytes in the memory that is given.
CONTROL = (
    "heap on 32 KB, bitmap included",
    "regions: set of 5, heaps apart",
    "owners: 8 rows",
    "private heap on 32 KB, its heap included",
    "16 fixed blocks of 32 bytes",
    "guard: its handle",
)
CALLS = 4000
KEPT = ("drive_all", "drive_sizes")

COMPAT = {
    "libc": ("compat/libc/*.c", "compat/arenas/*.c", "port/bare/*.c"),
    "FreeRTOS": ("compat/freertos/*.c", "compat/arenas/*.c", "port/freertos/*.c"),
}
FOLDERS = ("compat/libc", "compat/arenas", "port/freertos")
INCLUDES = [f"-I{DEVICE / folder}" for folder in FOLDERS]
INCLUDES += [f"-I{folder}" for folder in (KERNEL, KERNEL / "kernel", TESTS / "libc")]


def files(*patterns: str) -> list[Path]:
    return [path for pattern in patterns for path in sorted(DEVICE.glob(pattern))]


def measure(chips: tuple[str, ...] = CHIPS, *, interrupts: int = 1) -> dict[str, Any]:
    """`interrupts`: of so many boundaries one is looked at; of regions, whose operations are
    longer, a seventh of these; 0: none."""
    return {
        "compiler": compiler_name(TARGETS[chips[0]]),
        **code_bytes(chips),
        "control": {chip: control(TARGETS[chip]) for chip in chips},
        "calls": {chip: calls(TARGETS[chip]) for chip in chips},
        "recorder": recorders(chips),
        "step": interrupts,
        "interrupts": interrupted(interrupts) if interrupts else {},
    }


def code_bytes(chips: tuple[str, ...] = CHIPS) -> dict[str, Mapping[str, Mapping[str, Any]]]:
    return {
        "flash": {chip: flash(TARGETS[chip]) for chip in chips},
        "heap": {chip: heap(TARGETS[chip]) for chip in chips},
        "builds": {chip: calls_of_builds(TARGETS[chip]) for chip in chips},
    }


def recorders(chips: tuple[str, ...] = CHIPS) -> Mapping[str, Mapping[str, int]]:
    return {chip: recorder_figures(TARGETS[chip]) for chip in chips}


def flash(target: Target) -> Mapping[str, int]:
    """Bytes of each part, whole; and of the drop-in interfaces, without their arena."""
    sizes = {name: object_bytes(target, sources).flash for name, sources in parts().items()}
    flags = [*INCLUDES, "-DHS_LIBC_MEMORY=HS_LIBC_GIVEN"]
    for name, patterns in COMPAT.items():
        sizes[name] = object_bytes(target, files(*patterns), flags=flags).flash
    everything = [source for sources in parts().values() for source in sources]
    off = [f"-DHS_{part}=0" for part in ("GUARD", "OWNERS", "PRIVATE", "POOLS")]
    sizes["all, with every switch off"] = object_bytes(target, everything, flags=off).flash
    return sizes


#: The heap's builds, smallest last.
BUILDS = {
    "ordinary": (),
    "ordinary, small form alone": ("-DHS_WIDE=0",),
    "lean": ("-DHS_LEAN=1",),
    "lean, small form alone": LEAN,
}


def heap(target: Target) -> Mapping[str, int]:
    """Linked bytes of each build of the heap, of the calls that any firmware needs, and of more."""
    sizes = {}
    for name, flags in BUILDS.items():
        sizes[name] = heap_bytes(target, CORE, flags=flags).flash
        sizes[f"{name}, with {len(WITH_CHECK)} calls"] = heap_bytes(
            target, WITH_CHECK, flags=flags
        ).flash
    return sizes


def image(
    target: Target, *, freertos: bool = False, level: str = OPTIMISED, more: tuple[str, ...] = ()
) -> Path:
    """The driver with all parts and one of the drop-in interfaces, compiled with `more`, too."""
    sources = [HERE / "calls_driver.c"]
    flags = [*INCLUDES, f"-DFREERTOS={int(freertos)}", *more]
    if freertos:
        sources += [KERNEL / "kernel.c", *files(*COMPAT["FreeRTOS"])]
        flags.append("-DconfigTOTAL_HEAP_SIZE=((size_t)32768)")
    else:
        sources += files(*COMPAT["libc"])
        flags += ["-DHS_LIBC_PREFIX=my_", "-DHS_LIBC_SIZE=32768"]
    return build_program(target, sources, level=level, flags=flags, keep=KEPT)


def control(target: Target) -> Mapping[str, int]:
    machine = Machine(target, image(target))
    return {name: machine.call("drive_sizes", number) for number, name in enumerate(CONTROL)}


def calls(target: Target) -> Mapping[str, Any]:
    """Instructions of malloc and of free, of each way: mean, 99th percentile, largest."""
    return {
        name: counted(target, image(target, freertos=name.startswith("FreeRTOS")), number)
        for number, name in enumerate(WAYS)
    }


def calls_of_builds(target: Target) -> Mapping[str, Any]:
    """The same of the heap alone, of each build compiled for speed and for size."""
    return {
        f"{name}, {level}": counted(target, image(target, level=level, more=flags), 0)
        for level in (OPTIMISED, SMALL)
        for name, flags in BUILDS.items()
    }


def counted(target: Target, program: Path, way: int) -> Mapping[str, Any]:
    """`way`: its place in WAYS."""
    machine = Machine(target, program)
    counter = Counter(machine, CALLS + 64)
    row: dict[str, Any] = {"failures": machine.call("drive_all", way)}
    counts = counter.taken()[0][-CALLS:]  # what came before made the heap
    kinds = np.frombuffer(machine.read(machine.symbols["drive_kinds"], CALLS), np.uint8)
    for kind, call in ((1, "malloc"), (2, "free")):
        of = counts[kinds[-len(counts) :] == kind]
        if WAYS[way] == "pool" and call == "free":
            continue  # it has none
        row[call] = {
            "mean": round(float(of.mean()), 1),
            "p99": int(np.percentile(of, 99)),
            "max": int(of.max()),
        }
    return row


def interrupted(step: int) -> Mapping[str, Any]:
    """At how many boundaries a handler came, what it met, and at how many something was wrong."""
    rows = {}
    for chip in INTERRUPTIBLE:
        for way in Way:
            run = Interrupted(TARGETS[chip], build_interrupted(TARGETS[chip], way))
            for number, operation in enumerate(OPERATIONS):
                each = 7 * step if way is Way.REGIONS else step
                results = list(run.every(number, step=each))
                met = {kind.name.lower(): sum(at.met is kind for at in results) for kind in Met}
                met["wrong"] = sum(at.wrong != 0 for at in results)
                met["step"] = each
                rows[f"{chip}, {way.name.lower()}, {operation}"] = met
    return rows
