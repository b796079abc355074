"""The recorder links without each of its parts, also where the compiler removes nothing."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from .conftest import ROOT, Tool

PARTS = ("PAIRS", "LEVELS", "BLACK_BOX", "SNAPSHOTS", "PROGRAM")
PROGRAM = """
#include "heapscope/recorder.h"
static _Alignas(8) unsigned char memory[16384];
static size_t take(void *context, const uint8_t *bytes, size_t count)
{
    (void)context;
    (void)bytes;
    return count;
}
int main(void)
{
    static const hs_recorder_config_t config = {.write = take, .boot = 1, .clock_hz = 1000000};
    hs_recorder_t *recorder = hs_recorder_open(memory, sizeof memory, &config);
    if (recorder == NULL) {
        return 1;
    }
    hs_recorder_allocated(recorder, HS_EVENT_MALLOC, memory, 8, 0, HS_RECORDER_CALLER);
    hs_recorder_freed(recorder, memory);
    hs_recorder_snapshot(recorder);
    while (hs_recorder_drain(recorder, 10) > 0) {
    }
    return hs_recorder_flush(recorder) == HS_OK ? 0 : 1;
}
"""


@pytest.mark.parametrize("without", [(), *((part,) for part in PARTS), PARTS])
def test_a_part_that_is_left_out_is_not_called(
    cc: Tool, tmp_path: Path, without: tuple[str, ...]
) -> None:
    source, program = tmp_path / "x.c", tmp_path / "x"
    source.write_text(PROGRAM, "utf-8")
    left_out = {*without, "PAIRS"} if "LEVELS" in without else set(without)  # pairs are a level
    flags = [f"-DHS_RECORDER_{part}=0" for part in sorted(left_out)]
    folders = [ROOT / "device" / "src" / name for name in ("recorder", "trace")]
    sources = [path for folder in folders for path in sorted(folder.glob("*.c"))]
    include = ROOT / "device" / "include"
    cc("-std=c11", "-O0", *flags, f"-I{include}", source, *sources, "-o", program)
    subprocess.run([program], check=True)
