"""A stream of a device taken apart: log text, whole chunks, boots, and what is missing."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import heapscope as hs
from heapscope.logs.live.hearing import Hearing
from heapscope.native.listener import NativeListener, figures_of

GOLDEN = Path(__file__).parents[3] / "format" / "golden" / "v1"
BLOCKS = [(0x100 * i, 0x40 + i) for i in range(1, 13)]

Taken = tuple[bytes, list[bytes]]


def take(listener: NativeListener, data: bytes) -> Taken:
    """The text of a stream, and the chunks of each recording."""
    text, recordings = b"", [b""]
    while True:
        taken = listener.push(data)
        data = data[taken:]
        text += listener.text()
        recordings[-1] += listener.chunks()
        if not figures_of(listener).over:
            break
        listener.next()
        recordings.append(b"")
    listener.flush()
    return text + listener.text(), recordings


def parted(*pieces: bytes) -> Taken:
    with NativeListener() as listener:
        text, recordings = b"", [b""]
        for piece in pieces:
            more, result = take(listener, piece)
            text += more
            recordings[-1] += result[0]
            recordings += result[1:]
        return text, recordings


def test_log_text_between_chunks_is_text_and_chunks_are_whole(make_boot) -> None:
    chunks = make_boot(7, BLOCKS)
    lines = [b"I (%d) app: line HS %d\n" % (i, i) for i in range(len(chunks))]
    stream = b"".join(part for pair in zip(lines, chunks, strict=True) for part in pair)
    assert parted(stream) == (b"".join(lines), [b"".join(chunks)])


@pytest.mark.parametrize("step", [1, 2, 3, 7, 19, 64])
def test_pieces_of_any_size_give_the_same(make_boot, step: int) -> None:
    chunks = make_boot(7, BLOCKS)
    stream = b"boot\n" + b"log\n".join(chunks) + b"end HS\xc7"
    with NativeListener() as listener:
        text = heard = b""
        for at in range(0, len(stream), step):
            listener.push(stream[at : at + step])
            text, heard = text + listener.text(), heard + listener.chunks()
        listener.flush()
        text += listener.text()
    assert heard == b"".join(chunks)
    assert text == b"boot\n" + b"log\n" * (len(chunks) - 1) + b"end HS\xc7"


def test_a_flipped_byte_costs_its_chunk_alone_and_is_counted(make_boot, hear) -> None:
    chunks = make_boot(7, BLOCKS)
    broken = bytearray(chunks[3])
    broken[20] ^= 4
    moment = hear(b"".join([*chunks[:3], bytes(broken), *chunks[4:]]))
    assert (moment.losses.chunks, moment.losses.damaged_chunks) == (1, 1)
    assert moment.losses.damaged_bytes == len(broken)
    assert moment.losses.events == 4
    assert moment.live is None, "events are missing since the snapshot"


def test_two_boots_are_two_files_that_every_verb_reads(make_boot, tmp_path: Path) -> None:
    first, second = make_boot(7, BLOCKS), make_boot(8, BLOCKS[:5], reset=b"panic")
    stream = tmp_path / "stream"
    stream.write_bytes(b"".join(first) + b"rst:0xc\n" + b"".join(second))
    result = hs.live(stream, out=tmp_path / "t")
    assert [one.boot for one in result.recordings] == ["7", "8"]
    assert [one.events for one in result.recordings] == [12, 5]
    assert [Path(one.file).name for one in result.recordings] == ["t-boot-7.hst", "t-boot-8.hst"]
    assert (tmp_path / "t-boot-7.hst").read_bytes() == b"".join(first)
    assert (tmp_path / "t-boot-8.hst").read_bytes() == b"".join(second)
    assert not list(tmp_path.glob("*.part"))
    for one in result.recordings:
        assert hs.replay(one.file, pool="64KB").summary.event_count == one.events
    assert result.times("restart") == 1


def test_chunks_of_the_boot_before_that_come_late_do_not_mix_in(make_boot, hear) -> None:
    first, second = make_boot(7, BLOCKS), make_boot(8, BLOCKS[:4])
    mixed = [*first[:3], *second, *first[3:]]
    moment = hear(b"".join(mixed))
    assert (moment.boot, moment.recording, moment.live_blocks) == ("8", 2, 4)
    assert moment.losses.late_chunks == len(first) - 3


@pytest.mark.parametrize("name", ["other_boot", "other_boot_same_byte"])
def test_golden_streams_of_two_boots_are_parted(name: str) -> None:
    data = (GOLDEN / f"{name}.hst").read_bytes()
    text, recordings = parted(data)
    assert (text, b"".join(recordings), len(recordings)) == (b"", data, 2)


def test_a_boot_without_identity_is_reported_by_its_first_chunks(make_trace) -> None:
    one = make_trace("a 0 100", "f 0", name="one.hst").read_bytes()
    two = make_trace("a 0 200", "a 1 7", name="two.hst").read_bytes()
    assert parted(one + b"reset\n" + two) == (b"reset\n", [one, two])


def test_a_repeated_chunk_is_dropped_and_no_boot(make_boot) -> None:
    chunks = make_boot(7, BLOCKS)
    twice = b"".join([*chunks[:3], chunks[0], chunks[1], *chunks[2:]])
    assert parted(twice) == (b"", [b"".join(chunks)])


def test_a_finished_name_is_never_taken_twice(make_boot, tmp_path: Path) -> None:
    stream = tmp_path / "stream"
    stream.write_bytes(b"".join(make_boot(7, BLOCKS)))
    names = [hs.live(stream, out=tmp_path / "t").recordings[0].file for _ in range(2)]
    assert [Path(name).name for name in names] == ["t-boot-7.hst", "t-boot-7-2.hst"]


def test_a_hostile_identity_makes_no_path(make_boot, tmp_path: Path) -> None:
    stream = tmp_path / "stream"
    stream.write_bytes(b"".join(make_boot(0, identity=b"../../../x", black_box=b"1")))
    (built,) = hs.live(stream, out=tmp_path / "t").recordings
    assert Path(built.file) == tmp_path / "t-boot-black-box.hst"


def test_a_board_in_a_reset_loop_makes_no_file_without_events(make_boot, tmp_path: Path) -> None:
    boots = [make_boot(boot, BLOCKS[:1]) for boot in range(1, 61)]
    stream = tmp_path / "stream"
    stream.write_bytes(b"".join(chunks[0] for chunks in boots[:-1]) + b"".join(boots[-1]))
    result = hs.live(stream, out=tmp_path / "t")
    assert [one.boot for one in result.recordings] == ["60"]
    assert (result.unlisted, result.times("restart")) == (59, 59)
    assert sorted(one.name for one in tmp_path.glob("t-*")) == ["t-boot-60.hst"]
    assert (tmp_path / "t-boot-60.hst").read_bytes() == b"".join(boots[-1])


def test_files_are_bounded_and_a_line_says_so(make_boot, tmp_path: Path) -> None:
    stream = tmp_path / "stream"
    stream.write_bytes(b"".join(b"".join(make_boot(boot, BLOCKS[:1])) for boot in range(1, 7)))
    reported: list[str] = []
    result = hs.live(
        stream,
        out=tmp_path / "t",
        files=2,
        on_moment=lambda moment: reported.extend(one.text for one in moment.happenings),
    )
    assert [Path(one.file).name for one in result.recordings[:2]] == [
        "t-boot-1.hst",
        "t-boot-2.hst",
    ]
    assert [one.file for one in result.recordings[2:]] == [""] * 4
    assert [one for one in reported if "get no files" in one] == [
        "recording 3 and those after it get no files: --files N for more"
    ]
    assert len([*tmp_path.glob("t-*")]) == 2


def test_whatever_ends_the_listening_the_file_gets_its_name(make_boot, tmp_path: Path) -> None:
    def interrupted() -> None:
        with Hearing("here", prefix=tmp_path / "t") as hearing:
            hearing.take(b"".join(make_boot(7, BLOCKS)))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert [one.name for one in tmp_path.iterdir()] == ["t-boot-7.hst"]


def chunks_of(data: bytes) -> list[bytes]:
    """Whole chunks, one behind the other."""
    results = []
    while data:
        size = 20 + int.from_bytes(data[12:14], "little")
        results.append(data[:size])
        data = data[size:]
    return results


@given(st.binary(max_size=400), st.integers(0, 2**32))
def test_garbage_never_hides_a_chunk_nor_becomes_one(garbage: bytes, seed: int) -> None:
    golden = (GOLDEN / "chip3.hst").read_bytes()
    at = random.Random(seed).randrange(len(golden))
    with NativeListener() as listener:
        text, recordings = take(listener, garbage + golden)
        damaged = figures_of(listener).damaged_bytes
    assert recordings == [golden]
    assert len(text) + damaged == len(garbage)
    with NativeListener() as listener:
        _, recordings = take(listener, golden[:at] + garbage + golden[at:])
    whole = chunks_of(golden)
    results = [chunk for recording in recordings for chunk in chunks_of(recording)]
    assert len(results) >= len(whole) - 1
    assert all(chunk in whole for chunk in results)


@given(st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 7)), max_size=6))
def test_flipped_bits_never_make_a_wrong_state(flips: list[tuple[int, int]]) -> None:
    whole = (GOLDEN / "chip3.hst").read_bytes()
    chunks = chunks_of(whole)
    right = {None, *(live_after(b"".join(chunks[:count])) for count in range(len(chunks) + 1))}
    data = bytearray(whole)
    for place, bit in flips:
        data[place % len(data)] ^= 1 << bit
    assert live_after(bytes(data)) in right


def live_after(data: bytes) -> int | None:
    with Hearing("here") as hearing:
        hearing.take(data)
        hearing.finish()
        return hearing.moment().live
