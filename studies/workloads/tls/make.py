"""Records mbedTLS clients: python studies/workloads/tls/make.py [NAME...] [--out FOLDER]

A trace for each release, kind of keys and size of buffers; without NAME all of them. The client is
a 32-bit program, its server another process of the same release with 16 KB buffers. Both have the
library's own test certificates, random numbers that repeat, and a time that stands still.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tools.commands import exit_with, make_traces
from tools.compiler import OWN, RECORDER, compile_all, link, recorder
from tools.places import BUILD, ROOT, WORKLOADS, run
from tools.sources import MBEDTLS_2, MBEDTLS_3, Crate, mbedtls
from tools.traces import compress

__all__ = [
    "CLIENTS",
    "FULL",
    "Client",
    "Sizes",
    "crypto",
    "make",
    "records",
    "server",
    "tls_client",
    "tls_options",
]

HERE = WORKLOADS / "tls"
DYNAMIC = ROOT / "device" / "compat" / "mbedtls"
RELEASES = {"2.28": MBEDTLS_2, "3.5": MBEDTLS_3}


@dataclass(frozen=True)
class Sizes:
    """MBEDTLS_SSL_IN_CONTENT_LEN, _OUT_CONTENT_LEN, and _VARIABLE_BUFFER_LENGTH; dynamic: with the
    buffers of device/compat/mbedtls."""

    incoming: int = 16384
    outgoing: int = 16384
    variable: bool = False
    dynamic: bool = False

    @property
    def name(self) -> str:
        sizes = f"{self.incoming // 1024}k_{self.outgoing // 1024}k"
        return sizes + "_var" * self.variable + "_dyn" * self.dynamic

    @property
    def options(self) -> tuple[str, ...]:
        values = (self.incoming, self.outgoing, int(self.variable))
        names = ("HS_TLS_IN", "HS_TLS_OUT", "HS_TLS_VARIABLE")
        given = tuple(f"-D{name}={value}" for name, value in zip(names, values, strict=True))
        return (*given, "-DHS_TLS_DYNAMIC", f"-I{DYNAMIC}") if self.dynamic else given


@dataclass(frozen=True)
class Client:
    release: str
    keys: str
    sizes: Sizes

    @property
    def name(self) -> str:
        return f"tls{self.release.replace('.', '')}_{self.keys}_{self.sizes.name}"

    @property
    def config(self) -> str:
        """The options of the library's configuration file, as NAME=VALUE."""
        text = (
            f"MBEDTLS_SSL_IN_CONTENT_LEN={self.sizes.incoming}"
            f" MBEDTLS_SSL_OUT_CONTENT_LEN={self.sizes.outgoing}"
        )
        text += " MBEDTLS_SSL_VARIABLE_BUFFER_LENGTH" * self.sizes.variable
        return text + " with dynamic buffers" * self.sizes.dynamic


FULL = Sizes()
SIZES = {
    "2.28": (
        FULL,
        Sizes(16384, 2048),
        Sizes(4096, 4096),
        Sizes(16384, 16384, variable=True),
        Sizes(16384, 2048, variable=True),
        Sizes(16384, 2048, dynamic=True),
    ),
    "3.5": (
        FULL,
        Sizes(16384, 2048),
        Sizes(4096, 4096),
        Sizes(16384, 2048, dynamic=True),
    ),
}
CLIENTS = {
    client.name: client
    for client in (
        Client(release, keys, sizes)
        for release, some in SIZES.items()
        for keys in ("rsa", "ec")
        for sizes in some
    )
}


def tls_options(crate: Crate, sizes: Sizes) -> tuple[str, ...]:
    """For what includes mbedTLS's headers."""
    tree = mbedtls(crate)
    include = [tree / "include", HERE, RECORDER, ROOT / "device" / "include"]
    if crate is MBEDTLS_3:
        include += [tree / "tests" / "include", tree / "library"]
    config = '-DMBEDTLS_USER_CONFIG_FILE="tls_config.h"'
    return (*(f"-I{folder}" for folder in include), config, *sizes.options)


@cache
def crypto(crate: Crate) -> list[Path]:
    """All of the library that does not depend on the sizes of records, and its certificates."""
    sources = (mbedtls(crate) / "library").glob("*.c")
    chosen = [file for file in sorted(sources) if not file.name.startswith(("ssl_", "psa_"))]
    if crate is MBEDTLS_3:
        chosen.append(mbedtls(crate) / "tests" / "src" / "certs.c")
    return compile_all(chosen, options=tls_options(crate, FULL))


@cache
def records(crate: Crate, sizes: Sizes) -> list[Path]:
    """The part of the library that does, and what talks to it on either side."""
    options = tls_options(crate, sizes)
    sources = sorted((mbedtls(crate) / "library").glob("ssl_*.c"))
    own = [HERE / f"{name}.c" for name in ("line", "peer", "random")]
    if not sizes.dynamic:
        return [*compile_all(sources, options=options), *compile_all(own, options=(*options, *OWN))]
    own += sorted(DYNAMIC.glob("*.c"))
    idle = [source for source in sources if source.name == "ssl_tls.c"]
    sources = [source for source in sources if source not in idle]
    return [
        *compile_all(sources, options=options),
        *compile_all(idle, options=(*options, "-include", str(DYNAMIC / "tls_idle.h"))),
        *compile_all(own, options=(*options, *OWN)),
    ]


def wrapped(sizes: Sizes) -> list[str]:
    """The options by which the linker wraps the library's calls."""
    if not sizes.dynamic:
        return []
    return [f"-Wl,{line}" for line in (DYNAMIC / "tls_wrap.opt").read_text("utf-8").split()]


@cache
def server(crate: Crate) -> Path:
    own = compile_all([HERE / "server.c"], options=(*tls_options(crate, FULL), *OWN))
    return link(f"server-{crate.name}", [*own, *records(crate, FULL), *crypto(crate)])


@cache
def tls_client(crate: Crate, sizes: Sizes) -> list[Path]:
    """The device's side, which studies/workloads/mix runs beside others."""
    return compile_all([HERE / "client.c"], options=(*tls_options(crate, sizes), *OWN))


@cache
def client(crate: Crate, sizes: Sizes) -> Path:
    own = compile_all([HERE / "tls.c"], options=(*tls_options(crate, sizes), *OWN))
    objects = [
        *own,
        *tls_client(crate, sizes),
        *records(crate, sizes),
        *crypto(crate),
        *recorder(),
    ]
    return link(f"client-{crate.name}-{sizes.name}", objects, options=wrapped(sizes))


def make(name: str, out: Path) -> str:
    """Records a client into `out`; returns what its last handshake took."""
    chosen = CLIENTS[name]
    crate = RELEASES[chosen.release]
    program = client(crate, chosen.sizes)
    trace = BUILD / f"{name}.hst"
    stated = run(program, trace, server(crate), chosen.keys, chosen.config)
    compress(trace, out)
    return stated.strip()


def main() -> int:
    return make_traces(__doc__ or "", {name: partial(make, name) for name in CLIENTS})


if __name__ == "__main__":
    exit_with(main)
