"""Series of figures: the clocks of their lines, restarts, and what only looks like a series."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import heapscope as hs
from heapscope.logs.answer.log_result import LogResult
from heapscope.logs.heaps.request_fit import RequestFit

Logged = Callable[[str], LogResult]
COUNT, STEP = 120, 600  # lines, seconds between two
LOST = 4  # bytes a second, in a leak
NEED = 16_717
LEFT = (90_000 - NEED) / LOST - (COUNT - 1) * STEP  # seconds
WRAP = 1 << 32


@pytest.fixture
def logged(tmp_path: Path) -> Logged:
    def of(text: str) -> LogResult:
        path = tmp_path / "device.log"
        path.write_text(text, encoding="utf-8")
        return hs.log(path, need=[str(NEED)])

    return of


def leak(count: int = COUNT, *, start: int = 30) -> Iterator[tuple[int, int, int]]:
    """Seconds since the start, bytes that are free, and the largest block."""
    rng = np.random.default_rng(1)
    for at in range(count):
        free = 90_000 - LOST * STEP * at // 4 - int(rng.integers(0, 500))
        yield start + STEP * at // 4, free, free - 200


def date(seconds: int) -> str:
    day, rest = divmod(seconds, 86_400)
    return f"2026-03-{2 + day:02}T{rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}"


FORMS: dict[str, tuple[str, Callable[[int, int, int], str]]] = {
    "ESP-IDF": ("", lambda t, f, b: f"I ({1000 * t}) app: free heap {f}, largest block {b}"),
    "JSON": ("", lambda t, f, b: f'{{"uptime":{t},"freemem":{f},"maxBlock":{b},"rssi":-60}}'),
    "nested": ("", lambda t, f, b: f'{{"t": {t}, "internal": {{"free": {f}, "largest": {b}}}}}'),
    "keys in ms": ("", lambda t, f, b: f"up_ms={1000 * t} free_heap={f} largest_block={b}"),
    "CSV": ("uptime_s,free_heap,largest_block", lambda t, f, b: f"{t},{f},{b}"),
    "CSV of dates": ("time,free_heap,largest_block", lambda t, f, b: f"{date(t)},{f},{b}"),
    "Markdown": ("| uptime | free | largest |", lambda t, f, b: f"| {t} s | {f} | {b} |"),
    "Prometheus": (
        "",
        lambda t, f, b: (
            f"heap_free_bytes {f} {1772431230000 + 1000 * t}\n"
            f"heap_largest_block_bytes {b} {1772431230000 + 1000 * t}"
        ),
    ),
    "Home Assistant": (
        "entity_id,state,last_changed",
        lambda t, f, b: f"sensor.heap_free,{f},{date(t)}Z\nsensor.heap_max_block,{b},{date(t)}Z",
    ),
    "Meshtastic": (
        "",
        lambda t, f, b: (
            f"INFO  | {date(t)[11:]} {t} [Power] Heap: {f}/163840 bytes free, largest block {b}"
        ),
    ),
    "ESPEasy": ("", lambda t, f, b: f"{1000 * t} : WD   : Uptime {t // 60} FreeMem {f}"),
    "Tasmota": ("", lambda t, f, b: f'{{"UptimeSec":{t},"Heap":{f / 1024:.1f},"LoadAvg":19}}'),
    "Tasmota in KB": (
        "",
        lambda t, f, b: f'{{"UptimeSec":{t},"Heap":{f // 1024},"SleepMode":"Dynamic","LoadAvg":1}}',
    ),
    "a monitor's clock": (
        "",
        lambda t, f, b: f"[{date(t)[11:]}] free heap {f}, largest block {b}",
    ),
}


def need_of(result: LogResult) -> RequestFit:
    (row,) = result.needs
    return row


@pytest.mark.parametrize("form", FORMS)
def test_each_form_tells_the_speed_and_the_date(logged: Logged, form: str) -> None:
    head, line = FORMS[form]
    result = logged("\n".join([head, *(line(*one) for one in leak())]) + "\n")
    row = result.trends[0]
    assert row.verdict == "leak"
    assert row.per_second is not None
    assert row.per_second.value == pytest.approx(LOST, rel=0.05)
    if form == "Tasmota in KB":
        return  # a request cannot be compared with that
    until = need_of(result).until
    assert until is not None
    left = (90_000 - NEED) / LOST - (COUNT - 1) * STEP / 4
    assert until.low < left < until.high
    assert until.value == pytest.approx(left, rel=0.2)
    assert "stop fitting in" in result.verdict[0]


def test_without_a_time_the_date_is_in_lines(logged: Logged) -> None:
    result = logged("".join(f"free heap: {free}\n" for _, free, _ in leak()))
    assert need_of(result).until is None
    lines = need_of(result).until_lines
    assert lines is not None
    assert lines.value == pytest.approx((90_000 - NEED) / 600 - COUNT, abs=2)
    assert "lines" in result.verdict[0]


def test_milliseconds_that_begin_anew_are_no_start(logged: Logged) -> None:
    """After 49.7 days, in a key of a line."""
    text = "".join(
        f'{{"millis": {(WRAP - 5_000_000 + 1000 * t) % WRAP}, "free_heap": {f}}}\n'
        for t, f, _ in leak()
    )
    row = logged(text).trends[0]
    assert (row.points, row.verdict) == (COUNT, "leak")
    assert row.seconds == (COUNT - 1) * STEP // 4


def test_an_uptime_that_begins_anew_is_a_start(logged: Logged) -> None:
    text = "".join(f'{{"uptime": {t}, "free_heap": {f}}}\n' for t, f, _ in [*leak(), *leak(40)])
    row = logged(text).trends[0]
    assert row.points == 40
    assert row.seconds == 39 * STEP // 4


@pytest.mark.parametrize("jump", [-86_400 * 30, 86_400 * 365 * 20])
def test_a_clock_that_is_set_does_not_move_the_date(logged: Logged, jump: int) -> None:
    at = 1_772_431_230
    lines = [
        f"heap_free_bytes {f} {1000 * (at + t + (jump if t > 9000 else 0))}" for t, f, _ in leak()
    ]
    row = logged("\n".join(lines) + "\n").trends[0]
    assert row.seconds == pytest.approx((COUNT - 1) * STEP / 4, rel=0.05)
    assert row.verdict == "leak"


def test_a_failure_ends_a_lifetime(logged: Logged) -> None:
    """Two starts ended with a failure of that very request, after as long."""
    start = [f"I ({1000 * t}) app: free heap {f}, largest block {b}" for t, f, b in leak(122)]
    failed = (
        "E (18200000) app: heap_caps_malloc was called but failed to allocate 16717 bytes with "
        "0x1800 capabilities."
    )
    reset = "rst:0xc (SW_CPU_RESET),boot:0x13 (SPI_FAST_FLASH_BOOT)"
    one = "\n".join([reset, *start, failed])
    result = logged("\n".join([one, one, reset, *start[:60]]) + "\n")
    until = need_of(result).until
    assert until is not None
    assert until.value == pytest.approx(62 * STEP / 4, rel=0.02)


@pytest.mark.parametrize("count", [1, 2, 8])
def test_a_few_samples_have_no_verdict(logged: Logged, count: int) -> None:
    assert logged("".join(f"free heap: {free}\n" for _, free, _ in leak(count))).trends == ()


def test_lines_that_come_twice_change_nothing(logged: Logged) -> None:
    lines = [f'{{"uptime": {t}, "free_heap": {f}}}\n' for t, f, _ in leak()]
    once, twice = logged("".join(lines)), logged("".join(line * 2 for line in lines))
    assert once.trends[0].verdict == twice.trends[0].verdict == "leak"
    assert once.trends[0].seconds == twice.trends[0].seconds


def test_units_that_change_are_those_of_each_line(logged: Logged) -> None:
    lines = [
        f"t={t} free heap: {f} bytes" if at % 2 else f"t={t} free heap: {f / 1024:.2f} KB"
        for at, (t, f, _) in enumerate(leak())
    ]
    assert logged("\n".join(lines) + "\n").trends[0].verdict == "leak"


def test_a_unit_that_changes_without_a_word_is_kept(logged: Logged) -> None:
    """The same sizes in KB, which would else be a heap of 87 B."""
    sizes = [90_000 + at % 7 * 100 for at in range(COUNT)]
    lines = [
        f"I ({600_000 * at}) app: free heap {size if at < COUNT // 2 else size // 1024}"
        for at, size in enumerate(sizes)
    ]
    result = logged("\n".join(lines) + "\n")
    assert result.answer.free == sizes[-1] // 1024 * 1024
    assert result.trends[0].verdict == "nothing"
    assert f"from line {COUNT // 2 + 1} on, sizes without a unit count KB" in result.assumed


def test_two_devices_have_no_series(logged: Logged) -> None:
    text = "".join(
        f"{date(t)} {name} free heap: {free - (0 if name == 'porch' else 40_000)}\n"
        for t, free, _ in leak()
        for name in ("porch", "shed")
    )
    assert logged(text).trends == ()


def test_a_heading_of_words_names_the_numbers_below_it(logged: Logged) -> None:
    text = "".join(f"Free Heap bytes\n  {free}\n" for _, free, _ in leak())
    assert logged(text).trends[0].points == COUNT


@pytest.mark.slow
def test_a_hundred_thousand_starts(logged: Logged) -> None:
    text = "".join(
        f"rst:0xc (SW_CPU_RESET)\nI (300) a: free heap {9000 + n}\n" for n in range(10**5)
    )
    assert logged(text).trends == ()


@pytest.mark.parametrize(
    ("texts", "name"),
    [
        (["loop heap size: 27336", "loop heap size: 27088", "loop heap size: 26592"], "free"),
        (["heap size: 327336", "heap size: 327332", "heap size: 327328"], "total"),  # headers
        (["heap size: 27336", "heap size: 27336", "heap size: 26592"], "total"),
        (["heap size: 9000, used: 10", "heap size: 8000, used: 9", "heap size: 7000"], "total"),
    ],
)
def test_a_size_that_goes_up_and_down_is_what_is_free(
    logged: Logged, texts: list[str], name: str
) -> None:
    result = logged("".join(f"{text}\nsent\n" for text in texts))
    names = {row.name for row in result.figures}
    assert name in names
    assert len(names & {"free", "total"}) == 1
