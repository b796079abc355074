"""Each adapter by running its library on it: run_NAME.c does what firmware does with the library,
first on malloc and then on a private heap, and then where memory runs out."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).resolve().parents[1]))

from adapters.build import OWN, archive_on_hooks, compiler, need_header, pjlib, program
from adapters.guide import examples
from emulation.places import MissingError
from emulation.places import run as run_command

SECONDS = 60
FIGURES = re.compile(r"^(\w+): (\d+) total, (\d+) used, .* (\d+) peak$", re.MULTILINE)


@contextmanager
def what_is_missing() -> Iterator[None]:
    """Skips the test that meets a MissingError; with HEAPSCOPE_ALL=1 fails it."""
    try:
        yield
    except MissingError as error:
        if os.environ.get("HEAPSCOPE_ALL") == "1":
            pytest.fail(f"missing: {error}")
        pytest.skip(f"missing: {error}")


def run(made: Path) -> dict[str, int]:
    """The program's own checks hold; the peaks of its heaps by name."""
    done = subprocess.run([made], capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return {name: int(peak) for name, _, _, peak in FIGURES.findall(done.stdout)}


def test_duktape_runs_its_scripts_on_a_private_heap() -> None:
    with what_is_missing():
        need_header("duktape.h", "duktape-dev")
    made = program("duktape", adapters=["duktape"], libraries=["-lduktape", "-lm"])
    peaks = run(made)
    assert peaks["script"] > 100_000
    assert 300_000 < peaks["small"] < 400_000


def test_lua_runs_its_scripts_on_a_private_heap() -> None:
    flags = ["-I/usr/include/lua5.4"]
    with what_is_missing():
        need_header("lua.h", "liblua5.4-dev", flags)
    made = program("lua", adapters=["lua"], flags=flags, libraries=["-llua5.4", "-lm"])
    peaks = run(made)
    assert peaks["lua"] > 150_000
    assert 80_000 < peaks["small"] < 100_000


def test_mbedtls_shakes_hands_on_a_private_heap() -> None:
    with what_is_missing():
        need_header("mbedtls/ssl.h", "libmbedtls-dev")
        archives = [archive_on_hooks(f"libmbed{name}.a") for name in ("tls", "x509", "crypto")]
    made = program("mbedtls", adapters=["mbedtls"], libraries=[*archives, "-lpthread"])
    assert run(made)["tls"] > 4 * 16384  # the record buffers of both sides


def test_lwip_moves_its_packets_on_a_private_heap() -> None:
    flags = ["-I/usr/include/lwip"]
    with what_is_missing():
        need_header("lwip/tcpip.h", "liblwip-dev", flags)
    made = program(
        "lwip", adapters=["lwip", "lwip_mem"], flags=flags, libraries=["-llwip", "-lpthread"]
    )
    assert 200_000 < run(made)["lwip"] < 300_000


def test_pjlib_has_its_pools_on_a_private_heap() -> None:
    with what_is_missing():
        flags, library = pjlib()
    made = program(
        "pjlib", adapters=["pjlib"], flags=flags, libraries=[library, "-lpthread", "-lm"]
    )
    assert run(made)["ice"] > 400_000


def test_the_guides_part_with_pjlib_compiles(tmp_path: Path) -> None:
    with what_is_missing():
        flags, _ = pjlib()
    (example,) = (example for example in examples() if "pjlib" in example.code)
    source = tmp_path / "part.c"
    source.write_text(example.code, "utf-8")
    run_command(*compiler(), *OWN, *flags, "-fsyntax-only", source)
