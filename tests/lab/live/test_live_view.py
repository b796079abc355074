"""The view, driven by Textual's own pilot."""

from __future__ import annotations

import asyncio
import builtins
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import heapscope as hs
from heapscope.cli.live_view import LiveView

BLOCKS = [(0x1008 * i, 0x1000) for i in range(12)]


def text_of(app: LiveView) -> str:
    """The characters on the screen."""
    rows = app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in strip) for strip in rows)


async def until(pilot: Any, true: Callable[[], bool]) -> None:
    while not true():
        await pilot.pause(0.02)


def shown(stream: Path, *keys: str, size: tuple[int, int] = (120, 40), **options: Any) -> list[str]:
    """The screen when the input is over, and after each key."""

    def listen(show: Any, stop: Any) -> Any:
        return hs.live(stream, out=None, on_moment=show, stop=stop, **options)

    async def drive() -> list[str]:
        app = LiveView(listen)
        screens = []
        async with app.run_test(size=size) as pilot:
            await until(pilot, lambda: app.heard is not None)
            await pilot.pause()
            screens.append(text_of(app))
            for key in keys:
                await pilot.press(key)
                await pilot.pause()
                screens.append(text_of(app))
        return screens

    return asyncio.run(drive())


def test_the_view_shows_memory_owners_needs_losses_and_the_log(make_boot, tmp_path: Path) -> None:
    stream = tmp_path / "stream"
    stream.write_bytes(b"I (5) app: hello [b]\n" + b"".join(make_boot(7, BLOCKS, failed=90_000)))
    (screen,) = shown(stream, size=(220, 50), need=[20_000])
    for words in (
        "recording 1, boot 7, after power on, esp32",
        "live 49,152 B in 12 blocks; peak 49,152 B",
        "nothing is missing, 1 failed request",
        "DRAM",
        "60,400",
        "20,000 malloc no",
        "In the way of 20,000 B for malloc",
        "net  0x42001234",
        "I (5) app: hello [b]",
        "a request of 90,000 B failed: net, 0x42001234",
        "20,000 B for malloc do not fit",
    ):
        assert words in screen, (words, screen)


def test_the_intervals_add_up_to_at_most_200_ms() -> None:
    """Bytes that came are in a moment within TICK, a line without an end within as much again; the
    screen is drawn so many times a second. Nothing between them waits by the clock."""
    from textual.constants import MAX_FPS

    from heapscope.cli.verbs.listening import TICK
    from heapscope.logs.live.arrivals import QUIET

    assert QUIET <= TICK
    assert 2 * TICK + 1 / MAX_FPS <= 0.2


def test_names_of_a_device_are_text_and_no_markup(make_boot, tmp_path: Path) -> None:
    stream = tmp_path / "stream"
    stream.write_bytes(b"".join(make_boot(7, BLOCKS, task=b"[red]\x1b[2J", site=b"[/]x")))
    (screen,) = shown(stream)
    assert "[red]\\x1b[2J" in screen
    assert "[/]x" in screen


def test_a_narrow_terminal_and_keys_are_no_fault(make_boot, tmp_path: Path) -> None:
    stream = tmp_path / "stream"
    stream.write_bytes(b"".join(make_boot(7, BLOCKS)))
    assert shown(stream, "p", "p", "b", "b", size=(40, 12))


def test_a_fault_while_listening_reaches_the_caller(tmp_path: Path) -> None:
    def listen(show: Any, stop: Any) -> Any:
        return hs.live(tmp_path / "missing", out=None, on_moment=show, stop=stop)

    async def drive() -> LiveView:
        app = LiveView(listen)
        async with app.run_test() as pilot:
            await until(pilot, lambda: app.failure is not None)
        return app

    assert isinstance(asyncio.run(drive()).failure, hs.InputError)


def test_q_ends_a_stream_that_goes_on(make_boot) -> None:
    listening, stopped = threading.Event(), threading.Event()

    def listen(show: Any, stop: Any) -> Any:
        def take(moment: Any) -> None:
            listening.set()
            show(moment)

        result = hs.live("udp:0", out=None, on_moment=take, stop=stop)
        stopped.set()
        return result

    async def drive() -> Any:
        app = LiveView(listen)
        async with app.run_test() as pilot:
            await until(pilot, listening.is_set)
            await pilot.press("q")
            await until(pilot, stopped.is_set)
        return app.return_value

    assert asyncio.run(drive()).ended_by == "stop"


def test_without_textual_the_view_says_the_one_command(
    make_boot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from heapscope.cli.call import Call
    from heapscope.cli.live import _view

    real = builtins.__import__

    def refuse(name: str, *rest: Any, **more: Any) -> Any:
        if name == "heapscope.cli.live_view":
            raise ModuleNotFoundError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(hs.InputError, match="textual") as caught:
        _view(Call(hs.live, (), {}), every=1.0, lines=None)
    assert caught.value.remedy.startswith('pip install "pyserial>=3.5" "textual>=1.0"')
