"""The heap as machine code of 32-bit chips does what it does on this machine, and its word-only
form really touches memory by aligned 32-bit words alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from emulation.build import DRIVER, WALKER, build_image, heap_sources
from emulation.counter import digest
from emulation.events import ALIGNED, CALLOC, FREE, MALLOC, REALLOC, Rows, load
from emulation.host import replay_here
from emulation.machine import FaultError
from emulation.run import FAILED, EmulatedHeap, Form
from emulation.targets import TARGETS

ROOT = Path(__file__).parents[2]
EVENTS = 6000
#: Name, a pool in which nothing fails, and one in which something does.
TRACES = {"tls_rsa_cli": (65536, 40000), "gateway": (200000, 60000)}
#: The Cortex one whose memory can be watched (Machine.allow_words_only).
WATCHED = ("rv32imc", "cortex-m0plus")
WORD_POOL = 150000


def cut(name: str) -> Rows:
    folders = (ROOT / "studies" / "workloads" / "captured", ROOT / "tests" / "oracle" / "traces")
    path = next(path for folder in folders for path in folder.glob(f"{name}.hst*"))
    return load(path, EVENTS)


@pytest.mark.cells(1)
@pytest.mark.parametrize("target", ["x86-32", "rv32imc", "cortex-m4"])
@pytest.mark.parametrize("trace", TRACES)
def test_results_are_those_of_this_machine(trace: str, target: str) -> None:
    rows = cut(trace)
    chosen = TARGETS[target]
    image = build_image(chosen)
    for pool, fails in zip(TRACES[trace], (False, True), strict=True):
        for form in (Form.SMALL, Form.WIDE):
            heap = EmulatedHeap(chosen, image, pool, form=form, counted=False)
            emulated = heap.replay(rows)
            here = replay_here(rows, pool, form=form)
            assert emulated.digest == digest(here), (pool, form)
            assert np.array_equal(emulated.results, here), (pool, form)
            assert bool(emulated.failures) is fails, (pool, form)


def test_the_digest_is_the_one_of_the_published_rule() -> None:
    """FNV-1a 64 over little-endian words; frees and skipped events add nothing."""
    assert digest(np.zeros(0, np.uint32)) == "cbf29ce484222325"
    expected = 0xCBF29CE484222325
    for byte in bytes.fromhex("10200000 ffffffff"):
        expected = (expected ^ byte) * 0x100000001B3 % 2**64
    results = np.array([0x2010, 0xFFFF_FFFE, 0xFFFF_FFFD, FAILED], np.uint32)
    assert digest(results) == f"{expected:016x}"


def every_call() -> Rows:
    """Calls of every kind on blocks of many sizes, so that blocks move and are merged."""
    sources = {"fuzz_align": 1500, "fuzz_realloc_small": 1500, "gateway": 1500}
    parts, first = [], 0
    for name, count in sources.items():
        rows = cut(name)[:count]
        for column in ("slot", "after"):
            named = (rows["kind"] != ALIGNED) | (column == "slot")
            rows[column][named] += first
        first = int(max(rows["slot"].max(), rows["after"].max())) + 1
        parts.append(rows)
    rows = np.concatenate(parts)
    mallocs = np.flatnonzero(rows["kind"] == MALLOC)
    rows["kind"][mallocs[::3]] = CALLOC
    return rows


@pytest.mark.slow
@pytest.mark.parametrize("target", WATCHED)
def test_the_word_only_form_lives_on_words(target: str) -> None:
    chosen, rows = TARGETS[target], every_call()
    image = build_image(chosen, [DRIVER, WALKER, *heap_sources()])
    assert {MALLOC, CALLOC, ALIGNED, REALLOC, FREE} == set(rows["kind"].tolist())
    heap = EmulatedHeap(chosen, image, WORD_POOL, form=Form.WORD, words_only=True, events=len(rows))
    results = []
    for part in np.array_split(rows, 3):
        results.append(heap.replay(part).results)
        assert heap.machine.call("drive_walk", heap.heap) > 10
        assert heap.machine.call("drive_check", heap.heap) == 0
    here = replay_here(rows, WORD_POOL, form=Form.WORD)
    assert np.array_equal(np.concatenate(results), here)
    assert (here == FAILED).sum() < len(rows) / 100


@pytest.mark.slow
@pytest.mark.parametrize("target", WATCHED)
def test_the_small_form_does_not(target: str) -> None:
    """So the memory of the test above does fault."""
    chosen = TARGETS[target]
    image, rows = build_image(chosen), cut("gateway")[:500]
    with pytest.raises(FaultError, match="of 2 bytes at 0x20"):
        EmulatedHeap(chosen, image, 65536, form=Form.SMALL, words_only=True, counted=False).replay(
            rows
        )
