"""k_malloc of Zephyr on our heap, as code of a chip, with a kernel that stands in for Zephyr's."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from emulation.program import build_program, run_program
from emulation.targets import TARGETS

ROOT = Path(__file__).parents[2]
DEVICE = ROOT / "device"
STAND_IN = ROOT / "tests" / "packaging" / "stand_ins" / "zephyr"
SOURCES = (
    STAND_IN / "k_malloc_program.c",
    STAND_IN / "kernel.c",
    DEVICE / "compat" / "zephyr" / "k_malloc.c",
    DEVICE / "compat" / "arenas" / "arenas.c",
    DEVICE / "port" / "zephyr" / "port.c",
)
FOLDERS = (
    STAND_IN,
    ROOT / "tests" / "device" / "recorder_glue" / "zephyr",
    DEVICE / "compat" / "zephyr",
    DEVICE / "compat" / "arenas",
)


def wrapped() -> list[str]:
    """The functions that the module has the linker wrap."""
    text = (DEVICE / "zephyr" / "CMakeLists.txt").read_text(encoding="utf-8")
    match = re.search(r"foreach\(call ([^)]+)\)", text)
    assert match is not None
    return match[1].split()


@pytest.mark.slow
@pytest.mark.parametrize("target", ["rv32imc", "cortex-m4"])
def test_k_malloc_serves_a_chip_from_the_system_heap(target: str) -> None:
    chosen = TARGETS[target]
    flags = [f"-I{folder}" for folder in FOLDERS]
    finished = run_program(chosen, build_program(chosen, SOURCES, flags=flags, wrap=wrapped()))
    assert (finished.code, finished.output) == (0, "free 1\n")
