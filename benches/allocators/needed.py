"""The smallest pool of every allocator for every trace, kept from run to run."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from places import ROOT
from sets import Trace

from heapscope.answers.fit.fit_trace import fit
from heapscope.memory.layout.allocator import placements

__all__ = ["OURS", "REFERENCE", "Needed", "allocators", "needed", "over_traces", "per_program"]

OURS = "heapscope"
REFERENCE = "idf-4.2"  # that ratios are taken to

KEPT = ROOT / "build" / "allocators" / "needed"
#: The files that an answer depends on, beside the trace and the allocator's name.
SEARCH = (
    "lab/heapscope/answers/fit/search.py",
    "lab/heapscope/answers/fit/limits.py",
    "lab/native/fit",
    "lab/models",
)
HEAP = ("device/src/heap", "lab/native/allocators/heapscope.c")

#: The same policy as idf-4.3.2 with larger tables.
ALIKE = ("idf-4.3.2-psram", "idf-4.3.2-host")


@dataclass(frozen=True)
class Needed:
    """`pool` as `heapscope fit` defines it; None: for `reason`."""

    pool: int | None
    peak_live: int
    reason: str

    @property
    def ratio(self) -> float | None:
        return self.pool / self.peak_live if self.pool else None


def allocators() -> tuple[str, ...]:
    return tuple(name for name in placements() if name not in ALIKE)


def needed(
    traces: Sequence[Trace],
    names: Sequence[str],
    *,
    done: Callable[[int, int], None] = lambda done, of: None,
) -> dict[str, dict[str, Needed]]:
    """By trace, then by allocator. An answer that the same code found before is not searched
    again."""
    result = {}
    for number, trace in enumerate(traces, 1):
        kept = {name: _file(trace.path, name) for name in names}
        missing = [name for name, file in kept.items() if not file.exists()]
        if missing:
            for row in fit(trace.path, missing):
                kept[row.allocator].parent.mkdir(parents=True, exist_ok=True)
                text = json.dumps([row.pool, row.peak_live, row.reason])
                kept[row.allocator].write_text(text, encoding="utf-8")
        result[trace.name] = {
            name: Needed(*json.loads(file.read_text(encoding="utf-8")))
            for name, file in kept.items()
        }
        done(number, len(traces))
    return result


def _file(path: Path, allocator: str) -> Path:
    places = (*SEARCH, *(HEAP if allocator.startswith(OURS) else ()))
    key = hashlib.sha256(path.read_bytes())
    key.update("\0".join((allocator, *map(_state, places))).encode())
    return KEPT / f"{key.hexdigest()[:24]}.json"


@cache
def _state(place: str) -> str:
    at = ROOT / place
    files = [at] if at.is_file() else sorted([*at.rglob("*.c"), *at.rglob("*.h")])
    return hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()


# ---- means --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Mean:
    """Geometric, over the traces that the allocator serves: `served` of `traces`. `to_reference`:
    of the ratios to the reference's pool."""

    ratio: float | None
    to_reference: float | None
    served: int
    traces: int


def over_traces(result: Mapping[str, Mapping[str, Needed]], names: Iterable[str], who: str) -> Mean:
    """Each trace counts the same."""
    rows = [result[name] for name in names]
    return _mean([(row[who], row[REFERENCE]) for row in rows])


def _mean(pairs: Sequence[tuple[Needed, Needed]]) -> Mean:
    served = [(own, other) for own, other in pairs if own.pool and other.pool]
    return Mean(
        ratio=_geometric([own.pool / own.peak_live for own, _ in served if own.pool]),
        to_reference=_geometric(
            [own.pool / other.pool for own, other in served if own.pool and other.pool]
        ),
        served=len(served),
        traces=len(pairs),
    )


def per_program(
    result: Mapping[str, Mapping[str, Needed]], traces: Iterable[Trace], who: str
) -> Mean:
    """Each program counts the same, however many traces of it there are."""
    programs: dict[str, list[str]] = {}
    for trace in traces:
        programs.setdefault(trace.program, []).append(trace.name)
    parts = [over_traces(result, names, who) for names in programs.values()]
    return Mean(
        ratio=_geometric([part.ratio for part in parts if part.ratio]),
        to_reference=_geometric([part.to_reference for part in parts if part.to_reference]),
        served=sum(part.served > 0 for part in parts),
        traces=len(parts),
    )


def _geometric(values: Sequence[float]) -> float | None:
    return math.exp(math.fsum(map(math.log, values)) / len(values)) if values else None
