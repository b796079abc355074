"""Makes the trace of a station's network.

    python studies/workloads/tenants/make.py [-o T.hst] [--seed N]
[--seconds N] [CONFIG_NAME=VALUE...]

The memory of Wi-Fi and lwIP as the options of ESP-IDF let it grow: knobs.py has the options,
sizes.py the sizes with their sources, network.py the laws. Times are in microseconds.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tenants.knobs import Knobs
from tenants.network import simulate
from tools.places import CAPTURED

__all__ = ["NAME", "SECONDS", "SEED", "make"]

NAME = "tenants_wifi_tcpip"
SEED = 1
SECONDS = 180


def make(out: Path, *, knobs: Knobs, seed: int = SEED, seconds: int = SECONDS) -> str:
    """Writes the trace; returns how many events it has."""
    record = simulate(knobs, seed=seed, seconds=seconds)
    program = f"workloads/tenants, seed {seed}, {seconds} s"
    return record.write(out, program=program, config=knobs.config())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("options", nargs="*", metavar="CONFIG_NAME=VALUE")
    parser.add_argument("-o", "--out", type=Path, default=CAPTURED / f"{NAME}.hst.zst")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--seconds", type=int, default=SECONDS)
    chosen = parser.parse_args()
    try:
        knobs = Knobs.from_options(chosen.options)
    except ValueError as error:
        parser.error(str(error))
    print(f"{NAME:24}{make(chosen.out, knobs=knobs, seed=chosen.seed, seconds=chosen.seconds)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
