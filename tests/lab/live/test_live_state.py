"""The figures of a moment: what is live, whose it is, what is missing, and what would still fit."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO
from pathlib import Path

from tests.lab.live.conftest import START

import heapscope as hs
from heapscope.base.request import Request
from heapscope.cli.live_lines import LiveLines
from heapscope.logs.live.connection import Note
from heapscope.logs.live.hearing import Hearing
from heapscope.logs.live.model import LiveModel
from heapscope.logs.live.moment import LiveMoment
from heapscope.logs.live.watched import WatchedRequest
from heapscope.memory.layout.pool import pool_layout

#: Blocks of 4,096 bytes, one behind the other, with 8 bytes between two.
ROW = [(0x1008 * i, 0x1000) for i in range(12)]


def test_live_blocks_and_owners_are_exact(make_boot, hear) -> None:
    moment = hear(b"".join(make_boot(7, ROW, freed=[0, 0x1008])))
    assert (moment.known, moment.live, moment.live_blocks) == (True, 10 * 4096, 10)
    assert moment.live_peak == 12 * 4096
    (owner,) = moment.owners
    assert (owner.task, owner.site, owner.live, owner.blocks) == ("net", "0x42001234", 40_960, 10)
    (memory,) = moment.memory
    assert (memory.name, memory.live, memory.blocks) == ("DRAM", 40_960, 10)
    assert (memory.by, memory.free, memory.largest, memory.minimum) == (
        "heap", 60_400, 60_000, 50_000,
    )  # fmt: skip
    # Two freed blocks lie in front of the first one, 16 KB behind the last.
    assert memory.room == 0x10000 - (ROW[-1][0] + 0x1000)


def test_blocks_that_lie_outside_of_the_named_memory_are_not_counted_in_it(make_boot, hear) -> None:
    """A pool begins at an address of its own: the live blocks of a device lie nowhere in it."""
    stream = b"".join(make_boot(7, ROW))
    on_pool = hear(stream, model=LiveModel(pool_layout(65536)))
    (memory,) = on_pool.memory
    assert (memory.live, memory.blocks, memory.room) == (None, None, None)
    assert (memory.by, on_pool.live) == ("replay", 12 * 4096)
    (pool,) = pool_layout(65536).regions
    there = replace(pool_layout(65536), regions=(replace(pool, start=START),))
    (memory,) = hear(stream, model=LiveModel(there)).memory
    assert (memory.live, memory.blocks) == (12 * 4096, 12)


def test_a_heap_is_not_known_before_a_snapshot_and_known_after_it(make_boot, hear) -> None:
    chunks = make_boot(7, ROW, again=ROW)
    begun = b"".join(chunks[2:-1])
    assert hear(begun).live is None
    whole = hear(begun + chunks[-1])
    assert (whole.live, whole.live_blocks) == (12 * 4096, 12)
    assert {owner.task for owner in whole.owners} == {"", "task 1"} or whole.owners[0].live


def test_nothing_is_known_before_the_first_snapshot_of_a_recorder_of_them(make_boot, hear) -> None:
    assert hear(*make_boot(7, ROW, begins=False, snapshots=b"1")).live is None
    assert hear(*make_boot(7, ROW, begins=False, snapshots=b"0")).live == 12 * 4096


def test_a_recorder_that_began_late_without_snapshots_says_what_it_does_not_count(
    make_boot, hear, tmp_path
) -> None:
    late = make_boot(7, ROW, begins=False, snapshots=b"0", lost=[(1, 5, 700)])
    results = [one.text for one in hear(*late).happenings]
    assert any("those blocks are not counted" in one for one in results)
    assert any(
        "the recorder takes no snapshots" in one for one in results if "did not arrive" in one
    )
    path = tmp_path / "late.hst"
    path.write_bytes(b"".join(make_boot(7, ROW, begins=False, snapshots=b"0")))
    result = hs.replay(path, chip="esp32", idf="5.1")
    assert any("those blocks are not counted" in one for one in result.verdict.sentences)
    whole = hear(*make_boot(7, ROW)).happenings
    assert not any("are not counted" in one.text for one in whole)


def test_a_void_snapshot_tells_nothing(make_boot, hear) -> None:
    chunks = make_boot(7, ROW, again=ROW)
    late = b"".join(chunks[2:])
    assert hear(late).live == 12 * 4096
    # The snapshot lacks a chunk in front of it, but is whole itself.
    assert hear(b"".join([*chunks[:2], *chunks[3:]])).live == 12 * 4096


def test_losses_are_reported_by_kind_with_bytes_and_what_was_left_out_apart(
    make_boot, hear
) -> None:
    lost = [(1, 5, 700), (5, 3, 0), (7, 2, 0)]
    moment: LiveMoment = hear(b"".join(make_boot(7, ROW, lost=lost)))
    assert (moment.losses.events, moment.losses.left_out) == (8, 2)
    assert [(one.kind, one.events, one.size) for one in moment.losses.kinds] == [
        ("malloc", 5, 700),
        ("free", 3, None),
    ]
    assert moment.live is None
    assert [one.text for one in moment.happenings if one.kind == "lost"] == [
        "6 events did not arrive; live blocks are not known until the next snapshot"
    ]


def test_totals_tell_of_losses_that_were_not_heard(make_boot, hear) -> None:
    kinds = [(1, 9, 700), (5, 3, 0), (7, 90, 0)]
    moment = hear(b"".join(make_boot(7, [], lost=kinds, lost_events=5)))
    assert (moment.losses.events, moment.losses.left_out) == (12, 12)  # no more than there are
    assert sum(one.events for one in moment.losses.kinds) == 12


def test_a_failed_request_is_reported_with_its_owner(make_boot, hear) -> None:
    moment = hear(b"".join(make_boot(7, ROW[:1], failed=90_000)))
    assert moment.failures == 1
    assert "a request of 90,000 B failed: net, 0x42001234" in [
        one.text for one in moment.happenings
    ]


# ---- needs --------------------------------------------------------------------------------------


def test_the_word_of_the_heap_answers_a_need(make_boot, hear) -> None:
    needs = [WatchedRequest(request=Request(size)) for size in (60_000, 60_001)]
    moment = hear(make_boot(7)[0] + make_boot(7)[1], needs=needs)
    assert [(one.fits, one.by, one.largest) for one in moment.needs] == [
        (True, "heap", 60_000),
        (False, "heap", 60_000),
    ]


def test_no_room_between_live_blocks_is_a_sure_no_and_says_who_is_in_the_way(
    make_boot, hear
) -> None:
    need = WatchedRequest(request=Request(16_385))
    chunks = make_boot(7, ROW)
    moment = hear(*chunks, needs=[need])
    room = 0x10000 - (ROW[-1][0] + 0x1000)
    (line,) = moment.needs
    assert (line.fits, line.by, line.largest, line.stopped) == (False, "blocks", room, 1)
    assert [(one.task, one.blocks, one.live) for one in line.in_the_way] == [("net", 1, 4096)]
    text = next(one.text for one in moment.happenings if one.kind == "need")
    assert text == (
        f"16,385 B for malloc do not fit: between the live blocks are at most {room:,} B; most in "
        "the way: 4,096 B in 1 block of net, 0x42001234"
    )


def test_a_need_that_nothing_can_be_stated_of_is_not_known(make_boot, hear) -> None:
    (line,) = hear(*make_boot(7, region=False), needs=[WatchedRequest(request=Request(10))]).needs
    assert (line.fits, line.by) == (None, "")
    (line,) = hear(*make_boot(7), needs=[WatchedRequest(request=Request(10, 1 << 10))]).needs
    assert line.fits is None, "no region has these capabilities"


def test_a_need_rings_once_each_time_that_it_stops_fitting(make_boot, hear) -> None:
    need = WatchedRequest(request=Request(40_000))
    chunks = make_boot(7, [(0, 8), (30_000, 8)], per_chunk=1, freed=[30_000])
    moment = hear(*chunks, *chunks[-1:], needs=[need])
    assert (moment.needs[0].fits, moment.needs[0].stopped) == (True, 1)


# ---- a replay beside ----------------------------------------------------------------------------


def test_with_a_memory_every_figure_is_that_of_replay(make_boot, tmp_path: Path) -> None:
    stream = tmp_path / "stream"
    stream.write_bytes(b"".join(make_boot(7, ROW, freed=[0x1008], snapshots=b"0")))
    moments: list[LiveMoment] = []
    memory = {"pool": "64KB", "allocator": "idf-5.5"}
    result = hs.live(
        stream, out=tmp_path / "t", need=[20_000, 14_000], on_moment=moments.append, **memory
    )
    replayed = hs.replay(result.recordings[0].file, need=[20_000, 14_000], **memory)
    (line,) = moments[-1].memory
    (region,) = replayed.regions
    assert line.by == "replay"
    assert (line.free, line.minimum) == (region.free, region.minimum_free)
    assert line.largest == region.largest_allocatable
    for need, row in zip(result.needs, replayed.needs, strict=True):
        assert need.by == "replay"
        assert need.fits == (region.largest_allocatable >= need.size)
        assert need.stopped == row.spells
    assert [need.fits for need in result.needs] == [False, True]


def test_after_a_loss_the_replay_begins_anew_at_a_snapshot(make_boot, tmp_path: Path) -> None:
    chunks = make_boot(7, ROW, again=ROW, snapshots=b"0")
    stream = tmp_path / "stream"
    moments: list[LiveMoment] = []
    memory = {"pool": "64KB", "allocator": "idf-5.5"}
    for kept, by in (([*chunks[:2], *chunks[3:-1]], ""), ([*chunks[:2], *chunks[3:]], "laid anew")):
        stream.write_bytes(b"".join(kept))
        hs.live(stream, out=None, on_moment=moments.append, **memory)
        assert moments[-1].memory[0].by == by


# ---- growth and rates ---------------------------------------------------------------------------


def test_a_line_that_is_gone_is_reported_once_and_has_no_rates(make_boot) -> None:
    shown = StringIO()
    lines = LiveLines(every=0.0, text=shown, lines=None)
    with Hearing("here") as hearing:
        for chunk in make_boot(7, [(0x100 * i, 0x40) for i in range(80)]):
            hearing.take(chunk)
            hearing._begun -= 1
            lines.show(hearing.moment())
        assert hearing.moment().growth is not None
        hearing.noted(Note(kind="gone", text="here is gone"))
        before = len(shown.getvalue())
        moments = [hearing.moment() for _ in range(3)]
        for moment in moments:
            lines.show(moment)
        assert shown.getvalue()[before:] == "heapscope: here is gone\n"
        assert all(one.gone and one.rate is None and one.growth is None for one in moments)
        hearing.noted(Note(kind="back", text="here is back"))
        assert not hearing.moment().gone
