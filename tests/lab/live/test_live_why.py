"""The changes that `why` tries, beside the listening."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import heapscope as hs
from heapscope.base.request import Request
from heapscope.cli.app import app
from heapscope.forecast.predict.memory_choice import choose_memory
from heapscope.logs.live import watched
from heapscope.logs.live.hearing import Hearing
from heapscope.logs.live.latest_chunks import LatestChunks
from heapscope.logs.live.model import LiveModel
from heapscope.logs.live.moment import LiveMoment
from heapscope.logs.live.reasons import Reasons
from heapscope.logs.live.watched import WatchedRequest

MakeBoot = Callable[..., list[bytes]]

#: Blocks of 4,096 bytes, one behind the other, with 8 bytes between two.
ROW = [(0x1008 * i, 0x1000) for i in range(12)]
NEED = 20_000
MEMORY: dict[str, Any] = {"pool": "64KB", "allocator": "idf-5.5"}
OPTIONS = ("--pool", "64KB", "--allocator", "idf-5.5", "--need", str(NEED))


def test_its_answer_is_that_of_why_for_the_recording(make_boot: MakeBoot, tmp_path: Path) -> None:
    stream = tmp_path / "stream"
    stream.write_bytes(b"".join(make_boot(7, ROW, snapshots=b"0")))
    whole = tmp_path / "whole.hst"
    trace = make_boot(7, ROW, snapshots=b"0", ended=True)
    whole.write_bytes(b"".join(trace))
    (need,) = hs.live(stream, out=None, need=[NEED], **MEMORY).needs
    expected = hs.why(whole, need=[NEED], **MEMORY).needs[0].worst
    assert need.why is not None
    assert need.why_not == ""
    assert need.why.sentences == expected.case.sentences
    assert (need.why.tried, need.why.since) == (expected.tried, "boot")
    assert need.why.changes == expected.changes[: len(need.why.changes)] != ()
    assert expected.case.hole is not None
    assert need.why.holders == expected.case.hole.holders != ()


def test_after_a_loss_it_is_queried_on_the_last_snapshot(
    make_boot: MakeBoot, tmp_path: Path
) -> None:
    chunks = make_boot(7, ROW, again=ROW, snapshots=b"0", reported=[90_000])
    stream = tmp_path / "stream"
    stream.write_bytes(b"".join([*chunks[:2], *chunks[3:]]))
    (need,) = hs.live(stream, out=None, need=[NEED], **MEMORY).needs
    assert need.why is not None, need.why_not
    assert (need.why.since, need.why.tried > 0) == ("snapshot", True)


def test_lines_tables_and_json_have_it(
    make_boot: MakeBoot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("stream").write_bytes(b"".join(make_boot(7, ROW, snapshots=b"0")))
    done = CliRunner().invoke(app, ["live", "stream", "--no-files", *OPTIONS])
    assert done.exit_code == 1
    assert "The first thing to try, with which it always fits" in " ".join(done.stdout.split())
    assert "but for" in " ".join(done.stdout.split())
    assert "With these it would always have fitted: 20,000 B for malloc" in done.stdout
    done = CliRunner().invoke(app, ["live", "stream", "--no-files", *OPTIONS, "--json", "-"])
    answer = json.loads(done.stdout.splitlines()[-1])
    assert answer["needs"][0]["why"]["changes"][0]["outcome"]["served"] is True


def test_without_a_memory_it_says_how_to_get_an_answer(make_boot: MakeBoot, tmp_path: Path) -> None:
    stream = tmp_path / "stream"
    stream.write_bytes(b"".join(make_boot(7, ROW)))
    (need,) = hs.live(stream, out=None, need=[NEED]).needs
    assert (need.why, need.in_the_way != ()) == (None, True)
    assert "--chip" in need.why_not


def test_listening_goes_on_while_it_is_queried(make_boot: MakeBoot, tmp_path: Path) -> None:
    """The question waits until the last event was heard."""
    heard = threading.Event()
    need = WatchedRequest(request=Request(NEED))

    def ask(trace: Path, request: Request, tried: Callable[[], None]) -> Any:
        assert heard.wait(60)
        return hs.why(trace, need=[request.size], progress=lambda _: tried(), **MEMORY)

    with Reasons(ask) as reasons:
        reasons.ask(0, need, b"".join(make_boot(7, ROW, snapshots=b"0", ended=True)), whole=True)
        assert list(reasons.answers()) == []
        heard.set()
        reasons.wait(lambda: False)
        (reason,) = reasons.answers()
    assert reason.line is not None


def test_an_answer_that_takes_too_long_or_cannot_be_had_says_so(make_boot: MakeBoot) -> None:
    need = WatchedRequest(request=Request(NEED))
    chunks = b"".join(make_boot(7, ROW, snapshots=b"0", ended=True))

    def ask(trace: Path, request: Request, tried: Callable[[], None]) -> Any:
        return hs.why(trace, need=[request.size], progress=lambda _: tried(), **MEMORY)

    for budget, requested_on, why_not in (
        (0.0, chunks, "no answer came within 0 s"),
        (60.0, b"no trace", "the recording"),
    ):
        with Reasons(ask, budget=budget) as reasons:
            reasons.ask(0, need, requested_on, whole=True)
            reasons.wait(lambda: False)
            (reason,) = reasons.answers()
        assert reason.line is None
        assert reason.why_not.startswith(why_not)


def test_what_could_not_be_answered_is_queried_again_when_more_was_heard(
    make_boot: MakeBoot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watched, "AGAIN", 1)
    requested: list[int] = []

    def ask(trace: Path, need: Request, tried: Callable[[], None]) -> Any:
        requested.append(trace.stat().st_size)
        if len(requested) == 1:
            raise hs.InputError("not yet", remedy="wait")
        return hs.why(trace, need=[need.size], progress=lambda _: tried(), **MEMORY)

    need = WatchedRequest(request=Request(NEED))
    layout = choose_memory(MEMORY, None).layout
    with Reasons(ask) as reasons:
        model = LiveModel(layout)
        with Hearing("here", needs=[need], model=model, reasons=reasons) as hearing:
            for chunk in make_boot(7, ROW, snapshots=b"0", per_chunk=6, reported=[90_000, 80_000]):
                hearing.take(chunk)
                reasons.wait(lambda: False)
                hearing.take_reasons()
    assert len(requested) == 2
    assert need.why is not None


def test_the_last_chunks_are_bounded_and_begin_at_a_snapshot() -> None:
    latest = LatestChunks(most=10)
    latest.add(b"0123456789", snapshot=0, begun=0)
    assert latest.all() == b"0123456789"
    assert latest.since_snapshot() is None
    latest.add(b"abcdef", snapshot=0, begun=12)
    assert (latest.all(), latest.since_snapshot()) == (None, None)
    latest.add(b"gh", snapshot=12, begun=12)
    assert latest.since_snapshot() == b"cdefgh"
    latest.add(b"ijklmnop", snapshot=12, begun=12)
    assert latest.since_snapshot() is None


def test_a_moment_tells_that_it_is_being_queried(
    make_boot: MakeBoot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer waits until that was reported."""
    moments: list[LiveMoment] = []
    event = threading.Event()
    verb = import_module("heapscope.cli.verbs.listening")
    answered = verb.why_on(MEMORY)

    def ask(*requested: Any) -> Any:
        assert event.wait(60)
        return answered(*requested)

    def take(moment: LiveMoment) -> None:
        moments.append(moment)
        if moment.needs[0].why_not == "it is being asked":
            event.set()

    monkeypatch.setattr(verb, "why_on", lambda _: ask)
    stream = tmp_path / "stream"
    stream.write_bytes(b"".join(make_boot(7, ROW, snapshots=b"0")))
    hs.live(stream, out=None, need=[NEED], on_moment=take, **MEMORY)
    assert event.is_set()
    assert [one.kind for one in moments[-1].happenings].count("why") >= 1
