"""Builds the scenes of run.c with mbedTLS 2.28 on dynamic buffers, for the host, with sanitizers where
a buffer is touched."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "workloads"))

from adapters.build import compiler, folder_for
from emulation.build import fresh, put
from emulation.places import MissingError, run
from tools.places import MissingError as MissingSourceError
from tools.sources import MBEDTLS_2, mbedtls

__all__ = ["program"]

HERE = Path(__file__).resolve().parent
PORT = ROOT / "device" / "compat" / "mbedtls"
CONFIG = ("-DMBEDTLS_CONFIG_FILE=<config.h>", f"-I{HERE}")
SANITIZE = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g")
OWN = ("-std=gnu11", "-O1", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-UNDEBUG", *SANITIZE)


def sources() -> Path:
    try:
        return mbedtls(MBEDTLS_2)
    except MissingSourceError as error:
        raise MissingError(str(error)) from error


@cache
def library() -> Path:
    """All of mbedTLS but its records, as one archive; without sanitizers, which there cost most."""
    tree = sources()
    files = [one for one in sorted((tree / "library").glob("*.c")) if one.name[:4] != "ssl_"]
    files.append(tree / "library" / "ssl_ciphersuites.c")
    flags = ("-O2", "-w", f"-I{tree / 'include'}", *CONFIG)
    folder = folder_for("mbedtls", [HERE / "config.h"], *flags)
    if not folder.exists():
        own = fresh(folder)
        run("env", "-C", own, *compiler(), *flags, "-c", *files)
        run("ar", "rcs", own / "crypto.a", *sorted(own.glob("*.o")))
        put(own, folder)
    return folder / "crypto.a"


@cache
def program() -> Path:
    tree = sources()
    records = [tree / "library" / f"ssl_{name}.c" for name in ("cli", "msg", "srv", "tls")]
    own = [*sorted(PORT.glob("*.c")), HERE / "endpoint.c", HERE / "run.c"]
    headers = [*PORT.glob("*.h"), PORT / "tls_wrap.opt", *HERE.glob("*.h")]
    include = (f"-I{PORT}", f"-I{ROOT / 'tests'}", f"-isystem{tree / 'include'}", *CONFIG)
    folder = folder_for("tls_buffers", [*own, *headers, library()], *OWN, *include)
    if not folder.exists():
        made = fresh(folder)
        objects = []
        for source in (*records, *own):
            flags = ("-O1", "-w", *SANITIZE) if source in records else OWN
            idle = ("-include", "tls_idle.h") if source.name == "ssl_tls.c" else ()
            objects.append(made / f"{source.stem}.o")
            run(*compiler(), *flags, *include, *idle, "-c", source, "-o", objects[-1])
        link = (f"-Wl,@{PORT / 'tls_wrap.opt'}", *SANITIZE)
        run(*compiler(), *objects, library(), *link, "-o", made / "run")
        put(made, folder)
    return folder / "run"
