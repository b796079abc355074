"""One device of a fleet, as far as it is known."""

from __future__ import annotations

from dataclasses import dataclass, replace

from heapscope.answers.series.judge import SeriesVerdict


@dataclass(frozen=True, kw_only=True, eq=False)
class FleetDevice:
    """`seconds`: how long it was watched; samples where `has_time` is false. `free`, `largest`: its
    usual level in bytes, `last`: the last level that decides, which is the largest block where that
    is reported. `failures`: of each need, when it first did not fit, in such seconds; None: it
    always fitted. `fits`: of each, whether it fits at the end."""

    name: str
    build: str = ""
    chip: str = ""
    samples: int
    seconds: float
    has_time: bool = True
    free: float | None
    largest: float | None
    last: float
    failures: tuple[float | None, ...]
    fits: tuple[bool, ...]
    judged: SeriesVerdict | None = None

    def with_verdict(self, judged: SeriesVerdict) -> FleetDevice:
        return replace(self, judged=judged)
