"""A recorder in emulation: events through its hooks, its drain, and what each of them costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from emulation.build import OPTIMISED, SMALL, build_image
from emulation.counter import Counter, Counts
from emulation.footprint import measure, with_entry
from emulation.machine import Machine
from emulation.places import HERE, ROOT
from emulation.program import build_program
from emulation.targets import Target
from heapscope.native.events import keep_events, take_events
from heapscope.native.reader import NativeReader
from heapscope.trace.feed import read_trace

__all__ = [
    "EVENT",
    "FLAGS",
    "INTERRUPTED_HOOKS",
    "KINDS",
    "WITHOUT_PARTS",
    "EmulatedRecorder",
    "Recorded",
    "build_interrupted_hooks",
    "calls_of",
    "mixed_program",
    "recorder_bytes",
    "recorder_figures",
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
#: hs_event_kind_t
KINDS = MALLOC, CALLOC, ALIGNED, REALLOC, FREE, FAILED = range(1, 7)
#: Every part that can be left out is; hooks, drain, gaps and snapshots are there.
WITHOUT_PARTS = tuple(
    f"-DHS_RECORDER_{part}=0" for part in ("PAIRS", "LEVELS", "BLACK_BOX", "PROGRAM")
)
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


# ---- what it costs ------------------------------------------------------------------------------


def recorder_bytes(target: Target, *, flags: Sequence[str] = ()) -> int:
    """Bytes of code and constants that hooks, a drain and one sink bring into a firmware at -Os."""
    entry = HERE / "recorder_sizes.c"
    having = [
        measure(with_entry(target, entry, level=SMALL, flags=[*flags, f"-DRECORDS={records}"]))
        for records in (0, 1)
    ]
    return having[1].flash - having[0].flash


def mixed_program(seed: int, count: int) -> Rows:
    """Calls of every kind, of three tasks, with two dozen callers, at addresses without any order:
    more than a real program's, an event costs here."""
    rng = np.random.default_rng(seed)
    rows, live, clock = np.zeros(count, EVENT), [], 0
    for number, row in enumerate(rows):
        clock += int(rng.integers(1, 200))
        row["clock"], row["task"] = clock, 0x3FFB0000 + 0x100 * (number // 10 % 3)
        what = rng.random()
        if live and what < 0.48:
            row["kind"], row["address"] = FREE, live.pop(int(rng.integers(len(live))))
            continue
        row["caller"] = 0x42000000 + 4 * int(rng.integers(24))
        row["size"], row["caps"] = rng.choice([16, 24, 100, 4000]), rng.choice([0, 0, 0x1804])
        address = 0x20000000 + 8 * int(rng.integers(1 << 14))
        if live and what < 0.52:
            row["kind"], row["other"] = REALLOC, live.pop()
        elif what < 0.54:
            row["kind"], row["other"] = FAILED, CALLOC
            continue
        elif what < 0.58:
            row["kind"], row["other"] = ALIGNED, 5
        else:
            row["kind"] = rng.choice([MALLOC, CALLOC])
        row["address"] = address
        live.append(address)
    return rows


def calls_of(recording: Path) -> Rows:
    """The calls of a device's program, as it recorded them: addresses of tasks and call sites are
    others, and as many."""
    with NativeReader() as reader:
        keep_events(reader)
        read_trace(recording, reader)
        events = np.concatenate(list(take_events(reader)))
    events = events[(events["kind"] >= MALLOC) & (events["kind"] <= FAILED)]
    rows, moved = np.zeros(len(events), EVENT), events["kind"] == REALLOC
    rows["kind"], rows["size"], rows["caps"] = events["kind"], events["size"], events["caps"]
    rows["address"] = np.where(moved, events["new_key"], events["key"])
    rows["other"] = np.select(
        [moved, events["kind"] == ALIGNED, events["kind"] == FAILED],
        [events["key"], events["align_log2"], events["new_key"]],
    )
    rows["caller"] = np.where(events["site"] > 0, 0x4200_0000 + 46 * events["site"], 0)
    rows["task"] = np.where(events["task"] > 0, 0x3FFB_0000 + 0x400 * events["task"], 0)
    rows["clock"] = events["time"]
    return rows


def recorder_figures(target: Target) -> Mapping[str, int]:
    """The recorder's costs on a chip, of one core with one return address of each request."""
    rows = mixed_program(1, 2000)
    figures = {
        "flash, all parts": recorder_bytes(target),
        "flash, without the parts that can be left out": recorder_bytes(
            target, flags=WITHOUT_PARTS
        ),
    }
    for level in (OPTIMISED, SMALL):
        recorder = EmulatedRecorder(
            target, recorder_image(target, level=level), records=128, events=len(rows)
        )
        recorded = recorder.record(rows, between=50)
        figures["memory, without its ring"] = recorder.overhead
        figures[f"hook, most instructions, {level}"] = int(recorded.hooks.max())
        figures[f"drain, instructions an event, {level}"] = round(recorded.drain / len(rows))
    return figures
