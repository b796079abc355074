"""Two devices in one log: by a name that no table has, the host, the clock or the minimum."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

import heapscope as hs
from heapscope.logs.answer.log_result import LogResult

NEED = 50_000  # fits into the one and not into the other

Name = Callable[[random.Random], str]


def _word(rng: random.Random) -> str:
    return "".join(rng.choice("bdfgklmnprst") + rng.choice("aeiou") for _ in range(3)) + "k"


def _two_words(rng: random.Random) -> str:
    return f"{_word(rng)} {_word(rng)}"


def _mac(rng: random.Random) -> str:
    return ":".join(f"{rng.randrange(256):02x}" for _ in range(6))


def _address(rng: random.Random) -> str:
    return f"10.0.{rng.randrange(256)}.{rng.randrange(1, 255)}"


def _numbered(rng: random.Random) -> str:
    return f"esp-{rng.randrange(16, 256):x}{rng.randrange(100)}"


def _hex(rng: random.Random) -> str:
    return f"{rng.randrange(1 << 20):05x}f"


NAMES: list[Name] = [_word, _two_words, _mac, _address, _numbered, _hex]
FORMS = (
    "{who}: Free heap: {free}, largest block {largest}",
    "[{who}] heap free {free} min {least}",
    "{clock} {who}> I ({up}) mem: free heap {free} largest {largest}",
    "{who} | I ({up}) stats: Free heap: {free}",
    '{{"host":"{who}","free_heap":{free},"largest":{largest}}}',
    '{{"uptime":{up},"free_heap":{free},"name":"{who}"}}',
    'home/{who}/status {{"freeHeap":{free}}}',
    'heap_free_bytes{{instance="{who}"}} {free}',
    "2026-01-02 {clock} {who} Free heap: {free} bytes, largest block: {largest}",
    "up {up} {who} free heap {free}",
    "I ({up}) {who}: free heap={free}",
    "{who}| Free heap: {free}\n{who}| Largest block: {largest}",
    "{clock} {who} Heap summary for capabilities 0x00001800:\n"
    "{who}   Totals:\n{who}     free {free} allocated 5000 min_free {least} "
    "largest_free_block {largest}",
)


def log_of(form: str, names: tuple[str, str], rng: random.Random, lines: int = 6) -> str:
    """The names take turns; each has a clock and figures of its own."""
    free, up = [180_000, 40_000], [rng.randrange(10**6), rng.randrange(10**7, 10**8)]
    least, out = list(free), []
    for turn in range(lines):
        for index in (0, 1):
            free[index] += rng.randrange(-300, 300)
            up[index] += 10_000
            least[index] = min(least[index], free[index])
            out.append(
                form.format(
                    who=names[index],
                    free=free[index],
                    largest=free[index] // 2,
                    least=least[index],
                    up=up[index],
                    clock=f"10:{turn:02d}:0{index}",
                )
            )
    return "\n".join(out) + "\n"


def result_of(tmp_path: Path, text: str) -> LogResult:
    path = tmp_path / "device.log"
    path.write_text(text, encoding="utf-8")
    return hs.log(path, need=[NEED])


def assert_mixed(result: LogResult) -> None:
    answer = result.answer
    assert result.needs[0].fits is None
    assert (answer.free, answer.largest, answer.min, answer.series_free) == (None,) * 4
    verdict = " ".join(result.verdict)
    assert "each is answered by itself" in verdict or "give the lines of one" in verdict
    assert result.trends == ()


@pytest.mark.parametrize("name", NAMES, ids=lambda one: one.__name__)
@pytest.mark.parametrize("form", FORMS)
def test_lines_that_differ_in_a_name_are_those_of_two_devices(
    form: str, name: Name, tmp_path: Path, seed: int
) -> None:
    rng = random.Random(f"{seed} {form} {name.__name__}")
    names = name(rng), name(rng)
    result = result_of(tmp_path, log_of(form, names, rng))
    assert_mixed(result)
    assert all(one in " ".join(result.verdict) for one in names), names


@pytest.mark.parametrize("form", ["Jan  7 {clock} {who} app[7]: free heap {free} bytes",
                                  "<13>Jan 17 {clock} {who} app: heap free {free}"])  # fmt: skip
def test_the_hosts_of_a_system_log_are_devices(form: str, tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    assert_mixed(result_of(tmp_path, log_of(form, (_word(rng), _word(rng)), rng)))


@pytest.mark.parametrize("form", ["uptime={up} heap free={free}", "heap free {free} min {least}",
                                  "I ({up}) app: free heap {free}",
                                  "-- heap --\nFree heap: {free}\nMin free: {least}"])  # fmt: skip
def test_lines_without_a_name_are_those_of_two_devices(
    form: str, tmp_path: Path, seed: int
) -> None:
    result = result_of(tmp_path, log_of(form, ("", ""), random.Random(seed)))
    assert_mixed(result)


def test_two_topics_of_tasmota_are_two_devices(tmp_path: Path) -> None:
    lines = (
        f'tele/{who}/STATE = {{"UptimeSec":{n},"Heap":{heap + n},"SleepMode":"Dynamic"}}'
        for n in range(3)
        for who, heap in (("shed", 24), ("porch", 140))
    )
    result = result_of(tmp_path, "\n".join(lines) + "\n")
    assert result.answer.free_kb is None
    assert "shed and porch" in " ".join(result.verdict)


@pytest.mark.parametrize(
    "lines",
    [
        [f"{w}: free heap {180_000 - 100_000 * (w == 'drawChart') + n}"
         for n in range(8) for w in ("fetchWeather", "drawChart")],
        [f"{w}: free heap {180_000 - 100_000 * (w == 'after') + n}"
         for n in range(8) for w in ("before", "after")],
        [f"free heap {w} request: {180_000 - 100_000 * (w == 'after') + n}"
         for n in range(8) for w in ("before", "after")],
        [f"I ({10 * n}) wifi: heap free={180_000 + n}\nI ({10 * n + 5}) tls: heap free={90_000 + n}"
         for n in range(8)],
        [f"step {k}: free heap {180_000 - 60_000 * k + n}" for n in range(8) for k in (0, 1)],
        [f"uptime={n} heap free={180_000 - 900 * (n % 3)} min={90_000 - n}" for n in range(12)],
        [f"[{n}] clients={n % 2} free heap {180_000 - 30_000 * (n % 2)}" for n in range(12)],
        [f"client 10.0.0.{n % 2} came, free heap {180_000 - n * 100}" for n in range(12)],
        [f"heap free={180_000 + n} min={170_000 - n % 4 * 1000}\nrst:0x1 (POWERON)\n"
         for n in range(12)],
        [f"I ({100 + n}) app: heap free={180_000 + n}\nI ({5000 - n}) app: heap free={90_000 + n}"
         for n in range(6)],
        [f"heap free={180_000 + n} ({4 * (n % 2):+} since last), min {90_000 - n}"
         for n in range(12)],
    ],
    ids=["functions", "moments in front", "moments", "components", "steps", "one clock", "a state",
         "clients", "restarts", "restarts unseen", "differences"],
)  # fmt: skip
def test_what_one_device_prints_is_that_of_one(lines: list[str], tmp_path: Path) -> None:
    result = result_of(tmp_path, "\n".join(lines) + "\n")
    assert result.answer.free is not None
    assert "devices" not in " ".join(result.verdict)


def test_each_device_of_a_mixed_log_has_a_verdict(tmp_path: Path) -> None:
    """Three of them: the kitchen leaks."""
    draw, lines = random.Random(3), []
    for hour in range(60):
        for at, name in enumerate(("kitchen", "garage", "cellar")):
            free = 90_000 - 20_000 * at - draw.randrange(900) - (1000 * hour if not at else 0)
            lines.append(
                f"2026-03-{1 + hour // 24:02} {hour % 24:02}:00:0{at} {name} Free heap: {free} "
                f"bytes, largest block: {free - 9000}\n"
            )
    result = result_of(tmp_path, "".join(lines))
    rows = {row.device: row for row in result.devices}
    assert set(rows) == {"kitchen", "garage", "cellar"}
    assert [rows[name].points for name in rows] == [60, 60, 60]
    assert rows["kitchen"].verdict == "leak"
    assert rows["kitchen"].needs[0].fits is False
    assert {rows["garage"].verdict, rows["cellar"].verdict} <= {"nothing", "cache"}
    assert rows["garage"].needs[0].fits
    assert "kitchen: 50,000 B no longer fit. Free memory loses" in " ".join(result.verdict)
