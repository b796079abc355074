"""Each adapter by running its library on it: run_NAME.c does what firmware does with the library,
first on malloc and then on a private heap, and then where memory runs out."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from needs import c_compiler, need_header

sys.path.append(str(Path(__file__).resolve().parents[1]))

from adapters.build import OWN, archive_on_hooks, pjlib, program
from adapters.guide import examples
from emulation.places import run as run_command

SECONDS = 60
FIGURES = re.compile(r"^(\w+): (\d+) total, (\d+) used, .* (\d+) peak$", re.MULTILINE)


def run(built: Path) -> dict[str, int]:
    """The program's own checks hold; the peaks of its heaps by name."""
    done = subprocess.run([built], capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return {name: int(peak) for name, _, _, peak in FIGURES.findall(done.stdout)}


def test_duktape_runs_its_scripts_on_a_private_heap() -> None:
    need_header("duktape.h", package="duktape-dev")
    built = program("duktape", adapters=["duktape"], libraries=["-lduktape", "-lm"])
    peaks = run(built)
    assert peaks["script"] > 100_000
    assert 300_000 < peaks["small"] < 400_000


def test_lua_runs_its_scripts_on_a_private_heap() -> None:
    flags = ["-I/usr/include/lua5.4"]
    need_header("lua.h", *flags, package="liblua5.4-dev")
    built = program("lua", adapters=["lua"], flags=flags, libraries=["-llua5.4", "-lm"])
    peaks = run(built)
    assert peaks["lua"] > 150_000
    assert 80_000 < peaks["small"] < 100_000


def test_mbedtls_shakes_hands_on_a_private_heap() -> None:
    need_header("mbedtls/ssl.h", package="libmbedtls-dev")
    archives = [archive_on_hooks(f"libmbed{name}.a") for name in ("tls", "x509", "crypto")]
    built = program("mbedtls", adapters=["mbedtls"], libraries=[*archives, "-lpthread"])
    assert run(built)["tls"] > 4 * 16384  # the record buffers of both sides


def test_lwip_moves_its_packets_on_a_private_heap() -> None:
    flags = ["-I/usr/include/lwip"]
    need_header("lwip/tcpip.h", *flags, package="liblwip-dev")
    built = program(
        "lwip", adapters=["lwip", "lwip_mem"], flags=flags, libraries=["-llwip", "-lpthread"]
    )
    assert 200_000 < run(built)["lwip"] < 300_000


@pytest.mark.slow
def test_pjlib_has_its_pools_on_a_private_heap() -> None:
    flags, library = pjlib()
    built = program(
        "pjlib", adapters=["pjlib"], flags=flags, libraries=[library, "-lpthread", "-lm"]
    )
    assert run(built)["ice"] > 400_000


@pytest.mark.slow
def test_the_guides_part_with_pjlib_compiles(tmp_path: Path) -> None:
    flags, _ = pjlib()
    (example,) = (example for example in examples() if "pjlib" in example.code)
    source = tmp_path / "part.c"
    source.write_text(example.code, "utf-8")
    run_command(*c_compiler(), *OWN, *flags, "-fsyntax-only", source)
