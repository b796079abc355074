"""Runs a program on a heap, and keeps what it tells as one row of a CSV."""

from __future__ import annotations

import csv
import fcntl
import json
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import build
from build import Target
from heaps import HEAPS, Heap
from machine import cpu, printed
from programs import PROGRAMS, Program
from tools.places import BUILD, ROOT

__all__ = ["CSV", "Run", "keep", "kept", "run"]

CSV = ROOT / "docs" / "reference" / "programs.csv"
CHECK_EVERY = 4096
#: The programs are made of these files, beside those that are fetched.
BUILT_FROM = ("benches/programs/*.[ch]", "benches/programs/load.*", "device", "lab/models")
PLACE = ("program", "heap", "target")
FIGURES = (
    *("calls", "mallocs", "callocs", "reallocs", "frees", "failed", "checks", "rounds"),
    *("seconds", "ns", "peak", "blocks", "left", "free_start", "free_end", "minimum"),
    *("arena", "digest", "fault", "failure"),
)
ORIGIN = ("commit", "machine", "compiler")
COLUMNS = (*PLACE, *FIGURES, *ORIGIN)


@dataclass(frozen=True)
class Run:
    """`figures`: as main.c prints them. `code`: the program's exit code, or minus a signal."""

    code: int
    figures: Mapping[str, Any]
    printed: str
    commit: str  # when it began

    @property
    def sound(self) -> bool:
        return self.code == 0 and not self.figures["fault"]


def run(
    program: Program,
    heap: Heap,
    target: Target,
    *,
    calls: int,
    check_every: int = CHECK_EVERY,
    refuse_one_in: int = 0,
    seed: int = 1,
) -> Run:
    command = build.command_for(
        program,
        heap,
        target,
        calls=calls,
        check_every=check_every,
        refuse_one_in=refuse_one_in,
        seed=seed,
    )
    built_of = _commit()
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    lines = done.stdout.splitlines()
    figures = {"failure": "", "calls": 0, "fault": f"ended with {done.returncode}"}
    figures |= json.loads(lines[-1]) if lines else {}
    return Run(done.returncode, figures, done.stderr.strip(), built_of)


def _commit() -> str:
    """The last commit that changed what the programs are made of."""
    name = printed("git", "log", "-1", "--format=%h", "--", *BUILT_FROM)
    changed = printed("git", "status", "--porcelain", "--", *BUILT_FROM)
    return f"{name}, with changes" if changed else name


def kept() -> list[dict[str, str]]:
    if not CSV.exists():
        return []
    with CSV.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def keep(program: Program, heap: Heap, target: Target, done: Run) -> None:
    """Puts the run in the place of an earlier one of the same program, heap and target."""
    row: dict[str, object] = {"program": program.name, "heap": heap.name, "target": target.name}
    row |= {name: done.figures.get(name, "") for name in FIGURES} | {
        "arena": build.arena_of(program, heap)
    }
    row |= {"commit": done.commit, "machine": cpu()}
    row |= {"compiler": f"ziglang {version('ziglang')} -O2"}
    reported = {name: str(value) for name, value in row.items()}
    with (BUILD / "programs.lock").open("w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # several runs can go on at once
        _put(reported)


def _put(reported: dict[str, str]) -> None:
    rows = [one for one in kept() if any(one[name] != reported[name] for name in PLACE)]
    rows.append(reported)
    order = {name: at for at, name in enumerate((*build.TARGETS, *PROGRAMS, *HEAPS))}
    rows.sort(key=lambda one: [order.get(one[name], -1) for name in ("target", "program", "heap")])
    with CSV.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
