"""`image` of a recording and of a black box: the blocks that are in use at its end."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from tests.lab.live.conftest import START, MakeBoot

from heapscope.base.errors import InputError
from heapscope.cli.verbs.image import image, image_with_heaps


def drawn(random: Random) -> tuple[list[tuple[int, int]], list[int]]:
    """Blocks by offset and size, and those that are freed again."""
    blocks = [(32 * number, random.randint(1, 28)) for number in range(random.randint(1, 40))]
    return blocks, [offset for offset, _ in blocks if random.random() < 0.4]


@pytest.mark.parametrize("black_box", [b"0", b"1"])
def test_the_blocks_in_use_at_the_end_have_their_tasks(
    black_box: bytes, make_boot: MakeBoot, seed: int, tmp_path: Path
) -> None:
    blocks, freed = drawn(Random(f"{seed} {black_box!r}"))
    path = tmp_path / "T.hst"
    path.write_bytes(b"".join(make_boot(7, blocks, freed=freed, black_box=black_box)))
    result = image(str(path))
    kept = [(START + offset, size) for offset, size in blocks if offset not in freed]
    assert [(row.address, row.bytes) for row in result.blocks] == kept
    assert {row.owner for row in result.blocks} <= {"net"}
    assert sum(row.used_blocks for row in result.heaps) == len(kept)
    assert ("black box" in result.what) == (black_box == b"1")
    assert any("DRAM" in line and "60,000 B in one block" in line for line in result.notes)
    assert result.chip == "esp32"


def test_blocks_from_before_a_black_box_are_not_claimed(
    make_boot: MakeBoot, tmp_path: Path
) -> None:
    path = tmp_path / "T.hst"
    path.write_bytes(b"".join(make_boot(7, [(0, 8)], begins=False, black_box=b"1")))
    result = image(str(path))
    assert any("before its first event" in line for line in result.missing)
    assert "its own events" in result.verdict[0]


def test_a_recording_is_no_state_and_needs_addresses(make_boot: MakeBoot, tmp_path: Path) -> None:
    path = tmp_path / "T.hst"
    path.write_bytes(b"".join(make_boot(7, [(0, 8)])))
    assert image_with_heaps(str(path))[1].heaps == ()
    text = tmp_path / "T.txt"
    text.write_text("a 1 10\n")
    from heapscope.capture.line_forms import import_text

    plain = tmp_path / "plain.hst"
    import_text(text, plain)
    with pytest.raises(InputError, match="without the addresses of a chip"):
        image(str(plain))
