"""Nanoseconds of our heap on this machine, over the same events as its instructions."""

from __future__ import annotations

import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from emulation.build import DRIVER, heap_sources, host_program
from emulation.events import FREE, MALLOC, REALLOC, Rows
from emulation.places import MissingError
from emulation.run import Form
from numpy.typing import NDArray
from places import HERE

__all__ = ["ROUNDS", "SHORT", "SHORT_ROUNDS", "Times", "program", "time_events"]

ROUNDS = 7
#: So few events, repeated so often, that the processor learns every branch of them.
SHORT, SHORT_ROUNDS = 500, 400
TIMED = {"malloc": MALLOC, "free": FREE, "realloc": REALLOC}


@dataclass(frozen=True)
class Times:
    """`each`: nanoseconds of each event's call, the least of all rounds; `whole`: of all of them
    together, driver's loop included, the least of all rounds."""

    each: NDArray[np.float64]
    whole: float

    def to_json(self, rows: Rows) -> dict[str, Any]:
        chosen = {name: self.each[rows["kind"] == kind] for name, kind in TIMED.items()}
        means = {name: round(float(ns.mean()), 1) for name, ns in chosen.items() if len(ns)}
        return {"whole_per_event": round(self.whole / len(rows), 1), **means}


def program() -> tuple[Path, str]:
    """The timing program and what it is: 32-bit where this machine's compiler can make that."""
    sources = [HERE / "host.c", DRIVER, *heap_sources()]
    try:
        return host_program("host", sources, bits=32), "32-bit program, gcc -m32 -O2"
    except MissingError:
        return host_program("host", sources, bits=64), "64-bit program, ziglang -O2"


def time_events(
    binary: Path, rows: Rows, pool: int, *, form: Form = Form.AUTO, rounds: int = ROUNDS
) -> Times:
    slots = int(max(rows["slot"].max(), rows["after"].max())) + 1
    with tempfile.TemporaryDirectory() as folder:
        events, out = Path(folder) / "events", Path(folder) / "ticks"
        rows.tofile(events)
        words = (events, out, rounds, pool, int(form), 0, slots)
        command = [str(binary), *map(str, words)]
        printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        ticks = np.fromfile(out, "<u4").astype(np.float64)
    per_tick, empty, whole = (float(word) for word in printed.split())
    return Times(np.maximum(ticks - empty, 0) * per_tick, whole)
