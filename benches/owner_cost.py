"""The cost of owners in blocks (device/include/heapscope/owners.h): the smallest
pool in which each trace survives, and the same with the owner's byte at the end of each block. A
table, and the geometric mean of the growth; beside it that of ESP-IDF 5.5 with task tracking.

    python benches/owner_cost.py [NAME ...]
"""

from __future__ import annotations

import math
import sys
import tempfile
from pathlib import Path

import numpy as np

from heapscope.answers.fit.fit_trace import fit
from heapscope.native.events import NativeWriter, keep_events, take_events
from heapscope.native.reader import NativeReader
from heapscope.trace.feed import read_trace

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = (ROOT / "studies" / "workloads" / "captured", ROOT / "tests" / "oracle" / "traces")
PROGRAMS = (
    *("duk_json", "script_device", "tls_rsa_cli", "tls228_ec_16k_2k", "tls228_rsa_4k_4k"),
    *("mix_gateway", "gateway", "lua"),
)
#: Without canaries; with them the owner lies in what is there already.
OWNER = 1
OTHERS = ("idf-5.5", "idf-5.5+track")
HEAP_EVENTS = 6  # the kinds up to here have sizes


def larger(path: Path, by: int, folder: Path) -> Path:
    """The calls of a trace, each block `by` bytes larger."""
    with NativeReader() as reader:
        keep_events(reader)
        read_trace(path, reader)
        events = np.concatenate(list(take_events(reader)))
    events = events[events["kind"] <= HEAP_EVENTS]
    events["size"][events["size"] != 0] += by
    built = folder / f"{path.name.partition('.')[0]}-{by}.hst"
    with NativeWriter() as writer:
        writer.events(events)
        writer.finish()
        built.write_bytes(b"".join(writer.take()))
    return built


def mean(growths: list[float]) -> float:
    return math.exp(sum(map(math.log, growths)) / len(growths)) - 1


def main() -> None:
    result = {path.name.partition(".")[0]: path for f in FOLDERS for path in f.glob("*.hst*")}
    growths: list[float] = []
    beside: list[float] = []
    print(f"{'trace':24}{'pool':>10}{'with owners':>14}{'growth':>9}{'idf-5.5+track':>16}")
    with tempfile.TemporaryDirectory() as folder:
        for name in sys.argv[1:] or PROGRAMS:
            plain = fit(larger(result[name], 0, Path(folder)), ["heapscope", *OTHERS])
            owned = fit(larger(result[name], OWNER, Path(folder)), ["heapscope"])
            pools = {row.allocator: row.pool for row in plain}
            with_owners, before = owned[0].pool, pools["heapscope"]
            other, other_before = pools[OTHERS[1]], pools[OTHERS[0]]
            if not (with_owners and before and other and other_before):
                sys.exit(f"{name}: an allocator has no pool; see heapscope fit")
            growths.append(with_owners / before)
            beside.append(other / other_before)
            growth, its = growths[-1] - 1, beside[-1] - 1
            print(f"{name:24}{before:10}{with_owners:14}{growth:9.2%}{its:16.2%}", flush=True)
    print(f"{'geometric mean':48}{mean(growths):9.2%}{mean(beside):16.2%}")


if __name__ == "__main__":
    main()
