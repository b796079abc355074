"""Makes the captured traces again: python studies/workloads/make.py [FAMILY...] [--out FOLDER]

Families are tls, script, mix, ice, wifi and tenants; without one, all of them. The programs are
built for 32 bit in build/workloads. Exit code 0: done; 1: something failed; 3: a tool is missing.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import ice.make
import mix.make
import script.make
import tenants.make
import tenants.session
import tls.make
import wifi.make
from tenants.knobs import Knobs
from tools.commands import exit_with
from tools.places import CAPTURED

#: Family to traces, trace to what writes it.
FAMILIES: dict[str, dict[str, Callable[[Path], str]]] = {
    "tls": {name: partial(tls.make.make, name) for name in tls.make.CLIENTS},
    "script": {name: partial(script.make.make, name) for name in script.make.SCRIPTS},
    "mix": {mix.make.NAME: mix.make.make},
    "ice": {name: partial(ice.make.make, name) for name in ice.make.CALLS},
    "wifi": wifi.make.TRACES,
    "tenants": {
        tenants.make.NAME: partial(tenants.make.make, knobs=Knobs()),
        **{name: partial(tenants.session.make_session, name) for name in tenants.session.SESSIONS},
    },
}


def make_all(families: list[str], folder: Path) -> None:
    for family in families:
        for name, make in FAMILIES[family].items():
            begun = time.monotonic()
            make(folder / f"{name}.hst.zst")
            print(f"{name:24}{time.monotonic() - begun:6.1f} s", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("families", nargs="*", metavar="FAMILY", help=", ".join(FAMILIES))
    parser.add_argument("--out", type=Path, default=CAPTURED)
    chosen = parser.parse_args()
    unknown = set(chosen.families) - set(FAMILIES)
    if unknown:
        parser.error(f"no such family: {', '.join(sorted(unknown))}")
    try:
        make_all(chosen.families or list(FAMILIES), chosen.out)
    except RuntimeError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    exit_with(main)
