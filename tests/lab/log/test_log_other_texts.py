"""Text that no device printed about its heap tells neither a state nor a failure."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

import heapscope as hs

sys.path.append(str(Path(__file__).parents[3] / "benches"))
from other_texts import KINDS, lines


@pytest.mark.parametrize("kind", KINDS)
def test_text_of_another_kind_has_no_state_and_no_failure(
    kind: str, tmp_path: Path, seed: int
) -> None:
    """10,000 lines in all."""
    text = lines(kind, 2500, random.Random(f"{seed} {kind}"))
    (tmp_path / "a.log").write_text(text, encoding="utf-8")
    result = hs.log(tmp_path / "a.log")
    answer = result.answer
    assert (answer.free, answer.largest, answer.failed, answer.error) == (None, None, (), None)
    assert not any("free" in sentence or "failed" in sentence for sentence in result.verdict)


@pytest.mark.parametrize(
    "line",
    [
        "[    0.276979] page_reporting: free-page bitmap set aside: bytes=819208 pfns=6553600",
        "[    0.225114] Freeing initrd memory: 7296K",
        "[    0.122299] Memory: 3218300K/25165432K available (18468K kernel code, 2544K rwdata)",
        "MiB Mem :   7950.4 total,    782.1 free,   5010.0 used,   2158.3 buff/cache",
        "def memory(self, free: int = 114098) -> int:",
        "assert memory.free == 3371890, 'largest block'",
        "    uint8_t big_heap[250000];",
        "npm WARN deprecated memory@215.18.2: system is no longer free",
        "ran 3455 tests in 255.1s, 257 failed",
        "[    2.981] error: [mem 0x00000101-0x00000153] available",
    ],
)
def test_a_line_of_another_program_is_no_state(line: str, tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text(f"{line}\n" * 20, encoding="utf-8")
    answer = hs.log(tmp_path / "a.log").answer
    assert (answer.free, answer.largest, answer.failed, answer.error) == (None, None, (), None)
