"""Measures the device library on four chips and writes docs/reference/device.md.

python benches/device
python benches/device --quick
python benches/device --interrupts 13

About five minutes on two cores, most of it the interrupts at every instruction. --quick prints the
page of one chip with a sample of the interrupts, and writes nothing. --interrupts looks at one of
so many boundaries, for a page in less time. --bounds derives the bounds of operations and prints
them, with --page into the page, too; --bounds NAME: of the ways whose names begin so; --path
WAY/CALL prints the longest way of one, by function and line. --page writes the page again from the
figures of the last run; --recorder first measures the recorder again, --sizes the bytes of code and
what a call of each build takes. --check does not write it, and exits with 1 if it is another one.
--whole runs the C tests in emulation with all their rounds, which takes hours.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))
sys.path.append(str(Path(__file__).resolve().parents[2]))

from article import bounds, page
from bounds import measured_bounds, report
from emulation.bounds_ways import WAYS
from emulation.places import ROOT
from emulation.program import run_program
from emulation.suite import programs
from emulation.targets import TARGETS
from machine import commit, cpu
from measured import CHIPS, code_bytes, measure, recorders
from results import read_results, write_results

REFERENCE = ROOT / "docs" / "reference"
RAW, PAGE = REFERENCE / "device.csv", REFERENCE / "device.md"


def whole() -> int:
    """Every program with all its rounds, on RV32IMC; 1: one failed."""
    failed = 0
    for program in programs():
        target = TARGETS["rv32imc"]
        finished = run_program(target, program.build(target, thin=1), seconds=36000)
        print(f"{program.name}: exit {finished.code}", flush=True)
        failed |= finished.code
    return int(failed != 0)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--interrupts", type=int, default=1, metavar="N")
    parser.add_argument("--page", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--recorder", action="store_true")
    parser.add_argument("--sizes", action="store_true")
    parser.add_argument("--bounds", nargs="?", const="", metavar="NAME")
    parser.add_argument("--path", metavar="WAY/CALL")
    parser.add_argument("--whole", action="store_true")
    chosen = parser.parse_args()
    if chosen.whole:
        return whole()
    if chosen.quick:
        print(page(measure(CHIPS[:1], interrupts=101)))
        return 0
    if chosen.path is not None:
        way, call = chosen.path.rsplit("/", 1)
        print(report(next(one for one in WAYS if one.name == way), call))
        return 0
    if chosen.bounds is not None:
        result = measured_bounds(chosen.bounds)
        print(bounds(result))
        if not chosen.page:
            return 0
        data = read_results(RAW)
        write_results(RAW, {**data, "bounds": {**data.get("bounds", {}), **result}})
    if chosen.recorder:
        write_results(RAW, {**read_results(RAW), "recorder": recorders()})
    elif chosen.sizes:
        write_results(RAW, {**read_results(RAW), **code_bytes()})
    elif not (chosen.page or chosen.check):
        provenance = {"commit": commit(), "machine": cpu()}
        write_results(RAW, {"provenance": provenance, **measure(interrupts=chosen.interrupts)})
    built = page(read_results(RAW))
    if chosen.check:
        return 0 if PAGE.exists() and PAGE.read_text(encoding="utf-8") == built else 1
    PAGE.write_text(built, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
