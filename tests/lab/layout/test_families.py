"""Allocators by family, and the faults of their releases."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import heapscope
from heapscope.base.errors import InputError
from heapscope.capture.line_forms import import_text
from heapscope.memory.layout.allocator import parse_allocator, placements
from heapscope.memory.layout.families import family_of, is_compared
from heapscope.memory.layout.faults import BROKEN, faults_of
from heapscope.native.library import allocator_names

EDGE = Path(__file__).parents[2] / "oracle" / "traces" / "edge.hst"


def test_every_allocator_has_a_family() -> None:
    assert all(family_of(name) for name in allocator_names())
    assert family_of("zephyr-k_malloc") == family_of("sys_heap") == "Zephyr"
    assert family_of("newlib-nano-4.1") == "newlib"


def test_a_question_about_all_is_not_about_heaps_of_one_system() -> None:
    assert {"heapscope", "idf-5.5", "tlsf", "umm", "heap_4", "sys_heap", "o1heap"} <= set(
        placements()
    )
    for name in ("newlib-nano", "zephyr-malloc", "rlsf", "heap_5", "o1heap-3", "lvgl"):
        assert not is_compared(name)


def test_the_broken_release_of_newlib_is_named_with_its_neighbours() -> None:
    with pytest.raises(InputError, match="no replay") as caught:
        parse_allocator("newlib-nano-4.2")
    assert "newlib-nano-4.3 or newlib-nano-4.1" in caught.value.remedy


def test_a_replay_names_the_faults_of_its_allocators_release() -> None:
    result = heapscope.replay(EDGE, pool="64KB", allocator="picolibc")
    assert any("never grows the free block at its end" in note for note in result.layout.notes)
    assert not heapscope.replay(EDGE, pool="64KB", allocator="threadx").layout.notes


@pytest.mark.parametrize(
    ("allocator", "last", "words"),
    [
        (
            "linked_list_allocator",
            "a 4 3000",
            "a free block had the size of 1 of the 1 failed requests listed",
        ),
        ("newlib-nano", "r 1 160", "realloc copied 64 bytes"),
        ("newlib-nano", "r 1 60", ""),  # in its place
    ],
)
def test_a_replay_states_what_a_fault_did(
    tmp_path: Path, allocator: str, last: str, words: str
) -> None:
    text, trace = tmp_path / "t.txt", tmp_path / "t.hst"
    text.write_text(f"a 1 64\na 2 3004\na 3 16\nf 2\n{last}\n")
    import_text(text, trace)
    result = heapscope.replay(trace, pool=64 + 3004 + 16, allocator=allocator)
    (note,) = (note for note in result.layout.notes if note.startswith(f"{allocator}: "))
    assert words in note
    assert ("; here " in note) == bool(words)


def test_the_page_of_models_has_every_fault() -> None:
    page = (Path(__file__).parents[3] / "docs/reference/models.md").read_text(encoding="utf-8")
    section = page.partition("## Known faults")[2].partition("\n## ")[0]
    named = set(re.findall(r"`([\w.-]+)`", section))
    assert {name for name in allocator_names() if faults_of([name])} <= named
    assert all(release.removesuffix("-4.2") in section for release in BROKEN)


def test_faults_are_of_allocators_that_exist() -> None:
    named = [name for name in allocator_names() if faults_of([name])]
    assert {"heapmem", "nuttx", "esp-alloc-tlsf", "newlib-nano-4.3"} < set(named)
    assert len(named) == len(set(named)) == 19
