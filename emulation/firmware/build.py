"""Builds the firmware for a board: one image, of our own code and the libraries' sources."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from emulation.build import COMMON, NO_CALLS, OPTIMISED, ZIG, fresh, put
from emulation.firmware import sources
from emulation.firmware.boards import Board
from emulation.places import BUILD, ROOT, run
from emulation.program import HOSTED, SECTIONS, compile_one, device_sources
from emulation.targets import compiler

__all__ = ["Options", "build"]

HERE = Path(__file__).resolve().parent
WARNINGS = ("-Wall", "-Wextra", "-Werror")
#: Files of emulation/hosted that the firmware has: what needs no system.
HOSTED_FILES = ("bytes.c", "print.c", "text.c")


@dataclass(frozen=True)
class Options:
    """What of the firmware can be chosen. `tls_in`: MBEDTLS_SSL_IN_CONTENT_LEN. `regions`: their
    names in the order in which requests try them. `nodes`: cJSON's nodes in a pool."""

    tls_in: int = 16384
    regions: tuple[str, ...] = ("DRAM", "DTCM", "IRAM", "PSRAM")
    nodes: int = 0


def build(board: Board, options: Options) -> Path:
    """The image. MissingError: a compiler or the source of a library is not there."""
    made = objects(board, options)
    script = HERE / f"{board.name}.ld"
    key = hashlib.sha256("\0".join(map(str, made)).encode() + script.read_bytes())
    folder = BUILD / f"firmware-{board.name}-{key.hexdigest()[:16]}"
    if not folder.exists():
        own = fresh(folder)
        link = (OPTIMISED, "-nostdlib", "-static", f"-Wl,-T,{script},--gc-sections,-e,cpu_reset")
        arithmetic = "-rtlib=compiler-rt"
        run(*compiler(board.target), *link, *made, arithmetic, "-o", own / "firmware.elf")
        put(own, folder)
    return folder / "firmware.elf"


def objects(board: Board, options: Options) -> list[Path]:
    tls, lwip, cjson = sources.mbedtls(), sources.lwip(), sources.cjson()
    include = (
        *(HERE, HERE / "site", HOSTED / "include", ROOT / "device" / "src"),
        *(tls / "include", tls / "library", tls / "tests" / "include"),
        *(lwip / "include", cjson),
    )
    common = [OPTIMISED, *COMMON, *SECTIONS, *ZIG]
    common += [part for folder in include for part in ("-isystem", str(folder))]
    common += ['-DMBEDTLS_USER_CONFIG_FILE="tls_config.h"']
    records = [f"-DFIRMWARE_TLS_IN={options.tls_in}"]
    own = [
        *WARNINGS,
        *records,
        f"-DFIRMWARE_REGIONS={','.join(options.regions)}",
        f"-DFIRMWARE_NODES={options.nodes}",
    ]
    tls_files = sorted((tls / "library").glob("*.c")) + [tls / "tests" / "src" / "certs.c"]
    jobs: list[tuple[Path, Sequence[str]]] = []
    jobs += [(HERE / name, (*common, *own)) for name in (*OWN_FILES, *board.files)]
    jobs += [(file, (*common, *records * file.name.startswith("ssl_"))) for file in tls_files]
    jobs += [(file, common) for file in lwip_files(lwip)]
    jobs += [(cjson / "cJSON.c", (*common, "-include", "numbers.h"))]
    jobs += [(HOSTED / name, (*common, NO_CALLS[0])) for name in HOSTED_FILES]
    jobs += [(file, common) for file in device_sources()]
    jobs += [(ROOT / "device" / "port" / "bare" / "port.c", common)]
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        return list(pool.map(lambda job: compile_one(board.target, *job), jobs))


OWN_FILES = (
    *("main.c", "console.c", "memory.c", "regions.c", "kernel.c", "lwip_port.c"),
    *("tls_client.c", "json_worker.c", "node_pool.c", "sampler.c", "numbers.c"),
)


def lwip_files(lwip: Path) -> Iterable[Path]:
    yield from sorted((lwip / "api").glob("*.c"))
    yield from sorted((lwip / "core").glob("*.c"))
    yield from sorted((lwip / "core" / "ipv4").glob("*.c"))
    yield lwip / "netif" / "ethernet.c"
