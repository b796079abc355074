"""Processor time of a sweep: replays, and all that is beside them.

    python benches/bench_sweep.py          prints the figures of small sweeps
    python benches/bench_sweep.py --write  also of 10,000 cells, and writes docs/reference/sweep.csv

Each sweep is a census of pool sizes by allocator over the captured gateway. Processor time is that
of the client, the scheduler and all workers together, their start and end included; the time of
replays is what the workers' threads spent in them. The clock on the wall does not count, since a
machine that others use tells nothing by it.
"""

from __future__ import annotations

import csv
import os
import resource
import sys
import tempfile
import time
import tracemalloc
from pathlib import Path
from typing import Any

import machine

from heapscope.fleet.sweep.cluster import local_cluster
from heapscope.fleet.sweep.drive import Driven, drive
from heapscope.fleet.sweep.output import opened
from heapscope.fleet.sweep.plan_file import ReadPlan, read_plan

ROOT = Path(__file__).resolve().parent.parent
TRACE = ROOT / "studies" / "workloads" / "captured" / "mix_gateway.hst.zst"
OUT = ROOT / "docs" / "reference" / "sweep.csv"

ALLOCATORS = ("idf-4.2", "idf-5.5", "tlsf", "heapscope", "o1heap")
FIRST = 300 << 10  # bytes of the smallest pool
STEP = 64
SMALL, WHOLE = 1000, 10_000  # cells
MILLION = 1_000_000


def plan_text(cells: int) -> str:
    sizes = cells // len(ALLOCATORS)
    return (
        f'traces = "{TRACE.as_posix()}"\n[[grid]]\n'
        f"pool = {{ from = {FIRST}, to = {FIRST + STEP * (sizes - 1)}, step = {STEP} }}\n"
        f"allocator = {list(ALLOCATORS)}\n"
    )


def processor_time() -> float:
    """Seconds of this process and of its children that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def swept(folder: Path, cells: int, workers: int) -> dict[str, Any]:
    """One sweep; seconds of processor time."""
    plan = folder / f"plan-{cells}.toml"
    plan.write_text(plan_text(cells), encoding="utf-8")
    before = processor_time()
    out = folder / f"out-{cells}-{workers}"
    driven = _driven(read_plan(plan), out, workers)
    total = processor_time() - before
    assert driven.cells == cells
    files = list(out.glob("cells/*/*.parquet"))
    return {
        "cells": cells,
        "workers": workers,
        "batches": len(files),
        "replaying": round(driven.replaying, 2),
        "in_batches": round(driven.seconds, 2),
        "all": round(total, 2),
        "bytes": sum(file.stat().st_size for file in files),
    }


def _driven(source: ReadPlan, out: Path, workers: int) -> Driven:
    with opened(out, source.plan) as output, local_cluster(workers) as client:
        return drive(client, source, output)


def planned(folder: Path) -> dict[str, Any]:
    """A million cells planned: seconds of processor time, and bytes of Python's memory at most."""
    plan = folder / "million.toml"
    plan.write_text(plan_text(MILLION), encoding="utf-8")
    before = time.process_time()
    source = read_plan(plan)
    read = time.process_time() - before
    tracemalloc.start()
    batches = sum(1 for _ in source.plan.batches())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return {
        "cells": source.plan.cell_count,
        "batches": batches,
        "seconds": round(read, 3),
        "bytes": peak,
    }


def main() -> None:
    write = "--write" in sys.argv[1:]
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    rows = []
    with tempfile.TemporaryDirectory() as name:
        print("planned", planned(Path(name)), flush=True)
        for cells in [SMALL, WHOLE] if write else [SMALL]:
            for workers in (1, 2):
                row = swept(Path(name), cells, workers)
                print(row, flush=True)
                rows.append(row | {"commit": machine.commit(), "machine": machine.cpu()})
    if write:
        with OUT.open("w", encoding="utf-8", newline="") as file:
            lines = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
            lines.writeheader()
            lines.writerows(rows)


if __name__ == "__main__":
    main()
