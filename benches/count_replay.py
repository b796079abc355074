"""How many instructions an event of a replay takes: idf-5.5, one pool, with all measures on.

python benches/count_replay.py
python benches/count_replay.py NAME...

valgrind's callgrind counts what the library executes between a trace's first byte and its last,
decoding included, so that it needs no quiet machine. Without names it counts every captured trace,
those of the oracle and "random", which `random_trace` makes of a seed. A trace of few events is
repeated, ids going on, so that the timeline's beginning weighs little.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from machine import commit, printed
from traces import FOLDERS, ROOT, name, repeated

from heapscope.native.events import NativeWriter, event_dtype
from heapscope.native.reader import NativeReader
from heapscope.trace.feed import read_trace

LENGTH = 100_000  #: events that a trace is repeated to
LIVE, SMALLEST, LARGEST, SEED = 1500, 4, 256, 1
ALLOCATE, FREE = 1, 5  # hs_event_kind_t
RANDOM = "random"
REFERENCE = "idf-5.5"
POOL = 262_144
FLAGS = ("-std=c11", "-O3", "-flto=auto", "-DNDEBUG", "-fvisibility=hidden")
DEFINED = "-DHS_ENDS=1"  #: the library is built with it (CMakeLists.txt)
LEFT_OUT = {"lab/native/lab/record.c"}  #: needs the recorder, whose events are no replay
INCLUDES = ("-Ilab/models", "-Ilab/native", "-Idevice/include")
COUNTED = "hs_lab_reader_push"


def random_trace() -> tuple[bytes, int]:
    """LIVE blocks of random sizes, of which a random one goes for each that comes."""
    rng = np.random.default_rng(SEED)
    rows = np.zeros(LENGTH, dtype=event_dtype())
    live: list[int] = []
    key = 0
    for row in rows:
        if len(live) < LIVE:
            row["kind"], row["key"] = ALLOCATE, key
            row["size"] = rng.integers(SMALLEST, LARGEST + 1)
            live.append(key)
            key += 1
        else:
            at = int(rng.integers(len(live)))
            row["kind"], row["key"] = FREE, live[at]
            live[at] = live[-1]
            live.pop()
    with NativeWriter() as writer:
        writer.events(rows)
        writer.finish()
        return b"".join(writer.take()), LENGTH


def has_events(path: Path) -> bool:
    """Some captured traces hold the blocks of a moment, and no event."""
    with NativeReader() as reader:
        read_trace(path, reader)
        return int(reader.census().events) != 0


def build(folder: Path) -> Path:
    """The library's sources and a program that replays. The program is compiled apart from them,
    so that the counted function keeps its name."""
    compiler = os.environ.get("CC", "cc").split()
    folders = (ROOT / "lab" / "models", *sorted((ROOT / "lab" / "native").iterdir()))
    files = [file for each in folders for file in sorted(each.glob("*.c"))]
    files = [file for file in files if not file.match("record/*.c")]
    files = [file for file in files if str(file.relative_to(ROOT)) not in LEFT_OUT]
    files += sorted((ROOT / "device" / "src").rglob("*.c"))
    main, program = folder / "main.o", folder / "count_replay"
    apart = [*compiler, "-std=c11", "-O2", *INCLUDES, "-c", "benches/count_replay.c", "-o"]
    subprocess.run([*apart, str(main)], cwd=ROOT, check=True)
    whole = [*compiler, *FLAGS, DEFINED, *INCLUDES, str(main), *map(str, files), "-o", str(program)]
    subprocess.run(whole, cwd=ROOT, check=True)
    return program


def count(
    program: Path, trace: Path, folder: Path, allocator: str = REFERENCE, pool: int = POOL
) -> tuple[int, int, int]:
    """Instructions, events and failures of one replay."""
    out = folder / "callgrind.out"
    tool = ("valgrind", "--tool=callgrind", "--collect-atstart=no", f"--toggle-collect={COUNTED}")
    command = [*tool, f"--callgrind-out-file={out}", str(program), str(trace), allocator, str(pool)]
    words = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    lines = out.read_text(encoding="utf-8").splitlines()
    total = next(line for line in lines if line.startswith(("totals:", "summary:")))
    return int(total.split()[1]), int(words[0]), int(words[1])


def main() -> None:
    result = {name(path): path for folder in FOLDERS for path in sorted(folder.glob("*.hst*"))}
    wanted = sys.argv[1:] or [*sorted(result), RANDOM]
    version = printed(*os.environ.get("CC", "cc").split(), "--version").partition("\n")[0]
    print("idf-5.5, one pool of 262,144 bytes, one need, every capability set, 2048 buckets")
    print(f"{version}, {' '.join(FLAGS)}")
    print(f"{printed('valgrind', '--version')}, commit {commit()}")
    print(f"{'trace':<28} {'events':>9} {'failed':>8} {'instructions':>13} {'an event':>9}")
    with tempfile.TemporaryDirectory() as built:
        program, file = build(Path(built)), Path(built) / "trace.hst"
        for each in wanted:
            if each != RANDOM and not has_events(result[each]):
                continue
            data, _ = random_trace() if each == RANDOM else repeated(result[each], LENGTH)
            file.write_bytes(data)
            took, events, failed = count(program, file, Path(built))
            print(f"{each:<28} {events:>9,} {failed:>8,} {took:>13,} {took / events:>9.0f}")


if __name__ == "__main__":
    main()
