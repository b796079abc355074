"""Advice is in the terms of the system that printed the log."""

from __future__ import annotations

from pathlib import Path

import heapscope as hs

NUTTX = (
    "NuttShell (NSH) NuttX-12.5.1\n"
    "nsh> free\n"
    "                   total       used       free    maxused    maxfree  nused  nfree name\n"
    "      Umem:     282756     136676     146080     137944     145936    230      5\n"
)


def test_nuttx_is_advised_in_its_own_terms(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text(f"{NUTTX}app: malloc(200000) failed\n")
    result = hs.log(tmp_path / "a.log")
    assert (result.framework, result.answer.free) == ("NuttX 12.5.1", 146_080)
    assert [one.size for one in result.answer.failed] == [200_000]
    steps = " ".join(result.steps)
    assert "'free' in the shell" in steps
    assert "CONFIG_RAM_SIZE" in steps
    assert "heap_caps" not in steps


def test_a_state_of_nuttx_without_a_failure_needs_no_step(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text(NUTTX)
    steps = " ".join(hs.log(tmp_path / "a.log").steps)
    assert "CONFIG_RAM_SIZE" not in steps
    assert "heap_caps" not in steps
