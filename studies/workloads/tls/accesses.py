"""Counts a TLS client's accesses to each of its blocks.

    python studies/workloads/tls/accesses.py [--out F]

The client of bulk.c, built for 32-bit x86 at -Os without vector instructions, counts them itself:
the compiler puts a call before each access to memory, as it does for a kernel's address sanitizer.
Sums are by site, the function that asked for a block and its size. The result is kept in
studies/workloads/captured.
"""

from __future__ import annotations

import bisect
import shutil
import sys
from collections import defaultdict
from functools import cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tls.make import HERE, Sizes, server, tls_options
from tools.commands import exit_with, make_table
from tools.compiler import OWN, compile_all, link
from tools.places import MissingError, run
from tools.sources import MBEDTLS_2, mbedtls

__all__ = ["KINDS", "NAME", "count_accesses"]

NAME = "tls228_rsa_16k_2k_accesses"
SIZES = Sizes(16384, 2048)
#: Firmware is built so, and no access is wider than on a chip of 32 bits.
SMALL = ("-Os", "-mcpu=i686")
#: A call before each access, none left out.
WATCHED = (
    *("-Xclang", "-fsanitize=kernel-address"),
    *("-mllvm", "-asan-instrumentation-with-call-threshold=0", "-mllvm", "-asan-opt=0"),
    *("-mllvm", "-asan-stack=0", "-mllvm", "-asan-globals=0"),
)
COPYING = tuple(f"-Wl,--wrap={name}" for name in ("memcpy", "memmove", "memset"))
TRANSFER = 1 << 20
KINDS = ("1", "2", "4", "copied_bytes")
PHASES = ("handshake", "transfer")


@cache
def bulk() -> Path:
    options = (*tls_options(MBEDTLS_2, SIZES), *SMALL)
    sources = sorted((mbedtls(MBEDTLS_2) / "library").glob("*.c"))
    library = [one for one in sources if not one.name.startswith("psa_")]
    own = [HERE / f"{name}.c" for name in ("bulk", "line", "peer", "random")]
    objects = [
        *compile_all(library, options=(*options, *WATCHED)),
        *compile_all(own, options=(*options, *OWN)),
    ]
    return link("bulk", objects, options=(*SMALL, "-g", *COPYING))  # -g: names stay


def symbols(program: Path) -> list[tuple[int, str]]:
    """Addresses and names of functions, sorted."""
    if shutil.which("nm") is None:
        raise MissingError("nm; Debian package: binutils")
    lines = [line.split() for line in run("nm", program).splitlines()]
    return sorted((int(line[0], 16), line[2]) for line in lines if line[1] in ("t", "T"))


def count_accesses() -> dict[str, object]:
    program = bulk()
    named = symbols(program)
    sums: dict[tuple[str, int], list[int]] = defaultdict(lambda: [0] * (1 + 4 * len(KINDS)))
    for line in run(program, server(MBEDTLS_2)).splitlines():
        size, requested, *counts = line.split()
        _, function = named[bisect.bisect_right(named, (int(requested, 16), "~")) - 1]
        total = sums[function, int(size)]
        for i, count in enumerate(["1", *counts]):
            total[i] += int(count)
    return {
        "program": "mbedTLS 2.28.10 client, TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, RSA-2048",
        "config": "MBEDTLS_SSL_IN_CONTENT_LEN=16384 MBEDTLS_SSL_OUT_CONTENT_LEN=2048",
        "counted": "by calls that clang puts before accesses, 32-bit x86, -Os, no vectors",
        "received_bytes": TRANSFER,
        "sites": [site(*key, total) for key, total in sorted(sums.items(), key=by_accesses)],
    }


def by_accesses(item: tuple[tuple[str, int], list[int]]) -> tuple[int, int, tuple[str, int]]:
    """First those of the transfer."""
    half = 1 + 2 * len(KINDS)
    return -sum(item[1][half:]), -sum(item[1][1:half]), item[0]


def site(function: str, size: int, total: list[int]) -> dict[str, object]:
    blocks, *counts = total
    built: dict[str, object] = {"function": function, "size": size, "blocks": blocks}
    for phase in PHASES:
        built[phase] = {}
        for way in ("read", "written"):
            some, counts = counts[: len(KINDS)], counts[len(KINDS) :]
            built[phase][way] = dict(zip(KINDS, some, strict=True))  # type: ignore[index]
    return built


def main() -> int:
    return make_table(__doc__ or "", NAME, count_accesses)


if __name__ == "__main__":
    exit_with(main)
