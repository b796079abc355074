"""Builds a library's program for the host, on the library as Debian packages it, or its sources."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from emulation.build import fresh, put
from emulation.places import ROOT, run
from needs import MissingError, c_compiler

sys.path.append(str(ROOT / "studies" / "workloads"))

from ice.sources import pjproject

__all__ = ["archive_on_hooks", "pjlib", "program"]

HERE = Path(__file__).resolve().parent
BUILD = ROOT / "build" / "adapters"
ADAPTERS = ROOT / "device" / "compat" / "adapters"
#: The source folders of a private heap and of pools.
FOLDERS = ("guard", "heap", "pool", "private", "text")
DEVICE = ROOT / "device"
INCLUDE = tuple(f"-I{DEVICE / name}" for name in ("include", "src", "compat"))
OWN = ("-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-Wno-cpp", "-UNDEBUG", *INCLUDE)


def folder_for(name: str, files: Sequence[Path], *words: str) -> Path:
    """Where what is made of these files in this way lies."""
    key = hashlib.sha256("\0".join((*c_compiler(), *words)).encode())
    for path in files:
        key.update(str(path).encode() + path.read_bytes())
    return BUILD / f"{name}-{key.hexdigest()[:16]}"


@cache
def device_library() -> Path:
    sources = sorted(path for name in FOLDERS for path in (DEVICE / "src" / name).glob("*.c"))
    folder = folder_for("device", [*sources, *sorted(DEVICE.rglob("*.h"))], *OWN)
    if not folder.exists():
        own = fresh(folder)
        objects = []
        for source in sources:
            objects.append(own / f"{source.parent.name}_{source.stem}.o")
            run(*c_compiler(), *OWN, "-ffreestanding", "-c", source, "-o", objects[-1])
        run("ar", "rcs", own / "device.a", *objects)
        put(own, folder)
    return folder / "device.a"


def program(
    name: str,
    *,
    adapters: Sequence[str],
    libraries: Sequence[str | Path],
    flags: Sequence[str] = (),
) -> Path:
    """run_NAME.c with these adapters and libraries."""
    sources = [HERE / f"run_{name}.c", *(ADAPTERS / f"{one}.c" for one in adapters)]
    device = device_library()
    results = [str(library) for library in (device, *libraries)]
    headers = [HERE / "heap_under_test.h", ROOT / "tests" / "models" / "check.h"]
    folder = folder_for(name, [*sources, *headers, *sorted(ADAPTERS.glob("*.h"))], *flags, *results)
    if not folder.exists():
        own = fresh(folder)
        run(*c_compiler(), *OWN, *flags, *sources, *results, "-o", own / name)
        put(own, folder)
    return folder / name


def archive_on_hooks(archive: str) -> Path:
    """A static library of the system whose calloc and free are mbedTLS's hooks, as if it were built
    with MBEDTLS_PLATFORM_CALLOC_MACRO and MBEDTLS_PLATFORM_FREE_MACRO."""
    result = Path(run(*c_compiler(), f"-print-file-name={archive}").strip())
    if not result.is_absolute() or not result.exists():
        raise MissingError(f"{archive}; Debian package: libmbedtls-dev")
    folder = folder_for("hooked", [result], archive)
    if not folder.exists():
        own = fresh(folder)
        names = [f"--redefine-sym={name}=hs_mbedtls_{name}" for name in ("calloc", "free")]
        run("objcopy", *names, result, own / archive)
        put(own, folder)
    return folder / archive


# ---- PJLIB --------------------------------------------------------------------------------------

PJ_SITE = ROOT / "studies" / "workloads" / "ice" / "site"  #: pj/config_site.h
PJ_FLAGS = (
    *("-DPJ_LINUX=1", "-DPJ_IS_LITTLE_ENDIAN=1", "-DPJ_IS_BIG_ENDIAN=0", "-DPJ_M_X86_64=1"),
    *("-DPJ_HAS_LIMITS_H=1", "-Wl,--gc-sections"),
)
PJ_SOURCES = (
    *("array", "config", "ctype", "errno", "except", "fifobuf", "guid", "guid_simple", "hash"),
    *("list", "lock", "log", "log_writer_stdout", "os_core_unix", "os_error_unix", "os_info"),
    *("os_time_common", "os_time_unix", "os_timestamp_common", "os_timestamp_posix", "pool"),
    *("pool_buf", "pool_caching", "pool_policy_malloc", "rand", "rbtree", "string", "timer"),
    "types",
)


def pjlib() -> tuple[tuple[str, ...], Path]:
    """Its flags and its library."""
    tree = pjlib_sources()
    flags = (*PJ_FLAGS, f"-I{tree / 'include'}", f"-I{PJ_SITE}")
    folder = folder_for("pjlib", [Path(__file__)], *flags)
    if not folder.exists():
        own = fresh(folder)
        sources = [tree / "src" / "pj" / f"{name}.c" for name in PJ_SOURCES]
        command = (*c_compiler(), "-w", "-O0", "-ffunction-sections", *flags, "-c")
        for source in sources:
            run(*command, source, "-o", own / f"{source.stem}.o")
        run("ar", "rcs", own / "libpj.a", *sorted(own.glob("*.o")))
        put(own, folder)
    return flags, folder / "libpj.a"


def pjlib_sources() -> Path:
    """The sources that the workload has which records PJNATH. MissingError: apt or the package is
    missing."""
    return pjproject() / "pjlib"
