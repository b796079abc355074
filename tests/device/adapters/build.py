"""Builds a library's program for the host, on the library as Debian packages it, or its sources."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import subprocess
import tarfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from emulation.build import fresh, put
from emulation.places import ROOT, MissingError, run

__all__ = ["archive_on_hooks", "need_header", "pjlib", "program"]

HERE = Path(__file__).resolve().parent
BUILD = ROOT / "build" / "adapters"
ADAPTERS = ROOT / "device" / "compat" / "adapters"
#: What a private heap and pools are made of.
FOLDERS = ("guard", "heap", "pool", "private", "text")
DEVICE = ROOT / "device"
INCLUDE = tuple(f"-I{DEVICE / name}" for name in ("include", "src", "compat"))
OWN = ("-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-Wno-cpp", "-UNDEBUG", *INCLUDE)


def compiler() -> list[str]:
    """The system's, as the libraries are its own."""
    command = shlex.split(os.environ.get("CC", "")) or ["cc"]
    if shutil.which(command[0]) is None:
        raise MissingError("a C compiler; Debian package: gcc")
    return command


def need_header(name: str, package: str, flags: Sequence[str] = ()) -> None:
    """MissingError: no such header, and the Debian package that has it."""
    command = [*compiler(), *flags, "-E", "-x", "c", "-", "-o", os.devnull]
    probe = subprocess.run(
        command, input=f"#include <{name}>\n", capture_output=True, text=True, check=False
    )
    if probe.returncode != 0:
        raise MissingError(f"{name}; Debian package: {package}")


def folder_for(name: str, files: Sequence[Path], *words: str) -> Path:
    """Where what is made of these files in this way lies."""
    key = hashlib.sha256("\0".join((*compiler(), *words)).encode())
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
            run(*compiler(), *OWN, "-ffreestanding", "-c", source, "-o", objects[-1])
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
    said = [str(library) for library in (device, *libraries)]
    headers = [HERE / "heap_under_test.h", ROOT / "tests" / "models" / "check.h"]
    folder = folder_for(name, [*sources, *headers, *sorted(ADAPTERS.glob("*.h"))], *flags, *said)
    if not folder.exists():
        own = fresh(folder)
        run(*compiler(), *OWN, *flags, *sources, *said, "-o", own / name)
        put(own, folder)
    return folder / name


def archive_on_hooks(archive: str) -> Path:
    """A static library of the system whose calloc and free are mbedTLS's hooks, as if it were built
    with MBEDTLS_PLATFORM_CALLOC_MACRO and MBEDTLS_PLATFORM_FREE_MACRO."""
    found = Path(run(*compiler(), f"-print-file-name={archive}").strip())
    if not found.is_absolute() or not found.exists():
        raise MissingError(f"{archive}; Debian package: libmbedtls-dev")
    folder = folder_for("hooked", [found], archive)
    if not folder.exists():
        own = fresh(folder)
        names = [f"--redefine-sym={name}=hs_mbedtls_{name}" for name in ("calloc", "free")]
        run("objcopy", *names, found, own / archive)
        put(own, folder)
    return folder / archive


# ---- PJLIB --------------------------------------------------------------------------------------

PJ_PACKAGE = "ring"  #: the Debian source package that carries pjproject 2.12.1
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
    flags = (*PJ_FLAGS, f"-I{tree / 'include'}")
    folder = folder_for("pjlib", [Path(__file__)], *flags)
    if not folder.exists():
        own = fresh(folder)
        sources = [tree / "src" / "pj" / f"{name}.c" for name in PJ_SOURCES]
        command = (*compiler(), "-w", "-O0", "-ffunction-sections", *flags, "-c")
        for source in sources:
            run(*command, source, "-o", own / f"{source.stem}.o")
        run("ar", "rcs", own / "libpj.a", *sorted(own.glob("*.o")))
        put(own, folder)
    return flags, folder / "libpj.a"


def pjlib_sources() -> Path:
    place = BUILD / "sources" / "pjlib"
    if not place.exists():
        own = fresh(place)
        inside = re.compile(r"/pjproject-[^/]*/(pjlib/(?:include|src/pj)/.*)")
        with tarfile.open(fetch(PJ_PACKAGE, own)) as archive:
            for member in archive:
                named = inside.search(member.name)
                content = archive.extractfile(member) if named and member.isfile() else None
                if named and content is not None:
                    path = own / named[1]
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(content.read())
        if not (own / "pjlib").is_dir():
            raise MissingError(f"PJLIB in Debian's source package {PJ_PACKAGE}")
        (own / "pjlib" / "include" / "pj" / "config_site.h").touch()
        put(own / "pjlib", place)
        shutil.rmtree(own)
    return place


def fetch(package: str, into: Path) -> Path:
    """The original archive of a Debian source package, by the system's own apt, whose lists stay as
    they are. MissingError: no apt, or no such package."""
    if shutil.which("apt-get") is None:
        raise MissingError(f"apt-get, for Debian's source package {package}")
    lists = source_lists(into / "lists")
    places = {"Etc::SourceList": os.devnull, "Etc::SourceParts": lists, "State": into / "state"}
    places |= {"Cache": into / "cache", "State::status": "/var/lib/dpkg/status"}
    options = [f"-oDir::{name}={place}" for name, place in places.items()]
    options += ["-oAPT::Sandbox::User=root", "-qq"]
    for folder in ("state/lists/partial", "cache/archives/partial"):
        (into / folder).mkdir(parents=True)
    try:
        run("apt-get", *options, "update")
        run("env", "-C", into, "apt-get", *options, "source", "--download-only", package)
    except RuntimeError as error:
        raise MissingError(f"Debian's source package {package}: {error}") from error
    return next(into.glob("*.orig.tar.*"))


def source_lists(folder: Path) -> Path:
    """The system's own lists of packages, made into lists of sources."""
    folder.mkdir()
    for place in (Path("/etc/apt/sources.list"), Path("/etc/apt/sources.list.d/debian.sources")):
        if place.exists():
            text = re.sub(r"(?m)^Types:.*$", "Types: deb-src", place.read_text("utf-8"))
            text = re.sub(r"(?m)^deb ", "deb-src ", text)
            (folder / f"own{place.suffix}").write_text(text, "utf-8")
    return folder
