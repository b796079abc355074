"""The cost of recording a program: nanoseconds an event, side by side with the program alone.

    .venv/bin/python benches/bench_record.py [ROUNDS]

The program is CPython that writes and reads JSON with PYTHONMALLOC=malloc, as its heap is busiest.
In each round it runs alone, recorded, recorded with stacks, and under heaptrack where that is
installed; the best of the rounds counts. Processor time is the program's own; the wall's also has
the recorder's where the machine has no core free for it.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from heapscope.capture.record.session import RecordOptions, record

FRAMES = 16
WORK = """
import json, resource, sys
text = json.dumps([{"id": i, "name": "item %d" % i, "tags": ["a%d" % i, "b", "c"], "v": i * 0.5}
                   for i in range(40000)])
for _ in range(4):
    json.dumps(json.loads(text))
used = resource.getrusage(resource.RUSAGE_SELF)
with open(sys.argv[1], "w") as out:
    out.write(str(used.ru_utime + used.ru_stime))
"""


@dataclass
class Cost:
    wall: float = float("inf")
    processor: float = float("inf")  # of the program alone
    size: int = 0  # bytes of the file
    events: int = 0

    def add(self, wall: float, processor: float) -> None:
        self.wall = min(self.wall, wall)
        self.processor = min(self.processor, processor)


def command(folder: Path) -> list[str]:
    """The interpreter itself: a wrapper's processes would count as well."""
    script = folder / "work.py"
    script.write_text(WORK, encoding="utf-8")
    return [str(Path(sys.executable).resolve()), str(script), str(folder / "used")]


def plain(folder: Path, cost: Cost) -> None:
    began = time.monotonic()
    subprocess.run(command(folder), check=True)
    cost.add(time.monotonic() - began, float((folder / "used").read_text()))


def recorded(folder: Path, cost: Cost, frames: int) -> None:
    out = folder / "T.hst"
    result = record(command(folder), RecordOptions(out=str(out), frames=frames))
    cost.add(result.seconds, float((folder / "used").read_text()))
    cost.size, cost.events = out.stat().st_size, result.images[-1].events


def under_heaptrack(folder: Path, cost: Cost) -> None:
    began = time.monotonic()
    subprocess.run(
        ["heaptrack", "-o", str(folder / "heaptrack"), *command(folder)],
        check=False,  # its summary may fail when the recording did not
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    cost.add(time.monotonic() - began, float((folder / "used").read_text()))
    cost.size = sum(path.stat().st_size for path in folder.glob("heaptrack.*"))


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    os.environ["PYTHONMALLOC"] = "malloc"
    costs = {name: Cost() for name in ("alone", "recorded", f"{FRAMES} frames", "heaptrack")}
    alone, bare, stacks, rival = costs.values()
    with tempfile.TemporaryDirectory() as built:
        folder = Path(built)
        for _ in range(rounds):
            plain(folder, alone)
            recorded(folder, bare, 0)
            recorded(folder, stacks, FRAMES)
            if shutil.which("heaptrack"):
                under_heaptrack(folder, rival)
    report(costs, bare.events)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"{bare.events:,} events; the recorder's memory at most {peak:,} KB")


def report(costs: dict[str, Cost], events: int) -> None:
    alone = costs["alone"]
    print(f"{'':<12} {'wall s':>8} {'program s':>10} {'+ns wall':>9} {'+ns own':>8} {'bytes':>6}")
    for name, cost in costs.items():
        if cost.wall == float("inf"):
            print(f"{name:<12} not installed")
            continue
        wall = (cost.wall - alone.wall) * 1e9 / events
        own = (cost.processor - alone.processor) * 1e9 / events
        print(
            f"{name:<12} {cost.wall:>8.2f} {cost.processor:>10.2f} {wall:>9.1f} {own:>8.1f} "
            f"{cost.size / events:>6.2f}"
        )


if __name__ == "__main__":
    main()
