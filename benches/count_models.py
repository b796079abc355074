"""How many instructions an event takes in each model of another system's heap, beside idf-5.5.

python benches/count_models.py
python benches/count_models.py NAME...

Counted as benches/count_replay.py counts, in the same program. The figure of a model is that of the
trace on which it stands worst beside idf-5.5 in the same pool.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from count_replay import LENGTH, POOL, REFERENCE, build, count
from machine import commit
from traces import FOLDERS, name, repeated

from heapscope.memory.layout.families import is_compared
from heapscope.native.library import allocator_names
from heapscope.native.single_heap import fill

TRACES = ("gateway", "lua", "syn_mixed", "fuzz_realloc_small")
SMALL = 64_000  #: the largest pool of those that have a limit
BASE = 4096


def pool_of(allocator: str) -> int:
    fits = fill(allocator, base=BASE, size=POOL, block=1, most=0) is not None
    return POOL if fits else SMALL


def main() -> None:
    of_the_field = [one for one in allocator_names() if "+" not in one and not is_compared(one)]
    wanted = sys.argv[1:] or [
        one for one in of_the_field if not one.startswith(("idf-", "heapscope"))
    ]
    print(
        f"instructions an event, most of {', '.join(TRACES)} beside {REFERENCE}; commit {commit()}"
    )
    print("| model | an event | beside idf-5.5 | trace |")
    print("| --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as built:
        folder = Path(built)
        program, files = build(folder), {}
        for path in (each for where in FOLDERS for each in where.glob("*.hst*")):
            if name(path) in TRACES:
                files[name(path)] = folder / f"{name(path)}.hst"
                files[name(path)].write_bytes(repeated(path, LENGTH)[0])

        def taken(trace: str, allocator: str, pool: int) -> float:
            took, events, _ = count(program, files[trace], folder, allocator, pool)
            return took / events

        reference = {
            (trace, pool): taken(trace, REFERENCE, pool)
            for trace in TRACES
            for pool in (POOL, SMALL)
        }
        for allocator in wanted:
            pool = pool_of(allocator)
            rows = [(trace, taken(trace, allocator, pool)) for trace in TRACES]
            trace, took = max(rows, key=lambda row: row[1] / reference[row[0], pool])
            ratio = took / reference[trace, pool]
            print(f"| `{allocator}` | {took:.0f} | {ratio:.2f} | {trace} |", flush=True)


if __name__ == "__main__":
    main()
