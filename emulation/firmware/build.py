"""Builds images for a board: the firmware, of our own code and the libraries' sources, and smaller
ones of the kernel and the heap alone."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from emulation.build import COMMON, NO_CALLS, OPTIMISED, ZIG, fresh, put
from emulation.firmware import sources
from emulation.firmware.boards import Board
from emulation.places import BUILD, ROOT, run
from emulation.program import HOSTED, SECTIONS, compile_one, device_sources
from emulation.symbols import arithmetic
from emulation.targets import compiler

__all__ = ["ORDER", "Options", "build", "build_small"]

HERE = Path(__file__).resolve().parent
WARNINGS = ("-Wall", "-Wextra", "-Werror")
ORDER = ("DRAM", "DTCM", "IRAM", "PSRAM")  #: of the regions
#: What every image has.
CORE = ("console.c", "memory.c", "recording.c", "regions.c", "small_kernel.c", "sampler.c")
#: Files of emulation/hosted that need no system.
HOSTED_FILES = ("bytes.c", "print.c", "text.c")
APPLICATION = (
    *("main.c", "lwip_port.c", "tls_client.c", "json_worker.c", "node_pool.c", "numbers.c"),
)

Job = tuple[Path, Sequence[str]]  # a source with the options of its own


@dataclass(frozen=True)
class Options:
    """The choices of a firmware. `tls_in`: MBEDTLS_SSL_IN_CONTENT_LEN. `regions`: their
    names in the order in which requests try them. `nodes`: cJSON's nodes in a pool. `debug`: with
    debug information."""

    tls_in: int = 16384
    regions: tuple[str, ...] = ORDER
    nodes: int = 0
    debug: bool = False

    @property
    def macros(self) -> tuple[str, ...]:
        return (
            f"-DFIRMWARE_TLS_IN={self.tls_in}",
            f"-DFIRMWARE_REGIONS={','.join(self.regions)}",
            f"-DFIRMWARE_NODES={self.nodes}",
        )


def build(board: Board, options: Options) -> Path:
    """The firmware. MissingError: a compiler or the source of a library is not there."""
    tls, lwip, cjson = sources.mbedtls(), sources.lwip(), sources.cjson()
    folders = (tls / "include", tls / "library", tls / "tests" / "include", lwip / "include", cjson)
    common = ('-DMBEDTLS_USER_CONFIG_FILE="tls_config.h"', *include(*folders))
    own = (*WARNINGS, *options.macros, *common)
    jobs = [*core(board, own), *((HERE / name, own) for name in (*APPLICATION, *board.network))]
    jobs += [(file, (*common, *lengths(file, options))) for file in tls_files(tls)]
    jobs += [(file, common) for file in lwip_files(lwip)]
    jobs.append((cjson / "cJSON.c", (*common, "-include", "numbers.h")))
    if options.debug:
        jobs = [(source, (*flags, "-g")) for source, flags in jobs]
    return link(board, "firmware", compiled(board, jobs))


def build_small(board: Board, program: Path, options: Options | None = None) -> Path:
    """An image of a file with firmware_main(), the kernel and the heap, without a network."""
    own = (*WARNINGS, *(options or Options()).macros)
    without = HERE / "no_network.c"
    return link(
        board, program.stem, compiled(board, [*core(board, own), (program, own), (without, own)])
    )


def include(*folders: Path) -> Iterator[str]:
    """Libraries' headers, whose warnings are not ours."""
    for folder in folders:
        yield from ("-isystem", str(folder))


def core(board: Board, own: Sequence[str]) -> Iterator[Job]:
    yield from ((HERE / name, own) for name in (*CORE, *board.files))
    yield from ((HOSTED / name, (NO_CALLS[0],)) for name in HOSTED_FILES)
    yield from ((file, ()) for file in device_sources())
    yield ROOT / "device" / "port" / "bare" / "port.c", ()


def lengths(file: Path, options: Options) -> tuple[str, ...]:
    """Only what handles records is compiled for their length."""
    return options.macros[:1] if file.name.startswith("ssl_") else ()


def tls_files(tls: Path) -> Iterator[Path]:
    yield from sorted((tls / "library").glob("*.c"))
    yield tls / "tests" / "src" / "certs.c"


def lwip_files(lwip: Path) -> Iterator[Path]:
    for folder in ("api", "core", "core/ipv4"):
        yield from sorted((lwip / folder).glob("*.c"))
    yield lwip / "netif" / "ethernet.c"


def compiled(board: Board, jobs: Sequence[Job]) -> list[Path]:
    flags = [OPTIMISED, *COMMON, *SECTIONS, *ZIG, *include(HERE / "site", HOSTED / "include")]
    flags += ["-I", str(HERE), "-I", str(ROOT / "device" / "src")]
    flags += ['-DHS_RECORDER_PORT="recorder_site.h"', "-DHS_RECORDER_TASKS=16"]

    def one(job: Job) -> Path:
        source, own = job
        return compile_one(board.target, source, (*flags, *own))

    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        return list(pool.map(one, jobs))


def link(board: Board, name: str, built: Sequence[Path]) -> Path:
    script = HERE / f"{board.name}.ld"
    key = hashlib.sha256("\0".join(map(str, built)).encode() + script.read_bytes())
    folder = BUILD / f"{name}-{board.name}-{key.hexdigest()[:16]}"
    if not folder.exists():
        own = fresh(folder)
        options = [OPTIMISED, "-nostdlib", "-static", *arithmetic(board.target, built)]
        options.append(f"-Wl,-T,{script},--gc-sections,-e,cpu_reset")
        run(*compiler(board.target), *options, *built, "-o", own / f"{name}.elf")
        put(own, folder)
    return folder / f"{name}.elf"
