"""The C programs of the guide's pages on private heaps and pools: they compile without a warning,
and print what the page shows. The part with PJLIB is in test_adapters.py, with its sources."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from needs import c_compiler, need_header

sys.path.append(str(Path(__file__).resolve().parents[1]))

from adapters.build import OWN, device_library
from adapters.guide import Example, examples
from emulation.places import ROOT, run

from heapscope.native.events import keep_events, take_events
from heapscope.native.reader import NameTable, NativeReader
from heapscope.trace.feed import read_trace

#: Headers of libraries, and their packages.
LIBRARIES = {
    "duktape.h": "duktape-dev",
    "lua.h": "liblua5.4-dev",
    "mbedtls/platform.h": "libmbedtls-dev",
}
FLAGS = (*OWN, "-I/usr/include/lua5.4")
SIZES_AS_SHOWN = sys.maxsize > 2**32  # pointers take space in heaps and pools

PROGRAMS = [example for example in examples() if example.is_program]
PARTS = [e for e in examples() if not e.is_program and "pjlib" not in e.code]


def test_the_pages_have_what_is_tested_here() -> None:
    assert (len(PROGRAMS), len(PARTS), len(examples())) == (4, 4, 9)


def test_the_page_names_each_adapter_that_has_to_be_compiled() -> None:
    """Without it the link ends with an undefined reference."""
    page = (ROOT / "docs" / "guide" / "private-heaps.md").read_text("utf-8")
    sources = (ROOT / "device" / "compat" / "adapters").glob("*.c")
    for source in sources:
        named = f"device/compat/adapters/{source.name}"
        assert f"Add `{named}` to the build" in page or f"../../{named}" in page, named


def built(example: Example, folder: Path) -> Path:
    source, program = folder / "example.c", folder / "example"
    source.write_text(example.code, "utf-8")
    trace = sorted((ROOT / "device" / "src" / "trace").glob("*.c"))
    run(*c_compiler(), *FLAGS, source, *trace, device_library(), "-o", program)
    return program


@pytest.mark.parametrize("example", PROGRAMS, ids=lambda example: example.name)
def test_a_program_prints_what_is_shown(example: Example, tmp_path: Path) -> None:
    program = built(example, tmp_path)
    done = subprocess.run([program], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == example.shown or not SIZES_AS_SHOWN


@pytest.mark.parametrize("example", PARTS, ids=lambda example: example.name)
def test_a_part_compiles(example: Example, tmp_path: Path) -> None:
    for name, package in LIBRARIES.items():
        if f"<{name}>" in example.code:
            need_header(name, *FLAGS, package=package)
    source = tmp_path / "part.c"
    source.write_text(example.code, "utf-8")
    run(*c_compiler(), *FLAGS, "-fsyntax-only", source)


def test_the_recorded_pools_are_read_back(tmp_path: Path) -> None:
    example = next(example for example in PROGRAMS if "hs_trace_open" in example.code)
    run(built(example, tmp_path), tmp_path / "pools.hst")
    with NativeReader() as reader:
        keep_events(reader)
        assert read_trace(tmp_path / "pools.hst", reader).ended
        events = np.concatenate(list(take_events(reader)))
        assert reader.names(NameTable.POOL)[0] == b"call-1"
    kinds = events["kind"].tolist()
    create, grow, allocate, release = 11, 12, 13, 14
    assert kinds[0] == create
    assert kinds[-1] == release
    assert kinds.count(allocate) == 12
    assert kinds.count(grow) >= 1
    assert int(events["size"][0]) == 512
    assert int(events["new_key"][0]) == 256
    assert set(events["size"][events["kind"] == allocate].tolist()) == {40}
    assert set(events["size"][events["kind"] == grow].tolist()) == {256}
