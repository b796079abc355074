"""The fault campaign, run and read."""

from __future__ import annotations

import subprocess
from pathlib import Path

from emulation.build import heap_sources, host_program
from emulation.places import ROOT

__all__ = ["Row", "campaign", "rows_of"]

Row = dict[str, int | str]

FORMS = {1: "small", 2: "wide", 3: "word"}


def program(bits: int) -> Path:
    source = ROOT / "tests" / "device" / "test_guard_faults.c"
    guard = sorted((ROOT / "device" / "src" / "guard").glob("*.c"))
    return host_program("guard_faults", [source, *guard, *heap_sources()], bits=bits)


def rows_of(text: str) -> list[Row]:
    """The program's lines: level, form, alignment, fault, then pairs of a name and a number."""
    rows = []
    for line in text.splitlines()[1:]:
        level, form, alignment, fault, *pairs = line.split()
        row: Row = {"level": int(level), "form": FORMS[int(form)]}
        row |= {"alignment": int(alignment), "fault": fault}
        row |= {name: int(value) for name, value in zip(pairs[::2], pairs[1::2], strict=True)}
        rows.append(row)
    return rows


def campaign(seed: int, scenes: int, bits: int) -> list[Row]:
    """RuntimeError: something was found or missed that is of no listed class; the message says
    where."""
    command = [str(program(bits)), str(seed), str(scenes)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {run.stderr}")
    return rows_of(run.stdout)
