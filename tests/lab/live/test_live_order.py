"""Log lines, marks, failed requests and losses are reported in the order of the stream."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import heapscope as hs
from heapscope.logs.live.moment import LiveMoment
from heapscope.logs.live.telling import HAPPENINGS_MAX, LOG_MAX, Telling
from heapscope.render.text.live import in_order


def words(moment: LiveMoment) -> list[str]:
    return [one if isinstance(one, str) else one.text for one in in_order(moment)]


def test_marks_failures_and_log_lines_come_in_the_order_of_the_stream(
    make_boot: Callable[..., list[bytes]], hear: Callable[..., LiveMoment]
) -> None:
    reported = ["begun", 90_000, 90_000, "tried", 90_000, "again"]
    chunks = make_boot(7, [(0, 8)], reported=reported)
    stream = b"".join([b"boot\n", *chunks[:-1], b"app: now\n", chunks[-1], b"app: done\n"])
    for pieces in ([stream], [stream[at : at + 7] for at in range(0, len(stream), 7)]):
        assert words(hear(*pieces)) == [
            "boot",
            "recording 1 begins, boot 7 after power on",
            "app: now",
            "mark begun",
            "a request of 90,000 B failed, 2 times: net, 0x42001234",
            "mark tried",
            "a request of 90,000 B failed: net, 0x42001234",
            "mark again",
            "app: done",
        ]


def test_equal_failures_around_a_log_line_are_two(
    make_boot: Callable[..., list[bytes]], hear: Callable[..., LiveMoment]
) -> None:
    chunks = make_boot(7, [], failed=90_000, reported=[90_000])
    failed = "a request of 90,000 B failed: net, 0x42001234"
    stream = b"".join([*chunks[:-1], b"app: tries again\n", chunks[-1]])
    assert words(hear(stream))[1:] == [failed, "app: tries again", failed]


def test_a_loss_is_reported_where_it_was(
    make_boot: Callable[..., list[bytes]], hear: Callable[..., LiveMoment]
) -> None:
    chunks = make_boot(7, [(0x100 * i, 8) for i in range(12)], reported=["late"])
    lost = "4 events did not arrive; live blocks are not known until the next snapshot"
    assert words(hear(*chunks[:3], *chunks[4:]))[1:] == [lost, "mark late"]
    recorded = make_boot(7, [], failed=90_000, lost=[(1, 5, 700)], reported=["late"])
    assert [text.partition(" ")[0] for text in words(hear(*recorded))[1:]] == ["a", "5", "mark"]


def test_each_failed_request_counts(make_boot: Callable[..., list[bytes]], tmp_path: Path) -> None:
    stream = tmp_path / "stream"
    stream.write_bytes(b"".join(make_boot(7, [], reported=[90_000, 90_000, "mark", 90_000])))
    result = hs.live(stream, out=None)
    assert (result.times("failed"), result.times("mark")) == (3, 1)


def test_what_a_device_tells_in_a_moment_is_bounded_and_counted() -> None:
    telling = Telling()
    telling.log(["line"] * (LOG_MAX + 5))
    for _ in range(HAPPENINGS_MAX + 3):
        telling.happened("mark", "mark x")
    reported = telling.take()
    assert (len(reported.log), reported.log_left_out) == (LOG_MAX, 5)
    assert sum(one.count for one in reported.happenings) == HAPPENINGS_MAX + 3
    assert reported.happenings[-1].text == "3 more of the kind 'mark'"
    assert telling.take() == Telling().take()
