"""Bytes of files, compressed or not, whole or not, in bounded memory."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import random
import sys
import tracemalloc
import zlib
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from heapscope.base.errors import InputError
from heapscope.trace.source import BLOCK, Blocks, open_blocks
from heapscope.trace.source_loss import SourceLoss
from heapscope.trace.zstd import is_zstd

#: Does not compress, so that damage hits blocks and not only headers.
NOISE = random.Random(1).randbytes(700_000)


def read(data: bytes) -> tuple[bytes, SourceLoss | None]:
    blocks = Blocks(io.BufferedReader(io.BytesIO(data)), name="test", total=None)
    return b"".join(blocks), blocks.loss


def packed(data: bytes, *, checksum: bool = True, level: int = 3) -> bytes:
    return zstandard.ZstdCompressor(level=level, write_checksum=checksum).compress(data)


def streamed(data: bytes) -> bytes:
    """A frame that does not tell its size."""
    compressor = zstandard.ZstdCompressor().compressobj()
    return compressor.compress(data) + compressor.flush()


def test_plain_files_come_in_pieces_of_at_most_a_mebibyte(tmp_path: Path) -> None:
    file = tmp_path / "plain"
    file.write_bytes(NOISE * 4)
    with open_blocks(file) as blocks:
        pieces = list(blocks)
    assert b"".join(pieces) == NOISE * 4
    assert max(map(len, pieces)) <= BLOCK
    assert (blocks.compressed, blocks.consumed, blocks.loss) == (False, len(NOISE) * 4, None)


@pytest.mark.parametrize("form", [gzip, bz2, lzma])
@pytest.mark.parametrize("data", [b"x", bytes(3 << 20), NOISE[:100_000]], ids=len)
def test_other_compressions_are_taken_off_too(tmp_path: Path, data: bytes, form: Any) -> None:
    """Members follow each other, and nothing is given out in large pieces."""
    file, first = tmp_path / "no-suffix", form.compress(data)
    whole = first + form.compress(b"more")
    file.write_bytes(whole)
    with open_blocks(file) as blocks:
        pieces = list(blocks)
    assert b"".join(pieces) == data + b"more"
    assert all(len(piece) <= BLOCK for piece in pieces)
    assert (blocks.compressed, blocks.loss) == (True, None)
    for damaged in (whole[:-3], first + b"nothing of this form"):
        file.write_bytes(damaged)
        with open_blocks(file) as blocks:
            assert (data + b"more").startswith(b"".join(blocks))
        assert blocks.loss is not None


@pytest.mark.parametrize("checksum", [True, False])
@pytest.mark.parametrize("data", [b"", b"x", b"text " * 100_000, NOISE], ids=len)
def test_zstd_is_recognised_by_its_magic(tmp_path: Path, data: bytes, checksum: bool) -> None:
    file = tmp_path / "no-suffix"
    file.write_bytes(packed(data, checksum=checksum))
    with open_blocks(file) as blocks:
        pieces = list(blocks)
    assert b"".join(pieces) == data
    assert all(len(piece) <= BLOCK for piece in pieces)
    assert (blocks.compressed, blocks.loss) == (True, None)


def test_a_file_named_zst_that_is_none_is_read_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "plain.zst"
    file.write_bytes(b"a 0 100\n")
    with open_blocks(file) as blocks:
        assert b"".join(blocks) == b"a 0 100\n"


def test_several_frames_and_skippable_ones_are_one_file() -> None:
    skippable = b"\x5a\x2a\x4d\x18" + (70_000).to_bytes(4, "little") + bytes(70_000)
    data = packed(b"one") + skippable + streamed(NOISE) + packed(b"") + packed(b"three")
    assert read(data) == (b"one" + NOISE + b"three", None)
    assert read(skippable + packed(b"one")) == (b"one", None)


def test_a_truncated_frame_gives_its_blocks_and_the_place() -> None:
    whole = packed(NOISE)
    out, loss = read(whole[:500_000])
    assert len(out) > 350_000
    assert NOISE.startswith(out)
    assert loss is not None
    assert (loss.offset, loss.reason) == (500_000, "the zstd data is cut off")


def test_a_missing_checksum_is_a_truncation() -> None:
    out, loss = read(packed(NOISE)[:-4])
    assert out == NOISE
    assert loss is not None
    assert loss.offset == len(packed(NOISE)) - 4


def test_damage_loses_its_block_and_what_follows_in_the_frame() -> None:
    text = b"".join(b"a %d %d\n" % (i, i * 7919 % 5000) for i in range(100_000))
    whole = bytearray(packed(text))
    middle = len(whole) // 2
    whole[middle : middle + 300] = bytes(300)
    out, loss = read(bytes(whole))
    assert text.startswith(out)
    assert loss is not None
    assert out
    assert loss.offset <= middle
    assert loss.lost == len(whole) - loss.offset


def test_reading_goes_on_at_the_next_frame_behind_damage() -> None:
    first, second, third = packed(NOISE[:200_000]), bytearray(packed(NOISE)), packed(b"third")
    second[9:12] = b"\xff\xff\xff"  # where the first block's header was
    out, loss = read(first + bytes(second) + third)
    assert out == NOISE[:200_000] + b"third"
    assert loss is not None
    assert loss.offset == len(first) + 9
    assert loss.lost == len(second) - 9


@pytest.mark.parametrize("cut", [10, 40_000, 100_000, 300_000, 500_000])
def test_a_frame_behind_one_that_was_cut_off_is_read(cut: int) -> None:
    """A recorder leaves such a file when it was killed and, started again, appended to it. After 10
    bytes a block begins; elsewhere the cut block takes the next frame's bytes for its own."""
    words = b"".join(b"%d " % zlib.crc32(b"%d" % i) for i in range(200_000))
    first = packed(words)
    assert len(first) > 900_000
    out, loss = read(first[:cut] + packed(b"second " * 40_000))
    assert out.endswith(b"second " * 40_000)
    assert words.startswith(out[: -len(b"second " * 40_000)])
    assert loss is not None


