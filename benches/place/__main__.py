"""Places the blocks of every captured trace, and writes docs/reference/placement.md.

python benches/place [--goal free|need] [NAME ...]
python benches/place --page | --check

NAME is a part of the name of a trace, whose figures are only printed; without one all are placed,
which takes half an hour. --goal places them for one aim, and keeps the other's figures. --page
writes the page again from the figures of the last run; --check does not, and exits with 1 if it is
another one.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[1]))

import page
from machine import commit, cpu
from results import read_results, write_results

from heapscope.errors import HeapscopeError
from heapscope.verbs.place import place

ROOT = Path(__file__).resolve().parents[2]
TRACES = ROOT / "studies" / "workloads" / "captured"
RAW = ROOT / "docs" / "reference" / "placement.csv"
PAGE = RAW.with_suffix(".md")

#: The memory, with and without a need. PSRAM serves only what rules send there.
MEMORY: dict[str, Any] = {"chip": "esp32", "idf": "5.5", "psram": "4MB", "psram_threshold": "off"}
NEED = 16717  # bytes: the record buffer of a TLS session


def _measured(path: Path, need: int | None) -> dict[str, Any]:
    began = time.monotonic()
    found = place(path, need=need, **MEMORY)
    seconds = time.monotonic() - began
    ways = {way.name: way for way in found.ways}
    none, best = ways["no rules"], ways["best placement"]
    single = ways.get("best single rule", none)
    rooms = {"free": "free", "need": "largest"}
    name = rooms[found.goal]
    return {
        "none": getattr(none, name),
        "single": getattr(single, name),
        "best": getattr(best, name),
        "bound": found.bound,
        "taken_none": none.taken,
        "taken_single": single.taken,
        "taken": best.taken,
        "failures": best.failures,
        "failures_none": none.failures,
        "failures_single": single.failures,
        "slow": best.slow,
        "rules": best.rules,
        "proved": found.proved,
        "stopped": found.stopped,
        "seconds": round(seconds, 1),
    }


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--goal", choices=("free", "need"))
    parser.add_argument("--page", action="store_true")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if not (options.page or options.check):
        data: dict[str, Any] = read_results(RAW) if options.goal else {"provenance": {}}
        wanted = [
            path
            for path in sorted(TRACES.glob("*.hst.zst"))
            if not options.names or any(name in path.name for name in options.names)
        ]
        for goal, need in (("free", None), ("need", NEED)):
            if options.goal not in (None, goal):
                continue
            data["provenance"][goal] = {"commit": commit(), "cpu": cpu()}
            data[goal] = {}
            for path in wanted:
                name = path.name.removesuffix(".hst.zst")
                try:
                    data[goal][name] = _measured(path, need)
                except HeapscopeError as error:
                    said = error.message.removeprefix(f"{path}: ")
                    data[goal][name] = {"error": said}
                print(goal, name, data[goal][name], flush=True)
        if options.names:
            return 0
        write_results(RAW, data)
    made = page.markdown(read_results(RAW))
    if options.check:
        return int(PAGE.read_text(encoding="utf-8") != made)
    PAGE.write_text(made, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
