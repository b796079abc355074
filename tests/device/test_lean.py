"""The lean heap: its size in code, and that it is the same heap on a chip."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from emulation.build import DRIVER, WALKER, build_image, heap_sources
from emulation.events import load
from emulation.footprint import CORE, LEAN, WITH_CHECK, heap_bytes
from emulation.host import replay_here
from emulation.program import HOSTED, link, objects, run_program
from emulation.run import EmulatedHeap, Form
from emulation.targets import TARGETS

ROOT = Path(__file__).parents[2]
FORMS = ROOT / "tests" / "device" / "test_heap_forms.c"
TRACE = next((ROOT / "tests" / "oracle" / "traces").glob("gateway.hst*"))
#: Bytes at most of create, malloc, realloc and free; and of all eight calls.
AT_MOST = {"cortex-m4": (3800, 5600), "rv32imc": (4370, 6440)}
CHIPS = tuple(AT_MOST)
BOTH_FORMS = ("-DHS_LEAN=1",)


@pytest.mark.cells(1)
@pytest.mark.parametrize("chip", CHIPS)
def test_a_lean_heap_takes_few_bytes_of_code(chip: str) -> None:
    core, more = AT_MOST[chip]
    target = TARGETS[chip]
    assert heap_bytes(target, CORE, flags=LEAN).flash <= core
    assert heap_bytes(target, WITH_CHECK, flags=LEAN).flash <= more


@pytest.mark.slow
def test_the_wide_form_of_a_lean_heap_costs_little_and_nothing_where_it_is_off() -> None:
    target = TARGETS["cortex-m4"]
    lean = heap_bytes(target, flags=LEAN).flash
    both = heap_bytes(target, flags=BOTH_FORMS).flash
    assert lean < both < lean * 1.15
    small, ordinary = (heap_bytes(target, flags=flags).flash for flags in (LEAN[1:], ()))
    assert lean < small < ordinary * 0.7


@pytest.mark.slow
@pytest.mark.parametrize("flags", [LEAN, BOTH_FORMS], ids=["small", "both"])
@pytest.mark.parametrize("chip", CHIPS)
def test_its_offsets_are_those_of_the_ordinary_heap(chip: str, flags: tuple[str, ...]) -> None:
    target = TARGETS[chip]
    rows = load(TRACE, 3000)
    image = build_image(target, [DRIVER, WALKER, *heap_sources()], level="-Os", more=flags)
    forms = (Form.SMALL, Form.WIDE) if flags == BOTH_FORMS else (Form.SMALL,)
    for form in forms:
        heap = EmulatedHeap(target, image, 60000, form=form, counted=False)
        assert np.array_equal(heap.replay(rows).results, replay_here(rows, 60000, form=form))
        assert heap.machine.call("drive_check", heap.heap) == 0


@pytest.mark.slow
@pytest.mark.parametrize("chip", CHIPS)
def test_it_agrees_with_the_shadow_model_on_a_chip(chip: str, tmp_path: Path) -> None:
    target = TARGETS[chip]
    sources = [FORMS, *heap_sources(), *sorted(HOSTED.glob("*.c"))]
    built = objects(target, sources, "-Os", (*LEAN, "-DCHECK_THIN=32"))
    link(target, built, tmp_path / "program.elf", "hosted_start")
    finished = run_program(target, tmp_path / "program.elf")
    assert finished.code == 0, finished.output
