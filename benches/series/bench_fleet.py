"""How often a build with less free memory is found among five, and how often one is blamed that has
no less, in simulated fleets. Another seed: --seed N."""

from __future__ import annotations

import sys

import numpy as np

from heapscope.answers.cohorts.groups import GroupDifference, differences
from heapscope.answers.cohorts.survival import Lives

FLEETS = 400
DEVICES, BUILDS, CHIPS = 200, 5, 2
SAMPLES = 300
NEED = 16_717
BETWEEN = 0.02  # devices of one build and chip differ so much
WITHIN = 0.03  # a sample and the next one


def drawn(rng: np.random.Generator, less: float) -> list[GroupDifference]:
    """A fleet of which the last build has that share less."""
    builds = rng.integers(0, BUILDS, DEVICES)
    chips = rng.integers(0, CHIPS, DEVICES)
    base = np.where(chips == 0, 92_000, 178_000) * np.exp(BETWEEN * rng.normal(size=DEVICES))
    base *= np.where(builds == BUILDS - 1, 1 - less, 1)
    noise = np.abs(rng.normal(size=(DEVICES, SAMPLES))) * WITHIN
    rounds = 0.2 * (np.arange(SAMPLES) % 10 < rng.integers(0, 4, DEVICES)[:, None])
    free = base[:, None] * (1 - noise - rounds)
    largest = free * rng.beta(20, 8, DEVICES)[:, None]
    lives = rng.exponential(40, DEVICES)
    watched = np.minimum(lives, 30)
    return differences(
        [f"1.{build}" for build in builds],
        [f"chip {chip}" for chip in chips],
        {"free": np.median(free, axis=1), "largest": np.median(largest, axis=1)},
        {f"{NEED}": Lives(seconds=watched, failed=lives <= 30)},
    )


def main(seed: int = 1) -> None:
    print(f"seed {seed}, {FLEETS} fleets of {DEVICES} devices, {BUILDS} builds, {CHIPS} chips\n")
    print("| less in one build | found | by free | another blamed | mean shift |")
    print("| --- | --- | --- | --- | --- |")
    rng = np.random.default_rng(seed)
    bad = f"1.{BUILDS - 1}"
    for less in (0.0, 0.01, 0.015, 0.02, 0.03):
        fleets = [drawn(rng, less) for _ in range(FLEETS)]
        found = [any(one.worse and one.group == bad for one in fleet) for fleet in fleets]
        free = [
            one for fleet in fleets for one in fleet if one.group == bad and one.figure == "free"
        ]
        others = [any(one.worse and one.group != bad for one in fleet) for fleet in fleets]
        shifts = [one.shift.value for one in free if one.shift is not None]
        print(
            f"| {100 * less:g} % | {100 * np.mean(found):.1f} % "
            f"| {100 * np.mean([one.worse for one in free]):.1f} % "
            f"| {100 * np.mean(others):.1f} % | {100 * np.mean(shifts):.2f} % |"
        )


if __name__ == "__main__":
    main(*map(int, sys.argv[2:3]))
