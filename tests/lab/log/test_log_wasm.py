"""The reader of logs as WebAssembly: it is built for wasm32-wasi, and tells there what it tells
here."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from needs import need_program

ROOT = Path(__file__).resolve().parents[3]
pytestmark = pytest.mark.slow  # the tools for wasm32-wasi compile their C library first

PROGRAM = Path(__file__).with_name("facts_program.c")
LOG = """\
I (412) heap_init: At 3FFB2EC8 len 0002D138 (180 KiB): DRAM
I (18840) app: Free heap: 24040 bytes, largest free block: 9204 bytes
Mem alloc fail. size 0x000006a0 caps 0x00001800
E (7795) esp-tls: mbedtls_ssl_handshake returned -0x10
"""
RUN = """\
import { WASI } from "node:wasi";
import { readFileSync } from "node:fs";
const wasi = new WASI({ version: "preview1" });
const module = await WebAssembly.compile(readFileSync(process.argv[2]));
wasi.start(await WebAssembly.instantiate(module, wasi.getImportObject()));
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("wasm")


@pytest.fixture(scope="module")
def programs(folder: Path) -> dict[str, Path]:
    """The program for this machine and for wasm32-wasi."""
    built = {}
    for target in ("", "wasm32-wasi"):
        built[target] = folder / f"facts{target and '.wasm'}"
        options = ["-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", f"-I{ROOT}/lab/native"]
        sources = [PROGRAM, *sorted((ROOT / "lab/native/log").glob("*.c"))]
        subprocess.run(
            [
                *(sys.executable, "-m", "ziglang", "cc"),
                *([f"--target={target}"] if target else []),
                *(*options, "-o", str(built[target]), *map(str, sources)),
            ],
            check=True,
        )
    return built


def facts(*command: str) -> list[str]:
    done = subprocess.run(command, input=LOG, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def test_it_is_built_for_wasm32_wasi(programs: dict[str, Path]) -> None:
    assert programs["wasm32-wasi"].read_bytes()[:8] == b"\0asm\1\0\0\0"


def test_it_tells_there_what_it_tells_here(programs: dict[str, Path], folder: Path) -> None:
    node = need_program("node", package="nodejs")
    run = folder / "run.mjs"
    run.write_text(RUN, encoding="utf-8")
    here = facts(str(programs[""]))
    assert [line.split()[0] for line in here] == ["1", "2", "3", "4"]
    assert facts(node, str(run), str(programs["wasm32-wasi"])) == here
