"""Requests for one kind of memory, by figures of that memory, and of those that it is a part of."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import heapscope as hs
from heapscope.logs.heaps.request_fit import RequestFit

NAMES = {"DMA": "dma", "INTERNAL": "internal", "SPIRAM": "psram"}
FORMS = (
    "{name}: free {free}, largest {largest}\n",
    '{{"{name}":{{"free":{free},"largest":{largest}}}}}\n',
    "{name}_free={free} {name}_largest={largest}\n",
    "memory | free | largest\n--- | --- | ---\n{name} | {free} | {largest}\n",
    'heap_free_bytes{{cap="{name}"}} {free}\nheap_largest_free_block_bytes{{cap="{name}"}} '
    "{largest}\n",
)


def asked(folder: Path, text: str, *needs: str) -> tuple[RequestFit, ...]:
    (folder / "device.log").write_text(text, encoding="utf-8")
    return hs.log(folder / "device.log", need=needs).needs


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("caps", NAMES)
def test_its_own_largest_block_decides(caps: str, form: str, tmp_path: Path, seed: int) -> None:
    rng = random.Random(f"{seed} {caps} {form}")
    largest = rng.randrange(5, 2000) * 16 + 7  # no power of two, nor 12 bytes below one
    text = form.format(name=NAMES[caps], free=largest + rng.randrange(5000), largest=largest)
    fits, short = asked(tmp_path, text, f"{largest}:{caps}", f"{largest + 9}:{caps}")
    assert (fits.fits, short.fits, short.short) == (True, False, 9), text


def test_a_part_is_bounded_by_the_whole(tmp_path: Path) -> None:
    text = "free 91344 largest 31740\n"
    small, large = asked(tmp_path, text, "4096:DMA", "40000:DMA")
    assert (small.fits, large.fits, large.short) == (None, False, 8260)
    (word,) = asked(tmp_path, text, "40000:INTERNAL")
    assert word.fits is None  # memory for words alone may serve it


def test_malloc_may_take_psram_where_internal_memory_has_no_block(tmp_path: Path) -> None:
    text = "internal: free 61220, largest 22520\npsram: free 3991220, largest 3932148\n"
    small, middle, large = asked(tmp_path, text, "20000", "40000", "4000000")
    assert (small.fits, middle.fits, large.fits) == (True, None, False)
    assert "CONFIG_SPIRAM_USE_MALLOC" in middle.why


def test_what_failed_with_fewer_capabilities_fails_with_more(tmp_path: Path) -> None:
    text = "E (1) a: heap_caps_malloc(8192, MALLOC_CAP_DMA) returned NULL\n"
    (same, strict, other) = asked(tmp_path, text, "8192:DMA", "9000:DMA|INTERNAL", "8192:SPIRAM")
    assert (same.fits, strict.fits, other.fits) == (False, False, None)


def test_other_blocks_show_that_a_figure_is_no_power_of_two_below_one(tmp_path: Path) -> None:
    line = "free {} largest {}\n".format
    (one,) = asked(tmp_path, line(158712, 65524), "70000")
    (two,) = asked(tmp_path, line(172904, 81908) + line(158712, 65524), "70000")
    assert (one.fits, two.fits) == (None, False)
