"""The simulated link as a 32-bit program, and one run of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tenants import sizes
from tenants.knobs import Knobs
from tools.compiler import OWN, RECORDER, compile_all, link, recorder
from tools.places import ROOT, WORKLOADS, run
from wifi.sources import lwip

__all__ = ["PHASES", "Phase", "Run", "simulate"]

HERE = WORKLOADS / "wifi"
PHASES = ("tcp_rx", "tcp_tx", "udp_rx", "udp_tx")

#: Sizes of the driver's blocks are those of studies/workloads/tenants.
BLOCKS = {
    "static_bytes": sizes.STATIC_RX,
    "around_bytes": sizes.AROUND,
    "mgmt_bytes": sizes.MGMT_RX,
    "mgmt_rx": Knobs().mgmt_rx,
}


@dataclass(frozen=True)
class Phase:
    """`figures`: as wifi.c prints them."""

    name: str
    figures: Mapping[str, Any]

    @property
    def mbit(self) -> float:
        """Throughput, from the first packet to the last byte; 0: nothing came."""
        took = float(self.figures["ns"])
        return float(self.figures["bytes"]) * 8000 / took if took else 0.0


@dataclass(frozen=True)
class Run:
    phases: Mapping[str, Phase]
    sizes: Mapping[str, int]


@cache
def program() -> Path:
    tree = lwip()
    include = [HERE, HERE / "site", RECORDER, ROOT / "device" / "include", tree / "include"]
    options = tuple(f"-I{folder}" for folder in include)
    sources = [*(tree / "core").glob("*.c"), *(tree / "core").glob("ipv?/*.c")]
    objects = compile_all(sorted(sources), options=("-w", *options))
    objects += compile_all(sorted(HERE.glob("*.c")), options=(*OWN, *options))
    return link("wifi", [*objects, *recorder()])


def simulate(words: Mapping[str, int], *, trace: Path = Path("/dev/null")) -> Run:
    """`words`: of knobs.h. RuntimeError: a connection broke off."""
    results = [f"{name}={value}" for name, value in {**BLOCKS, **words}.items()]
    lines = [json.loads(line) for line in run(program(), trace, *results).splitlines()]
    phases = {line["phase"]: Phase(line["phase"], line) for line in lines[:-1]}
    broken = [phase.name for phase in phases.values() if phase.figures["failed"]]
    if broken:
        raise RuntimeError(f"{' '.join(results)}: {', '.join(broken)} broke off")
    return Run(phases, lines[-1]["sizes"])
