"""How long `heapscope leaks` and `heapscope report` take, and how much memory, where a program has
very many call sites. Nothing is asserted.

    .venv/bin/python benches/bench_sites.py [--sites N]

Each site allocates two blocks and frees one of them; all others stay to the end. Seconds of the
processor, and the most resident memory of the process.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from machine import commit, cpu

from heapscope.native.events import NativeWriter, event_dtype
from heapscope.native.reader import NameTable

TASKS = 7
MALLOC, FREE = 1, 5  # hs_event_kind_t


def write(path: Path, sites: int) -> None:
    number = np.arange(sites)
    rows = np.zeros(3 * sites, dtype=event_dtype())
    for step, (kind, key) in enumerate(((MALLOC, 0), (MALLOC, 1), (FREE, 1))):
        own = rows[step::3]
        own["kind"], own["key"] = kind, 2 * number + key
        own["site"], own["task"] = number + 1, number % TASKS
        own["size"] = 16 + number % 200 if kind == MALLOC else 0
    rows["time"] = 5 * np.arange(len(rows))
    with NativeWriter(features=2 | 4) as writer, path.open("wb") as out:
        writer.metadata("clock_hz", "1000000")
        for task in range(TASKS):
            writer.name(NameTable.TASK, task, b"task%d" % task)
        for site in range(sites):
            name = b"handler_%d (src/module_%d.c:%d)" % (site, site % 997, site % 3000)
            writer.name(NameTable.SITE, site + 1, name)
        writer.events(rows)
        writer.finish()
        out.writelines(writer.take())


def measured(*words: str | Path) -> tuple[float, float]:
    """Seconds of the processor, and MB."""
    command = (sys.executable, "-m", "heapscope", *map(str, words))
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(command)}: {process.returncode}")
    scale = 1 if sys.platform == "darwin" else 1024
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * scale / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sites", type=int, default=1_000_000)
    sites = parser.parse_args().sites
    print(f"{commit()}; {cpu()}; {sites:,} call sites, {3 * sites:,} events")
    with tempfile.TemporaryDirectory() as name:
        trace, page = Path(name) / "T.hst", Path(name) / "page.html"
        write(trace, sites)
        for words in (("leaks", trace), ("report", trace, "--pool", "256MB", "-o", page)):
            seconds, megabytes = measured(*words)
            print(f"{words[0]:<8}{seconds:>8.1f} s{megabytes:>8,.0f} MB")


if __name__ == "__main__":
    main()
