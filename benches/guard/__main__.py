"""Measures the guard and writes docs/reference/guard.md and guard.csv.

python benches/guard [--seed N] [--scenes N]
python benches/guard --page | --check

Takes some minutes. --page writes the page again from the figures of the last run; --check does not,
and exits with 1 if it is another one.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))
sys.path.append(str(Path(__file__).resolve().parents[2]))

import cost
import faults
import page
from emulation.places import ROOT, MissingError
from emulation.targets import TARGETS, compiler_name
from machine import commit, cpu
from results import read_results, write_results

RAW = ROOT / "docs" / "reference" / "guard.csv"
PAGE = RAW.with_suffix(".md")


def measured(seed: int, scenes: int) -> dict[str, object]:
    rows = faults.campaign(seed, scenes, 64)
    try:
        rows += faults.campaign(seed, scenes, 32)
    except MissingError as error:
        print(f"left out: 32-bit campaign, missing: {error}", file=sys.stderr)
    return {
        "provenance": {
            "commit": commit(),
            "machine": cpu(),
            "compilers": compiler_name(TARGETS["x86-32"]),
            "seed": seed,
            "scenes": scenes,
            "traces": cost.TRACES,
            "events": cost.EVENTS,
        },
        "bytes": cost.overheads(),
        "instructions": cost.instructions(),
        "faults": rows,
    }


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scenes", type=int, default=4, help="of each level, form and alignment")
    parser.add_argument("--page", action="store_true")
    parser.add_argument("--check", action="store_true")
    chosen = parser.parse_args()
    if not (chosen.page or chosen.check):
        write_results(RAW, measured(chosen.seed, chosen.scenes))
    built = page.page(read_results(RAW))
    if chosen.check:
        return 0 if PAGE.exists() and PAGE.read_text(encoding="utf-8") == built else 1
    PAGE.write_text(built, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
