"""The C tests of every part as code of RV32IMC and Cortex-M4: the same files, thinned."""

from __future__ import annotations

from pathlib import Path

import pytest
from emulation.machine import FaultError
from emulation.program import build_program, needed_objects, run_program
from emulation.suite import Program, programs
from emulation.targets import TARGETS

TARGETS_HERE = ("rv32imc", "cortex-m4")
ONE_TARGET_ENOUGH = [pytest.param("rv32imc", marks=pytest.mark.slow), "cortex-m4"]
THIN = 32
PROGRAMS = programs()

BAD = """
#undef NDEBUG
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
    char text[64];
    int written = snprintf(text, sizeof text, "%-4d|%04x|%5.2s|%zu|%llu|%c|%%|%p|%+ld", -7, 0x2au,
                           "abc", (size_t)12, 12345678901234ull, 'z', (void *)0x1f, 5l);
    printf("%s %d %s\\n", text, written, argc > 1 ? argv[1] : "none");
    if (argc > 1 && strcmp(argv[1], "fault") == 0) {
        *(volatile int *)0xF0000000u = 1;
    }
    assert(argc < 3);
    return argc > 1 ? 3 : 0;
}
"""


@pytest.mark.slow
@pytest.mark.cells(1)
@pytest.mark.parametrize("target", ONE_TARGET_ENOUGH)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_it_runs_on_a_chip(program: Program, target: str) -> None:
    chosen = TARGETS[target]
    finished = run_program(chosen, program.build(chosen, thin=THIN))
    assert finished.code == 0, finished.output


def test_every_folder_of_tests_is_there() -> None:
    names = {program.name for program in PROGRAMS}
    assert {"heap_create", "freertos_heap_4", "libc_family"} <= names
    assert len(names) == len(PROGRAMS)


@pytest.mark.slow
def test_only_files_that_are_needed_are_compiled() -> None:
    def files(name: str) -> set[str]:
        built = needed_objects(TARGETS["cortex-m4"], [], "-O2", (), [name])
        return {path.stem for path in built}

    pool, heap = files("hs_fixed_create"), files("hs_heap_malloc")
    assert "fixed" in pool
    assert "fixed" not in heap
    assert "small" in heap, "its names are made by a macro"
    assert "recorder" not in pool | heap
    assert files("__real_hs_heap_malloc") == heap


@pytest.mark.slow
def test_a_program_says_how_it_ended(tmp_path: Path) -> None:
    source = tmp_path / "bad.c"
    source.write_text(BAD)
    for name in TARGETS_HERE:
        target = TARGETS[name]
        image = build_program(target, [source])
        line = "-7  |002a|   ab|12|12345678901234|z|%|0x1f|+5 45"
        good = run_program(target, image)
        assert (good.code, good.output) == (0, f"{line} none\n")
        reported = run_program(target, image, "word")
        assert (reported.code, reported.output) == (3, f"{line} word\n")
        stopped = run_program(target, image, "one", "two")
        assert stopped.code == 134
        assert "bad.c:16: not true: argc < 3" in stopped.output
        with pytest.raises(FaultError, match="by the code at 0x1"):
            run_program(target, image, "fault")
