"""Records a gateway: python studies/workloads/mix/make.py [--out FOLDER]

The TLS client of studies/workloads/tls, the script engine of studies/workloads/script and an
application's settings as three tasks of one 32-bit program with one heap. Recorded together, not
composed from traces: who runs when follows from the programs themselves, which pass the turn on
where they wait.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from script.make import SCRIPTS, engine, script_options
from tls.make import FULL, crypto, records, server, tls_client, tls_options
from tools.commands import exit_with, make_traces
from tools.compiler import OWN, compile_all, link, recorder
from tools.places import BUILD, WORKLOADS, run
from tools.sources import MBEDTLS_2
from tools.traces import compress

__all__ = ["NAME", "make"]

NAME = "mix_gateway"
HERE = WORKLOADS / "mix"
CONFIG = "MBEDTLS_SSL_IN_CONTENT_LEN=16384 MBEDTLS_SSL_OUT_CONTENT_LEN=16384"


def program() -> Path:
    options = (*tls_options(MBEDTLS_2, FULL), *script_options(), *OWN)
    own = compile_all(
        [HERE / f"{name}.c" for name in ("mix", "settings", "turns")], options=options
    )
    tls = [*tls_client(MBEDTLS_2, FULL), *records(MBEDTLS_2, FULL), *crypto(MBEDTLS_2)]
    return link("mix", [*own, *tls, *engine(), *recorder()])


def make(out: Path) -> str:
    """Records the gateway into `out`; returns what is left."""
    trace = BUILD / f"{NAME}.hst"
    stated = run(program(), trace, server(MBEDTLS_2), SCRIPTS["script_device"], CONFIG)
    compress(trace, out)
    return stated.strip()


def main() -> int:
    return make_traces(__doc__ or "", {NAME: make})


if __name__ == "__main__":
    exit_with(main)
