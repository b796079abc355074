"""Places the blocks of every captured trace, and writes docs/reference/placement.md.

python benches/place [--goal free|need|ends|pools] [NAME ...]
python benches/place --page | --check

NAME is a part of the name of a trace, whose figures are only printed; without one all are placed,
which takes an hour; a run that was stopped goes on where it was, if the commit is the same and
nothing is changed. --goal places them for one aim, and keeps the others' figures; "ends" learns
from each trace with a second recording which requests take from the high end of our heap, and
"pools" tries pools of fixed blocks. --page writes the page again from the figures of the last run;
--check does not, and exits with 1 if it is another one.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[1]))

import placement_page
from kept_rows import KeptRows
from machine import commit, cpu
from pool_rows import LEFT_OUT, pool_row
from results import read_results, write_results
from second import second_of

from heapscope.answers.place.ends import compare_ends, find_ends
from heapscope.answers.place.question import PlaceQuestion, PlaceWish
from heapscope.base.errors import HeapscopeError
from heapscope.cli.verbs.place import place
from heapscope.memory.layout.pool import pool_layout

ROOT = Path(__file__).resolve().parents[2]
TRACES = ROOT / "studies" / "workloads" / "captured"
RAW = ROOT / "docs" / "reference" / "placement.csv"
PAGE = RAW.with_suffix(".md")

#: The memory, with and without a need. PSRAM serves only what rules send there.
MEMORY: dict[str, Any] = {"chip": "esp32", "idf": "5.5", "psram": "4MB", "psram_threshold": "off"}
NEED = 16717  # bytes: the record buffer of a TLS session


def _measured(path: Path, need: int | None) -> dict[str, Any]:
    began = time.monotonic()
    result = place(path, need=need, **MEMORY)
    seconds = time.monotonic() - began
    ways = {way.name: way for way in result.ways}
    none, best = ways["no rules"], ways["best placement"]
    single = ways.get("best single rule", none)
    rooms = {"free": "free", "need": "largest"}
    name = rooms[result.goal]
    return {
        "none": getattr(none, name),
        "single": getattr(single, name),
        "best": getattr(best, name),
        "bound": result.bound,
        "taken_none": none.taken,
        "taken_single": single.taken,
        "taken": best.taken,
        "failures": best.failures,
        "failures_none": none.failures,
        "failures_single": single.failures,
        "slow": best.slow,
        "rules": best.rules,
        "proved": result.proved,
        "stopped": result.stopped,
        "seconds": round(seconds, 1),
    }


def _ends(path: Path, second: Path, third: Path) -> dict[str, Any]:
    """On pools of our heap alone: the smallest one of both recordings; and of a third one, which
    had no part in it, where the rules are offered."""
    began = time.monotonic()
    requested, other, last = (
        PlaceQuestion(path=each, layout=pool_layout(1 << 20, "heapscope"), wish=PlaceWish())
        for each in (path, second, third)
    )
    ends = find_ends(requested, other)
    later = None
    if ends.wins and third != path:
        later = compare_ends(last, "heapscope", ends.rules)
    first, then = ends.first, ends.second
    pools = (
        {}
        if first is None or then is None
        else {
            "first_without": first.without,
            "first_with": first.having,
            "second_without": then.without,
            "second_with": then.having,
        }
    )
    return {
        "second": second.name.removesuffix(".hst.zst"),
        **(pools or dict.fromkeys(_POOLS, 0)),
        "third": third.name.removesuffix(".hst.zst") if later else "",
        "third_without": later.without if later else 0,
        "third_with": later.having if later else 0,
        "end_rules": len(ends.rules),
        "tables": ends.tried,
        "offered": ends.wins,
        "cut_short": ends.stopped,
        "took": round(time.monotonic() - began, 1),
    }


_POOLS = ("first_without", "first_with", "second_without", "second_with")


def _rows(
    goal: str, wanted: list[Path], kept: KeptRows, measure: Callable[[Path], dict[str, Any]]
) -> dict[str, Any]:
    rows: dict[str, Any] = {}
    for path in wanted:
        name = path.name.removesuffix(".hst.zst")
        row = kept.get(goal, name)
        if row is None:
            try:
                row = measure(path)
            except HeapscopeError as error:
                row = {"error": error.message.removeprefix(f"{path}: ")}
            kept.put(goal, name, row)
        rows[name] = row
        print(goal, name, row, flush=True)
    return rows


def _measured_ends(names: list[str], wanted: list[Path], kept: KeptRows) -> dict[str, Any]:
    seconds = second_of(names)

    def measure(path: Path) -> dict[str, Any]:
        second = seconds[path.name.removesuffix(".hst.zst")]
        return _ends(path, *(path.with_name(f"{one}.hst.zst") for one in (second, seconds[second])))

    paired = [path for path in wanted if path.name.removesuffix(".hst.zst") in seconds]
    return _rows("ends", paired, kept, measure)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--goal", choices=("free", "need", "ends", "pools"))
    parser.add_argument("--page", action="store_true")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if not (options.page or options.check):
        kept = KeptRows(commit())
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
            data[goal] = _rows(goal, wanted, kept, partial(_measured, need=need))
        if options.goal in (None, "ends"):
            data["provenance"]["ends"] = {"commit": commit(), "cpu": cpu()}
            every = [each.name.removesuffix(".hst.zst") for each in TRACES.glob("*.hst.zst")]
            data["ends"] = _measured_ends(every, wanted, kept)
        if options.goal in (None, "pools"):
            data["provenance"]["pools"] = {"commit": commit(), "cpu": cpu()}
            placed = [path for path in wanted if not path.name.startswith(LEFT_OUT)]
            data["pools"] = _rows("pools", placed, kept, pool_row)
        if options.names:
            return 0
        write_results(RAW, data)
        kept.done()
    built = placement_page.markdown(read_results(RAW))
    if options.check:
        return int(PAGE.read_text(encoding="utf-8") != built)
    PAGE.write_text(built, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
