"""Measures our heap beside the other allocators and writes docs/reference/allocators.md.

python benches/allocators [--seeds 101-110] [--trace T.hst ...]
python benches/allocators --quick [--target x86-32]

The first run searches the pools of every allocator for every trace, which takes most of an hour on
two cores; what was found is kept in build/allocators. After a change of our heap alone, --ours
measures it again and keeps the others' figures of the last run, in a quarter of an hour. --quick
prints what our heap's calls take on the traces of the repository, and writes nothing.
--instructions measures instructions and code sizes again, in the pools of the last run, which holds
while no block lies elsewhere. --page writes the page again from the figures of the last run;
--check does not and exits with 1 if it is another one.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[1]))
sys.path.append(str(Path(__file__).resolve().parents[2]))
sys.path.append(str(Path(__file__).resolve().parents[2] / "studies" / "workloads"))

import page
import places
from emulation.run import Form
from emulation.targets import GCC_X86, TARGETS, compiler_name
from instructions import CALLS, Job, count
from machine import commit, cpu
from measure import (
    ALIGNED_TO,
    WIDE,
    available,
    measure,
    measure_instructions,
    measure_ours,
    tallied,
)
from needed import OURS, REFERENCE, allocators
from results import read_results, write_results
from sets import Trace, fresh, given, in_repository

#: A pool in which every trace but those that want more memory survives, without being tight.
QUICK_POOL = 300_000


def seeds(text: str) -> list[int]:
    first, _, last = text.partition("-")
    return list(range(int(first), int(last or first) + 1))


def names_of(chosen: list[str]) -> list[str]:
    """Ours and the one that ratios are taken to always."""
    needed = {OURS, WIDE, *ALIGNED_TO.values(), REFERENCE, *chosen}
    return [name for name in allocators() if not chosen or name in needed]


def provenance(chosen: argparse.Namespace) -> dict[str, Any]:
    return {
        "machine": cpu(),
        "commit": commit(),
        "compilers": {target.name: compiler_name(target) for target in available()},
        "seeds": chosen.seeds,
        "given": [path.name for path in chosen.trace],
    }


def quick(traces: list[Trace], target: str) -> None:
    built = GCC_X86 if target == GCC_X86.name else TARGETS[target]
    for form in (Form.SMALL, Form.WIDE):
        jobs = [Job(built, t.name, t.path, QUICK_POOL, form) for t in traces]
        rows = tallied([tallies for tallies, _ in count(jobs)])
        print(f"{target}, {form.name.lower()} form, {QUICK_POOL:,} bytes")
        for call in CALLS:
            if call in rows:
                row = rows[call]
                print(
                    f"  {call:<18}{row['calls']:>9,} calls  mean {row['mean']:>7.1f}  "
                    f"by trace {row['by_trace']:>7.1f}  p99 {row['p99']:>5}  max {row['max']:>6} "
                    f"at event {row['max_event']} of {row['max_trace']}"
                )


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=seeds, default="101-110", help="of the synthetic traces")
    parser.add_argument("--trace", type=Path, nargs="*", default=[], help="more real traces")
    parser.add_argument("--allocator", nargs="*", default=[], help="these only, and ours")
    parser.add_argument("--ours", action="store_true")
    parser.add_argument("--instructions", action="store_true")
    parser.add_argument("--page", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--quick", action="store_true")
    targets = [*TARGETS, GCC_X86.name]
    parser.add_argument("--target", choices=targets, default="x86-32", help="of --quick")
    chosen = parser.parse_args()
    traces = [*in_repository(), *given(chosen.trace)]
    if chosen.quick:
        quick(traces, chosen.target)
        return 0
    if chosen.instructions:
        before = read_results(places.RAW)
        after = provenance(chosen) | {"seeds": before["provenance"]["seeds"]}
        rows = measure_instructions(traces, before["needed"]["traces"])
        write_results(places.RAW, {**before, "provenance": after, **rows})
    elif chosen.ours:
        before = read_results(places.RAW)
        chosen.seeds = [int(seed) for seed in before["provenance"]["seeds"]]
        rows = measure_ours(traces, fresh(chosen.seeds), before)
        write_results(places.RAW, {**before, "provenance": provenance(chosen), **rows})
    elif not (chosen.page or chosen.check):
        rows = measure(traces, fresh(chosen.seeds), names_of(chosen.allocator))
        write_results(places.RAW, {"provenance": provenance(chosen), **rows})
    data = read_results(places.RAW)
    if not chosen.check:
        page.write(data)
    for path in page.differing(data):
        print(f"{path.name} is not what {places.RAW.name} makes it: run with --page")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
