"""Runs real programs on our heap and on others, and writes docs/reference/programs.md.

python benches/programs [--calls N] [--program NAME...] [--heap NAME...] [--target NAME...]
python benches/programs --page | --check

A row is kept in docs/reference/programs.csv as soon as its run ends; a row that is there with as
many calls is not made again without --again. A program that gets SIGTERM ends its run early.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))
sys.path.append(str(Path(__file__).resolve().parents[2]))
sys.path.append(str(Path(__file__).resolve().parents[2] / "studies" / "workloads"))

from build import TARGETS
from heaps import HEAPS, WRONG
from page import PAGE, page
from programs import PROGRAMS
from runs import keep, kept, run
from tools.places import MissingError

CALLS = 100_000_000
ALL = {**HEAPS, WRONG.name: WRONG}


def _is_kept(program: str, heap: str, target: str, calls: int) -> bool:
    place = {"program": program, "heap": heap, "target": target}
    rows = [row for row in kept() if place.items() <= row.items()]
    return any(int(row["calls"]) >= calls or row["fault"] for row in rows)


def _run_all(chosen: argparse.Namespace) -> int:
    wrong = 0
    for target in chosen.target or ["x86-32"]:
        for heap in chosen.heap or HEAPS:
            for program in chosen.program or [name for name in PROGRAMS if name != "random"]:
                if not (chosen.again or chosen.dry) and _is_kept(
                    program, heap, target, chosen.calls
                ):
                    continue
                done = run(
                    PROGRAMS[program],
                    ALL[heap],
                    TARGETS[target],
                    calls=chosen.calls,
                    refuse_one_in=chosen.refuse,
                    seed=chosen.seed,
                )
                place = {"program": program, "heap": heap, "target": target}
                print(json.dumps({**place, **done.figures, "said": done.printed}), flush=True)
                wrong += not done.sound
                if not chosen.dry:
                    keep(PROGRAMS[program], ALL[heap], TARGETS[target], done)
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--calls", type=int, default=CALLS, help="of the allocator, at least")
    parser.add_argument("--program", nargs="+", choices=PROGRAMS)
    parser.add_argument("--heap", nargs="+", choices=ALL)
    parser.add_argument("--target", nargs="+", choices=TARGETS)
    parser.add_argument(
        "--refuse", type=int, default=0, metavar="N", help="one request in N fails; with --dry"
    )
    parser.add_argument("--seed", type=int, default=1, help="of the requests that fail")
    parser.add_argument("--again", action="store_true", help="rows that are there, too")
    parser.add_argument("--dry", action="store_true", help="keep nothing")
    parser.add_argument("--page", action="store_true")
    parser.add_argument("--check", action="store_true")
    chosen = parser.parse_args()
    if chosen.refuse and not chosen.dry:
        parser.error("--refuse is for --dry: a kept row is of a run in which nothing was refused")
    fragile = [name for name in chosen.program or () if not PROGRAMS[name].survives]
    if chosen.refuse and fragile:
        parser.error(f"a request that fails ends {', '.join(fragile)}, on any heap")
    wrong = 0
    if not (chosen.page or chosen.check):
        try:
            wrong = _run_all(chosen)
        except MissingError as error:
            print(f"missing: {error}", file=sys.stderr)
            return 3
    built = page(kept())
    if chosen.check:
        return 0 if PAGE.exists() and PAGE.read_text(encoding="utf-8") == built else 1
    if not chosen.dry:
        PAGE.write_text(built, encoding="utf-8")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
