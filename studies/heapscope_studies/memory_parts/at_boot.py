"""The heap at boot of public builds, each predicted without its own project."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from heapscope.forecast.predict.memory_states import DRAM, FreeBand
from heapscope_studies.memory_parts.measured_runs import Build


@dataclass(frozen=True, kw_only=True)
class LeftOut:
    build: Build
    free: FreeBand


def at_boot(of: Sequence[Build]) -> Iterator[LeftOut]:
    for build in of:
        if build.own is not None:
            yield LeftOut(build=build, free=build.model.free("boot")[DRAM])
