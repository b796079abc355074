"""The tests of multi_heap.h pass as machine code of 32-bit chips, too."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from emulation.program import build_program, run_program
from emulation.targets import TARGETS

ROOT = Path(__file__).parents[3]
HERE = Path(__file__).parent
INTERFACE = ROOT / "device" / "compat" / "esp_idf"
SOURCES = [
    INTERFACE / "src" / f"{name}.c" for name in ("multi_heap", "multi_heap_text", "platform")
]
GUARDS = {"plain": (), "light": ("-DCONFIG_HEAP_POISONING_LIGHT=1",)}
TESTS = ("test_multi_heap", "test_multi_heap_aligned", "test_multi_heap_faults")
QUICK = {("cortex-m4", test, "light") for test in TESTS}
CASES = [
    pytest.param(*case, marks=() if case in QUICK else pytest.mark.slow)
    for case in product(("rv32imc", "cortex-m4"), TESTS, GUARDS)
]


@pytest.mark.slow
@pytest.mark.parametrize(("target", "test", "guard"), CASES)
def test_passes_as_32_bit_code(target: str, test: str, guard: str) -> None:
    sources = [HERE / f"{test}.c", HERE / "esp_faults.c", *SOURCES]
    # The whole of the random operations takes minutes in emulation.
    flags = ("-I", str(INTERFACE / "include"), "-DFEWER_STEPS=1", *GUARDS[guard])
    chosen = TARGETS[target]
    finished = run_program(chosen, build_program(chosen, sources, flags=flags))
    assert finished.code == 0, finished.output
