"""Blocks are aligned for any object unless somebody says in so many words that less will do."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DEVICE = ROOT / "device"
KERNEL = ROOT / "emulation" / "freertos" / "kernel"
FOLDERS = ("include", "compat/arenas", "compat/libc", "port/freertos")

#: Each interface has a file, macros that ask for too little, and one macro that means it.
REQUESTED = {
    "libc": (
        "compat/libc/family.c",
        ("-DHS_LIBC_ALIGNMENT=4",),
        "HS_LIBC_SMALLER_ALIGNMENT",
    ),
    "FreeRTOS": (
        "compat/freertos/heap_heapscope.c",
        ("-DHS_FREERTOS_ALIGNMENT=4", "-DportBYTE_ALIGNMENT=8"),
        "HS_FREERTOS_SMALLER_ALIGNMENT",
    ),
}


def compiles(source: str, *flags: str) -> subprocess.CompletedProcess[str]:
    compiler = shlex.split(os.environ.get("CC", "cc"))
    include = [f"-I{DEVICE / folder}" for folder in FOLDERS] + [f"-I{KERNEL}"]
    command = [*compiler, "-std=c11", "-fsyntax-only", *include, *flags, str(DEVICE / source)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", REQUESTED)
def test_less_needs_a_macro(name: str) -> None:
    source, flags, macro = REQUESTED[name]
    assert compiles(source).returncode == 0
    refused = compiles(source, *flags)
    assert refused.returncode != 0
    assert f"define {macro} as 1" in refused.stderr
    meant = compiles(source, *flags, f"-D{macro}=1")
    assert (meant.returncode, meant.stderr) == (0, "")