def test_a_wrong_checksum_is_reported_though_the_data_was_given_out() -> None:
    frame = bytearray(packed(NOISE))
    frame[1000] ^= 0xFF
    out, loss = read(bytes(frame))
    assert len(out) == len(NOISE)
    assert loss is not None
    assert loss.offset == len(frame) - 4


def test_garbage_between_frames_is_counted() -> None:
    out, loss = read(packed(b"one") + b"garbage" * 1000 + packed(b"two"))
    assert out == b"onetwo"
    assert loss == SourceLoss(offset=len(packed(b"one")), reason="not zstd data", lost=7000)


@pytest.mark.slow
def test_a_decompression_bomb_takes_little_memory() -> None:
    bomb = packed(bytes(1 << 30), level=1)
    assert len(bomb) < 200_000
    blocks = Blocks(io.BufferedReader(io.BytesIO(bomb)), name="bomb", total=None)
    tracemalloc.start()
    produced = sum(map(len, blocks))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert produced == 1 << 30
    assert peak < 8 << 20


def test_a_window_beyond_all_bounds_is_refused() -> None:
    frame = bytearray(streamed(NOISE))
    frame[5] = 0xF8  # window descriptor: 2 TiB
    out, loss = read(bytes(frame))
    assert out == b""
    assert loss is not None
    assert loss.offset == 0


@given(st.binary(max_size=400))
def test_no_bytes_behind_the_magic_raise(tail: bytes) -> None:
    read(b"\x28\xb5\x2f\xfd" + tail)


@given(st.data())
def test_no_damage_goes_untold(data: st.DataObject) -> None:
    text = b"0123456789abcdef" * 2000
    whole = bytearray(packed(text))
    at = data.draw(st.integers(4, len(whole) - 1))
    whole[at] ^= data.draw(st.integers(1, 255))
    out, loss = read(bytes(whole[: data.draw(st.integers(4, len(whole)))]))
    assert out == text or loss is not None


def test_progress_gives_bytes_of_the_file_and_its_size(tmp_path: Path) -> None:
    file = tmp_path / "T"
    file.write_bytes(packed(NOISE * 3))
    size = file.stat().st_size
    seen: list[tuple[int, int | None]] = []
    with open_blocks(file, progress=lambda done, total: seen.append((done, total))) as blocks:
        list(blocks)
    assert seen[-1] == (size, size)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


def test_standard_input_is_read_without_a_size(monkeypatch: pytest.MonkeyPatch) -> None:
    stdin = io.TextIOWrapper(io.BufferedReader(io.BytesIO(packed(NOISE))), encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", stdin)
    seen: list[int | None] = []
    with open_blocks("-", progress=lambda done, total: seen.append(total)) as blocks:
        assert b"".join(blocks) == NOISE
    assert set(seen) == {None}
    assert not stdin.buffer.closed


def test_a_pipe_that_gives_single_bytes_is_read() -> None:
    class Slow(io.BytesIO):
        def read1(self, size: int | None = -1) -> bytes:
            return super().read1(1)

    blocks = Blocks(Slow(packed(b"slowly")), name="slow", total=None)
    assert b"".join(blocks) == b"slowly"


def test_what_cannot_be_opened_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"gone\.hst: no such file"):
        open_blocks(tmp_path / "gone.hst")
    with pytest.raises(InputError, match="is a folder"):
        open_blocks(tmp_path)
    with pytest.raises(InputError, match="cannot be read"):
        open_blocks("a\0b")


def test_a_hostile_file_name_is_shown_escaped(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"\\x1b") as caught:
        open_blocks(tmp_path / "\x1b[31m.hst")
    assert "\x1b" not in str(caught.value)


def test_a_read_error_is_a_loss_and_not_an_exception(tmp_path: Path) -> None:
    class Failing(io.BytesIO):
        def read1(self, size: int | None = -1) -> bytes:
            if self.tell():
                raise OSError(5, "Input/output error")
            return super().read1(4)

    blocks = Blocks(Failing(b"abcdefgh"), name="failing", total=None)
    assert b"".join(blocks) == b"abcd"
    assert blocks.loss == SourceLoss(offset=4, reason="read error: Input/output error")


def test_the_magic_alone_decides() -> None:
    assert is_zstd(packed(b""))
    assert is_zstd(b"\x50\x2a\x4d\x18")
    assert not is_zstd(b"\x28\xb5\x2f")
    assert not is_zstd(b"")
