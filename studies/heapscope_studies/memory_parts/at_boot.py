"""The heap at boot of public builds, each predicted without its own project."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt

from heapscope.forecast.predict.memory_fit import memory_fit
from heapscope.forecast.predict.memory_states import DRAM, FreeBand
from heapscope.forecast.predict.part_table import BOOT
from heapscope_studies.memory_parts.measured_runs import Build


@dataclass(frozen=True, kw_only=True)
class LeftOut:
    build: Build
    free: FreeBand


def at_boot(of: Sequence[Build]) -> Iterator[LeftOut]:
    """Those whose own code and data are known."""
    return (LeftOut(build=build, free=_free(build)) for build in of if build.own is not None)


def _free(build: Build) -> FreeBand:
    model, fit = build.model, memory_fit()
    memory = model.before_code(BOOT, DRAM)
    constant, doubt = model.less_empty(memory, DRAM, without=frozenset({build.owner}))
    use = model.use(BOOT, DRAM)
    deviation = sqrt(doubt**2 + fit.spread[BOOT] ** 2 + use.variance(fit))
    return FreeBand(median=constant - use.taken(fit), half_80=fit.reach[BOOT] * deviation)
