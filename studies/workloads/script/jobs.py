"""Counts what a script's jobs take of a processor.

    python studies/workloads/script/jobs.py [--out F]

The engine at -Os, as firmware is built, for 32-bit x86 without vectors, on Heapscope's heap in
512 KB: instructions by valgrind's callgrind, and what a cache of the ESP32's kind before external
RAM does, by meter.c. The figures of each job of week.js are kept in studies/workloads/captured.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from functools import cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from script.make import HERE, SCRIPTS, repeatable, script_options
from tls.accesses import COPYING, SMALL, WATCHED
from tools.commands import exit_with, make_table
from tools.compiler import OWN, compile_all, link
from tools.places import ROOT, MissingError, run

__all__ = ["NAME", "count_jobs"]

NAME = "script_week_jobs"
#: Numbers of a line of meter.c.
COUNTS = (
    *("accesses", "lines_read", "lines_written"),
    *("heap_accesses", "heap_lines_read", "heap_lines_written"),
    "heap_calls",
)
HEAP = ("hs_rec_malloc", "hs_rec_realloc", "hs_rec_free")  # in meter.c: calls to the heap
DUMPED = re.compile(r"^totals: (\d+)", re.MULTILINE)


@cache
def meter(*, cache_too: bool) -> Path:
    """The program; with `cache_too` every access to the heap's memory is seen."""
    options = (*script_options(), *SMALL)
    watched = WATCHED if cache_too else ()
    heap = sorted((ROOT / "device" / "src" / "heap").glob("*.c"))
    objects = [
        *compile_all([HERE / "meter.c"], options=(*options, *OWN, *(_SEEN if cache_too else ()))),
        *compile_all([HERE / "engine.c"], options=(*options, *OWN)),
        *compile_all([repeatable()], options=(*options, *_CLOCK, *watched)),
        *compile_all(heap, options=(*options, *_FAST, *watched)),
    ]
    copying = COPYING if cache_too else ()
    # -g: names stay
    return link("meter_cache" if cache_too else "meter", objects, options=(*SMALL, "-g", *copying))


_SEEN = ("-DHS_METER_CACHE",)
_CLOCK = ("-Dgettimeofday=hs_script_clock",)
_FAST = ("-DNDEBUG",)


def count_accesses() -> list[tuple[str, dict[str, int]]]:
    """Jobs in their order, each with COUNTS."""
    jobs = []
    for line in run(meter(cache_too=True), SCRIPTS["script_week"]).splitlines():
        name, _, counts = line.partition(":")
        jobs.append((name, dict(zip(COUNTS, map(int, counts.split()), strict=True))))
    return jobs


def count_instructions(*within: str) -> list[int]:
    """The instructions of each job, in order: those of the functions `within` and of what they
    call, or all. callgrind dumps what it has counted whenever a job ends."""
    if shutil.which("valgrind") is None:
        raise MissingError("valgrind; Debian package: valgrind")
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "dump"
        options = (f"--callgrind-out-file={out}", "--dump-before=hs_rec_mark")
        only = [f"--toggle-collect={name}" for name in within]
        where = (meter(cache_too=False), SCRIPTS["script_week"])
        run("valgrind", "-q", "--tool=callgrind", *options, *only, *where)
        dumps = sorted(
            (path for path in Path(folder).iterdir() if path != out),
            key=lambda path: int(path.suffix[1:]),
        )
        return [sum(map(int, DUMPED.findall(path.read_text("utf-8")))) for path in dumps]


def count_jobs() -> dict[str, object]:
    jobs = count_accesses()
    counted = {"instructions": count_instructions(), "heap_instructions": count_instructions(*HEAP)}
    for name, values in counted.items():
        if len(values) < len(jobs):
            raise RuntimeError(f"{len(jobs)} jobs, and callgrind counted {name} of {len(values)}")
    return {
        "program": "Duktape 2.99.99, week.js, on Heapscope's heap in 512 KB",
        "counted": "32-bit x86, -Os, no vectors; instructions: all, and the heap's of them",
        "cache": "32 KB, two ways, lines of 32 bytes, written back",
        "jobs": [
            {"job": name, **{key: counted[key][i] for key in counted}, **counts}
            for i, (name, counts) in enumerate(jobs)
            if i > 0  # before the first mark the program starts, which hangs on its environment
        ],
    }


def main() -> int:
    return make_table(__doc__ or "", NAME, count_jobs)


if __name__ == "__main__":
    exit_with(main)
