"""Builds the scenes of run.c with mbedTLS 2.28 on dynamic buffers, for the host, with sanitizers
where a buffer is touched."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from adapters.build import folder_for
from emulation.build import fresh, put
from emulation.places import ROOT, run
from needs import c_compiler
from tools.sources import MBEDTLS_2, mbedtls

__all__ = ["program"]

HERE = Path(__file__).resolve().parent
PORT = ROOT / "device" / "compat" / "mbedtls"
CONFIG = ("-DMBEDTLS_CONFIG_FILE=<config.h>", f"-I{HERE}")
SANITIZE = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g")
OWN = (
    "-std=gnu11",
    "-D_GNU_SOURCE",
    "-O1",
    "-Wall",
    "-Wextra",
    "-Wconversion",
    "-Werror",
    "-UNDEBUG",
    *SANITIZE,
)


@cache
def library() -> Path:
    """All of mbedTLS but its records, as one archive; without sanitizers, which there cost most."""
    tree = mbedtls(MBEDTLS_2)
    files = [one for one in sorted((tree / "library").glob("*.c")) if one.name[:4] != "ssl_"]
    files.append(tree / "library" / "ssl_ciphersuites.c")
    flags = ("-O2", "-w", f"-I{tree / 'include'}", *CONFIG)
    folder = folder_for("mbedtls", [HERE / "config.h"], *flags)
    if not folder.exists():
        own = fresh(folder)
        run("env", "-C", own, *c_compiler(), *flags, "-c", *files)
        run("ar", "rcs", own / "crypto.a", *sorted(own.glob("*.o")))
        put(own, folder)
    return folder / "crypto.a"


@cache
def objects() -> Path:
    """The folder with all objects; ssl_tls.c twice, once as it is without tls_idle.h: plain.o."""
    tree = mbedtls(MBEDTLS_2)
    records = [tree / "library" / f"ssl_{name}.c" for name in ("cli", "msg", "srv", "tls")]
    own = [*sorted(PORT.glob("*.c")), HERE / "endpoint.c", HERE / "run.c"]
    headers = [*PORT.glob("*.h"), *HERE.glob("*.h")]
    include = (f"-I{PORT}", f"-I{ROOT / 'tests'}", f"-isystem{tree / 'include'}", *CONFIG)
    library_flags = ("-O1", "-w", *SANITIZE, *include)
    folder = folder_for("tls_buffers", [*own, *headers], *OWN, *include)
    if not folder.exists():
        built = fresh(folder)
        for source in records:
            idle = ("-include", "tls_idle.h") if source.name == "ssl_tls.c" else ()
            to = built / f"{source.stem}.o"
            run(*c_compiler(), *library_flags, *idle, "-c", source, "-o", to)
        run(*c_compiler(), *library_flags, "-c", records[-1], "-o", built / "plain.o")
        for source in own:
            run(*c_compiler(), *OWN, *include, "-c", source, "-o", built / f"{source.stem}.o")
        put(built, folder)
    return folder


@cache
def program(*left_out: str) -> Path:
    """`left_out`: "include" or "wrap", what a build may forget. RuntimeError: it does not link."""
    without = "ssl_tls" if "include" in left_out else "plain"
    chosen = [one for one in sorted(objects().glob("*.o")) if one.stem != without]
    wrap = () if "wrap" in left_out else (f"-Wl,@{PORT / 'tls_wrap.opt'}",)
    built = objects() / "-".join(("run", *left_out))
    own = built.with_suffix(f".{os.getpid()}")  # another process may run the one that is there
    run(*c_compiler(), *chosen, library(), *wrap, "-rdynamic", "-ldl", *SANITIZE, "-o", own)
    return own.replace(built)
