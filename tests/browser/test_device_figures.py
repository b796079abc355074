"""The figures of a device that the page hears are those of the desk after each chunk."""

from __future__ import annotations

import base64
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.lab.live.conftest import make_boot as _make_boot

sys.path.append(str(Path(__file__).resolve().parent))

from heard_device import BLOCKS, Device, Open, plugged_in

from heapscope.base.request import Request
from heapscope.logs.live.hearing import Hearing
from heapscope.logs.live.model import LiveModel
from heapscope.logs.live.watched import WatchedRequest
from heapscope.memory.layout.pool import pool_layout

make_boot = _make_boot  # the streams of the tests of `heapscope live`
MEMORY = ("size", "by", "free", "largest", "minimum", "said", "live", "blocks", "room")


@pytest.fixture
def device(see: Open, empty: Path) -> Callable[..., Device]:
    return plugged_in(see, empty)


HEAR = """(text) => HS
  .ask("hear", { pieces: [Uint8Array.from(atob(text), (one) => one.charCodeAt(0))], moment: true })
  .then(({ moment }) => moment)"""


@pytest.mark.slow
def test_the_recording_is_replayed_as_it_comes(
    device: Callable[..., Device], make_boot: Any
) -> None:
    stream = b"".join(make_boot(7, BLOCKS, freed=[0x300]))
    plugged = device()
    memory = "by a replay on one pool of 65,536 bytes, idf-5.5"
    plugged.page.select_option("[data-device] [name=replayed]", label=memory)
    plugged.connect()
    plugged.send(stream)
    plugged.until(len(stream))
    with Hearing("here", model=LiveModel(pool_layout(65536))) as hearing:
        hearing.take(stream)
        (row,) = hearing.moment().memory
    (memory,) = plugged.moment()["memory"]
    assert [memory[name] for name in MEMORY] == [getattr(row, name) for name in MEMORY]
    assert memory["by"] == "replay"
    plugged.ends()


@pytest.mark.slow
def test_growth_and_rates_are_those_of_the_desk(
    device: Callable[..., Device], make_boot: Any
) -> None:
    """After each chunk, by the clock of the recording, which runs for longer than the window."""
    blocks = [(0x20 * i, 0x10 + i % 7) for i in range(1, 900)]
    stream = make_boot(7, blocks, per_chunk=23, freed=[0x40, 0x60])
    plugged = device()
    plugged.page.evaluate("() => HS.ask('listen')")
    figures = ("time", "rate", "churn", "window", "growth")
    with Hearing("here") as hearing:
        for chunk in stream:
            got = plugged.page.evaluate(HEAR, base64.b64encode(chunk).decode("ascii"))
            hearing.take(chunk)
            wanted = hearing.moment()
            if wanted.time:
                assert [got[name] for name in figures] == [
                    getattr(wanted, name) for name in figures
                ]
                assert [one["growth"] for one in got["owners"]] == [
                    one.growth for one in wanted.owners
                ]
        assert wanted.window is not None
        assert wanted.window > 50


@pytest.mark.slow
@pytest.mark.parametrize("replayed", [False, True])
@pytest.mark.parametrize("size", [9000, 20_000, 59_000])
def test_a_need_is_answered_as_on_the_desk(
    device: Callable[..., Device], make_boot: Any, size: int, *, replayed: bool
) -> None:
    """After each chunk: does it fit, who says so, how often it stopped, and who is in the way."""
    blocks = [(0x400 * i, 0x80 + i) for i in range(1, 60)]
    stream = [
        *make_boot(7, blocks, freed=[0x400 * i for i in range(1, 50)]),
        *make_boot(8, blocks[:9], lost=((1, 3, 300),)),
    ]
    plugged = device()
    ask = "([need, replayed]) => HS.ask('listen', { need, memory: replayed ? POOL : null })"
    pool = "HS.memories.find((one) => one.name === 'one pool of 65,536 bytes, idf-5.5')"
    plugged.page.evaluate(ask.replace("POOL", pool), [size, replayed])
    model = LiveModel(pool_layout(65536)) if replayed else None
    with Hearing("here", needs=[WatchedRequest(request=Request(size))], model=model) as hearing:
        for chunk in stream:
            got = plugged.page.evaluate(HEAR, base64.b64encode(chunk).decode("ascii"))
            hearing.take(chunk)
            wanted = hearing.moment()
            (need,) = wanted.needs
            if wanted.events:
                names = ("size", "fits", "by", "largest", "stopped")
                assert [got["needs"][0][name] for name in names] == [
                    getattr(need, name) for name in names
                ]
                rows = [
                    (one["task"], one["live"], one["blocks"])
                    for one in got["needs"][0]["in_the_way"]
                ]
                assert rows == [(one.task, one.live, one.blocks) for one in need.in_the_way]
            assert [one["text"] for one in got["happenings"] if one["kind"] == "need"] == [
                one.text for one in wanted.happenings if one.kind == "need"
            ]


HEAR_ALL = """(text) => HS
  .ask("hear", { pieces: [Uint8Array.from(atob(text), (one) => one.charCodeAt(0))] })
  .then(() => HS.ask("heardall"))"""


@pytest.mark.slow
def test_a_recording_above_the_limit_keeps_its_beginning_and_the_last_boot_wins(
    device: Callable[..., Device], make_boot: Any
) -> None:
    first, second = make_boot(7, BLOCKS), make_boot(8, BLOCKS)
    size = len(b"".join(first))
    plugged = device()
    ask = "([what, job]) => HS.ask(what, job)"
    for most, streamed in ((len(first[0]) + 10, first), (size + 40, (*first, *second))):
        plugged.page.evaluate(ask, ["listen", {"most": most}])
        text = base64.b64encode(b"".join(streamed)).decode("ascii")
        rows = plugged.page.evaluate(HEAR_ALL, text)["moment"]["recordings"]
        got = plugged.page.evaluate(
            "(index) => HS.ask('recording', { index }).then(({ bytes }) => [...bytes])",
            len(rows) - 1,
        )
        if len(rows) == 3:
            assert [row["dropped"] for row in rows] == [True, True, False]
            assert rows[2]["left_out"] == 0
            assert bytes(got) == b"".join(second)
        else:
            assert bytes(got) == first[0]
            assert rows[0]["left_out"] == size - len(first[0])
