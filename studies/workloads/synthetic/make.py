"""Makes a trace by law and seed: python studies/workloads/synthetic/make.py NAME --seed N -o T.hst

Allocations come one per unit of time and live for an exponentially distributed time. At the end,
what still lives is freed in the order of its time; only the blocks that stay for ever are left.

syn_logu   sizes log-uniform 8 to 4096, mean life 200
syn_small  sizes log-uniform 4 to 128, mean life 3000
syn_mixed  first 600 blocks of 8, 12, 16, 24 or 40 bytes that stay for ever; then nine of ten are
           of 12, 16, 20, 24, 32, 40, 48 or 64 bytes with mean life 2500, the tenth is log-uniform
           512 to 16384 with mean life 30
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tools.chance import Chance, Floats
from tools.traces import Kind, write_trace

from heapscope.native.events import Events, event_dtype

__all__ = ["ALLOCATIONS", "LAWS", "make", "make_events"]

ALLOCATIONS = 60_000


@dataclass(frozen=True)
class Blocks:
    """The size of each allocation, in order, and how long it lives; inf: for ever."""

    sizes: Floats
    lives: Floats


def logu(chance: Chance, count: int) -> Blocks:
    return Blocks(chance.log_uniform(count, 8, 4096), chance.lives(count, 200))


def small(chance: Chance, count: int) -> Blocks:
    return Blocks(chance.log_uniform(count, 4, 128), chance.lives(count, 3000))


def mixed(chance: Chance, count: int) -> Blocks:
    stays = chance.one_of(600, (8, 12, 16, 24, 40))
    large = chance.shares(count) >= 0.9
    little = chance.one_of(count, (12, 16, 20, 24, 32, 40, 48, 64))
    sizes = np.where(large, chance.log_uniform(count, 512, 16384), little)
    lives = chance.lives(count, np.where(large, 30.0, 2500.0))
    forever = np.full(len(stays), np.inf)
    return Blocks(np.concatenate([stays, sizes]), np.concatenate([forever, lives]))


LAWS: dict[str, Callable[[Chance, int], Blocks]] = {
    "syn_logu": logu,
    "syn_small": small,
    "syn_mixed": mixed,
}


def make_events(name: str, *, seed: int, allocations: int = ALLOCATIONS) -> Events:
    """A block is freed after the allocation in whose unit of time its life ends."""
    blocks = LAWS[name](Chance(seed), allocations)
    born = np.arange(len(blocks.sizes), dtype=float)
    mortal = np.flatnonzero(np.isfinite(blocks.lives))
    rows = np.zeros(len(born) + len(mortal), dtype=event_dtype())
    rows["kind"] = np.where(np.arange(len(rows)) < len(born), Kind.MALLOC, Kind.FREE)
    rows["key"] = np.concatenate([np.arange(len(born)), mortal])
    rows["size"][: len(born)] = blocks.sizes
    when = np.concatenate([born, (born + blocks.lives)[mortal]])
    ordered: Events = rows[np.argsort(when, kind="stable")]
    return ordered


def make(name: str, out: Path, *, seed: int, allocations: int = ALLOCATIONS) -> str:
    """Writes the trace; returns how many events it has."""
    events = make_events(name, seed=seed, allocations=allocations)
    metadata = {
        "source": "generated",
        "program": f"workloads/synthetic {name}, seed {seed}",
    }
    write_trace(out, events, metadata=metadata, tasks=("main",), marks=())
    return f"{len(events)} events"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("name", choices=LAWS)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--allocations", type=int, default=ALLOCATIONS)
    parser.add_argument("-o", "--out", type=Path, required=True, help="T.hst or T.hst.zst")
    chosen = parser.parse_args()
    built = make(chosen.name, chosen.out, seed=chosen.seed, allocations=chosen.allocations)
    print(f"{chosen.name:24}{built}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
