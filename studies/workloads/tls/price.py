"""Counts the instructions that dynamic buffers cost a TLS client.

    python studies/workloads/tls/price.py

The client uses RSA with IN 16 KB and OUT 2 KB, with and without such buffers. It is built for
32-bit x86 at -Os without vector instructions and makes five connections under valgrind's callgrind.
The script prints Markdown: millions of instructions, the mean of the connections. The exchanges are
all calls of the application that send and receive. It takes some two minutes.
"""

from __future__ import annotations

import re
import shutil
import sys
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tls.make import DYNAMIC, HERE, Sizes, server, tls_options, wrapped
from tools.commands import exit_with
from tools.compiler import OWN, compile_all, link, recorder
from tools.places import BUILD, MissingError, run
from tools.sources import MBEDTLS_2, mbedtls

__all__ = ["instructions"]

PLAIN = Sizes(16384, 2048)
SIZES = (PLAIN, replace(PLAIN, dynamic=True))
CONNECTIONS = 5
SMALL = ("-Os", "-mcpu=i686", "-g")  # -g: callgrind's functions have files
#: What is counted, by the functions that it is all calls of.
COUNTED = {
    "exchanges": ("hs_peer_write", "hs_peer_read"),
    "handshakes": ("mbedtls_ssl_handshake", "__wrap_mbedtls_ssl_handshake"),
    "credentials set": ("hs_peer_set_credentials",),
    "all": ("hs_client_run",),
}


def client(sizes: Sizes) -> Path:
    options = (*tls_options(MBEDTLS_2, sizes), *SMALL)
    sources = sorted((mbedtls(MBEDTLS_2) / "library").glob("*.c"))
    library = [one for one in sources if not one.name.startswith("psa_")]
    idle = [one for one in library if sizes.dynamic and one.name == "ssl_tls.c"]
    own = [HERE / f"{name}.c" for name in ("tls", "client", "line", "peer", "random")]
    own += sorted(DYNAMIC.glob("*.c")) if sizes.dynamic else []
    objects = [
        *compile_all([one for one in library if one not in idle], options=options),
        *compile_all(idle, options=(*options, "-include", str(DYNAMIC / "tls_idle.h"))),
        *compile_all(own, options=(*options, *OWN)),
        *recorder(),
    ]
    return link(f"price-{sizes.name}", objects, options=(*SMALL, *wrapped(sizes)))


def instructions(program: Path, functions: tuple[str, ...]) -> tuple[int, int]:
    """The instructions of all calls of these functions: all, and those in the files of DYNAMIC."""
    profile = BUILD / "price.callgrind"
    counted = [f"--toggle-collect={name}" for name in functions]
    trace = BUILD / "price.hst"
    options = ["--tool=callgrind", "--collect-atstart=no", f"--callgrind-out-file={profile}"]
    requested = [program, trace, server(MBEDTLS_2), "rsa", "price"]
    run("valgrind", "-q", *options, *counted, *requested)
    own, mine, file, calls = 0, 0, "", False
    names: dict[str, str] = {}
    for line in profile.read_text("utf-8").splitlines():
        if match := re.match(r"f[lie]=(\(\d+\))(?: (.*))?", line):
            file = names.setdefault(match[1], match[2] or "")
        elif line.startswith("calls="):
            calls = True
        elif re.match(r"[+*\d-]\S* \d+$", line):
            cost = 0 if calls else int(line.split()[1])  # after "calls=": those of the called
            own, mine = own + cost, mine + cost * (Path(file).parent == DYNAMIC)
            calls = False
    return own, mine


def main() -> int:
    if shutil.which("valgrind") is None:
        raise MissingError("valgrind; Debian package: valgrind")
    result = {sizes: {} for sizes in SIZES}
    for sizes in SIZES:
        program = client(sizes)
        for what, functions in COUNTED.items():
            result[sizes][what] = instructions(program, functions)
    print("| millions of instructions a connection | plain | dynamic | of it in the two files |")
    print("| --- | ---: | ---: | ---: |")
    for what in COUNTED:
        plain, dynamic = (result[sizes][what] for sizes in SIZES)
        counts = [count / CONNECTIONS / 1e6 for count in (plain[0], *dynamic)]
        print(f"| {what} | " + " | ".join(f"{count:.3f}" for count in counts) + " |")
    return 0


if __name__ == "__main__":
    exit_with(main)
