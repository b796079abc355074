"""A recorder in emulation: events through its hooks, its drain, and what each of them costs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from emulation.build import OPTIMISED, build_image
from emulation.counter import Counter, Counts
from emulation.machine import Machine
from emulation.places import HERE, ROOT
from emulation.program import build_program
from emulation.targets import Target

__all__ = [
    "EVENT",
    "FLAGS",
    "INTERRUPTED_HOOKS",
    "EmulatedRecorder",
    "Recorded",
    "build_interrupted_hooks",
    "recorder_image",
    "recorder_sources",
]

#: recorder_event_t
EVENT = np.dtype(
    [
        (name, "<u4")
        for name in ("kind", "address", "other", "size", "caps", "caller", "task", "clock")
    ]
)
Rows = NDArray[np.void]

FLAGS = ('-DHS_RECORDER_PORT="recorder_places.h"',)
MEMORY, EVENTS, OUTPUT = 0x2000_0000, 0x3000_0000, 0x4000_0000
OUTPUT_SIZE = 16 << 20


def recorder_sources() -> list[Path]:
    source = ROOT / "device" / "src"
    return sorted([*(source / "recorder").glob("*.c"), *(source / "trace").glob("*.c")])


def recorder_image(target: Target, *, level: str = OPTIMISED) -> Path:
    sources = [HERE / "recorder_driver.c", *recorder_sources()]
    return build_image(target, sources, level=level, entry="drive_recorder_hooks", more=FLAGS)


#: Operations of recorder_interrupts.c.
INTERRUPTED_HOOKS = (
    "allocate",
    "free",
    "reallocate",
    "mark",
    "allocate when full",
    "with a filter",
)


def build_interrupted_hooks(target: Target, *, flags: tuple[str, ...] = ()) -> Path:
    """The image of recorder_interrupts.c, for Interrupted."""
    functions = ("enable", "prepare", "operate", "handle", "verify")
    kept = tuple(f"interrupts_{name}" for name in functions)
    return build_program(target, [HERE / "recorder_interrupts.c"], flags=flags, keep=kept)


@dataclass(frozen=True)
class Recorded:
    """`hooks`: instructions of each event's hook; `drain`: of all drains together, without the
    sink; `trace`: what came out."""

    hooks: Counts
    drain: int
    trace: bytes


class EmulatedRecorder:
    """`records`: places of its ring. `pairs`: at the level of that name."""

    def __init__(
        self, target: Target, image: Path, *, records: int, pairs: bool = False, events: int
    ) -> None:
        self.machine = Machine(target, image)
        self.machine.map(MEMORY, 1 << 20)
        self.machine.map(EVENTS, max(events, 1) * EVENT.itemsize)
        self.machine.map(OUTPUT, OUTPUT_SIZE)
        self.counter = Counter(self.machine, max(4 * events, 4096))
        self.overhead = self.machine.call("drive_recorder_overhead")
        size = self.overhead + 32 * records
        self.recorder = self.machine.call(
            "drive_recorder_open", MEMORY, size, OUTPUT, OUTPUT_SIZE, int(pairs)
        )
        if self.recorder == 0:
            raise ValueError(f"hs_recorder_open refuses {size} bytes")

    def record(self, rows: Rows, *, between: int) -> Recorded:
        """All events, `between` of them from one drain to the next."""
        machine, hooks, drain = self.machine, [], 0
        for at in range(0, len(rows), between):
            part = rows[at : at + between]
            machine.write(EVENTS, np.ascontiguousarray(part).tobytes())
            self.counter.begin()
            machine.call("drive_recorder_hooks", self.recorder, EVENTS, len(part))
            hooks.append(self.counter.taken()[0])
            drain += self._drain(2 * between)
        drain += self._drain(1 << 20) + self._drain(1 << 20)
        written = machine.call("drive_recorder_flush", self.recorder)
        return Recorded(np.concatenate(hooks), drain, machine.read(OUTPUT, written))

    def _drain(self, events: int) -> int:
        self.counter.begin()
        self.machine.call("drive_recorder_drain", self.recorder, events)
        calls, copying = self.counter.taken()
        return int(calls.sum() + copying.sum())
