"""Leaks are found, and what only looks like one is not called so, in traces made for it."""

from __future__ import annotations

import heapq
import math
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from heapscope.answers.leaks.find import HolderRow, Leaks, find_leaks
from heapscope.answers.leaks.interval import interval
from heapscope.capture.line_forms import import_text
from heapscope.trace.info import read_info

NEVER = float("inf")
Block = tuple[float, float, str]  # born, freed, task


def lines_of(blocks: list[Block], *, size: int = 32) -> Iterator[str]:
    """Each block's two events in the order of their times, up to the time 1, with a clock."""
    ends: list[tuple[float, int]] = []
    task = ""
    yield "% clock_hz 1000"
    for number, (born, until, owner) in enumerate(sorted(blocks)):
        while ends and ends[0][0] <= born:
            freed, ended = heapq.heappop(ends)
            yield f"[{freed * 1e6:.0f}] f {ended}"
        if owner != task:
            task = owner
            yield f"t {task}"
        yield f"[{born * 1e6:.0f}] a {number} {size}"
        if until <= 1:
            heapq.heappush(ends, (until, number))
    for freed, number in sorted(ends):
        yield f"[{freed * 1e6:.0f}] f {number}"


def matches(tmp_path: Path, lines: Iterator[str] | list[str], *, free: int | None = None) -> Leaks:
    text, trace = tmp_path / "t.txt", tmp_path / "t.hst"
    text.write_text("\n".join(lines) + "\n", encoding="utf-8")
    import_text(text, trace)
    return find_leaks(trace, interval(read_info(trace), start=None, end=None), free=free)


def verdicts(leaks: Leaks) -> dict[str, str]:
    return {row.task: row.verdict for row in leaks.holders}


def around(chance: random.Random, task: str, *, level: int, life: float) -> list[Block]:
    """Births and deaths around a level, from a full start."""
    births = [0.0] * level
    while births[-1] < 1:
        births.append(births[-1] + chance.expovariate(level / life))
    return [(born, born + chance.expovariate(1 / life), task) for born in births[:-1]]


def rounds(task: str, number: int, *, every: int) -> list[Block]:
    """One block a round; every so many rounds it is never freed."""
    return [
        (n / number, NEVER if n % every == every // 2 else (n + 0.5) / number, task)
        for n in range(number)
    ]


def row_of(leaks: Leaks, task: str) -> HolderRow:
    return next(row for row in leaks.holders if row.task == task)


@pytest.mark.parametrize("seed", [1, 2])
def test_a_hundred_tasks_around_a_level_do_not_leak(tmp_path: Path, seed: int) -> None:
    """16 to 26 of them once grew, some "100 % sure"."""
    chance = random.Random(seed)
    blocks = [
        block for task in range(100) for block in around(chance, f"t{task}", level=40, life=0.08)
    ]
    assert "leak" not in verdicts(matches(tmp_path, lines_of(blocks))).values()


def test_growth_that_stopped_is_a_plateau_and_does_not_hide_the_leak(tmp_path: Path) -> None:
    """The table that was filled in the first half once headed the list as growing, 100 % sure."""
    table: list[Block] = [(n / 2000, NEVER, "table") for n in range(1000)]
    leaks = matches(tmp_path, lines_of([*table, *rounds("app", 5000, every=100)]))
    assert verdicts(leaks) == {"app": "leak", "table": "plateau"}
    assert leaks.holders[0].task == "app"
    row = row_of(leaks, "app")
    assert (row.blocks, row.allocated, row.axis) == (50, 5000, "its own allocations")


def test_each_kind_has_its_word(tmp_path: Path) -> None:
    chance = random.Random(7)
    ramp: list[Block] = [(n / 1000, NEVER, "ramp") for n in range(60)]
    waves: list[Block] = [
        (born, (int(born * 8) + 1) / 8 + 1e-6, "waves")
        for born in (chance.random() for _ in range(2000))
    ]
    late: list[Block] = [(0.8 + n / 100, NEVER, "late") for n in range(10)]
    pure: list[Block] = [((n + 0.5) / 100, NEVER, "pure") for n in range(100)]
    boot: list[Block] = [(n / 10000, NEVER, "boot") for n in range(100)]
    fills: list[Block] = [(-1.2 * math.log(1 - n / 707), NEVER, "fills") for n in range(400)]
    waves.append((0.9999, NEVER, "waves"))
    blocks = [*ramp, *waves, *late, *pure, *boot, *fills]
    found = matches(tmp_path, lines_of(blocks))
    reported = verdicts(found)
    assert reported["ramp"] == "plateau"
    assert reported["waves"] == "cache"
    assert reported["late"] == "unknown"
    assert reported["pure"] == "leak"
    assert reported["boot"] == "start-up"
    assert reported["fills"] == "filling"
    assert (row_of(found, "fills").bound or 0) > row_of(found, "fills").bytes


def test_the_rate_is_that_of_the_program_and_the_end_follows_from_it(tmp_path: Path) -> None:
    """5,000 rounds, one block of 32 bytes lost in 50; a mark each 100 rounds."""
    lines: list[str] = []
    for number in range(5000):
        if number % 100 == 0:
            lines.append("! lap")
        lines.append(f"a {number} 32")
        if number % 50 != 25:
            lines.append(f"f {number}")
    leaks = matches(tmp_path, lines, free=10_000)
    (row,) = leaks.holders
    assert (row.verdict, leaks.round) == ("leak", "lap")
    assert row.rate is not None
    truth = 100 * 32 / leaks.last_event
    for band, value in (
        (row.rate.bytes_per_1000_events, 1000 * truth),
        (row.rate.blocks_per_1000_events, 1000 * truth / 32),
        (row.rate.bytes_per_round, 64),
        (row.rate.events_to_death, 10_000 / truth),
    ):
        assert band is not None
        assert band.low < value < band.high
        assert band.value == pytest.approx(value, rel=0.05)
    assert row.rate.bytes_per_second is None


def test_a_trace_with_lost_events_shows_no_leak(tmp_path: Path) -> None:
    """A block whose free was lost looks leaked."""
    trace = tmp_path / "t.hst"
    matches(tmp_path, lines_of(rounds("app", 60_000, every=50)))
    damaged = bytearray(trace.read_bytes())
    damaged[-len(damaged) // 8] ^= 0xFF
    trace.write_bytes(damaged)
    leaks = find_leaks(trace, interval(read_info(trace), start=None, end=None))
    assert leaks.messages
    assert set(verdicts(leaks).values()) == {"unknown"}


def test_where_every_event_is_growth_it_has_no_clock(tmp_path: Path) -> None:
    """A table that fills slower and slower, alone in its trace, was steady growth by its events."""
    assert verdicts(matches(tmp_path, [f"a {number} 8" for number in range(500)])) == {
        "main": "unknown"
    }


def test_the_schedule_decides_no_verdict(tmp_path: Path) -> None:
    """Six of seven recordings of one program did not call its leak one: the axis was everybody's
    events, of which another thread made half, at another time in each."""
    chance = random.Random(3)
    threads = {
        "leaks": [
            (n / 1800, NEVER if n % 5 == 2 else (n + 0.5) / 1800, "leaks") for n in range(1800)
        ],
        "works": [(n / 9000, (n + 0.5) / 9000, "works") for n in range(9000)],
        "cache": around(chance, "cache", level=40, life=0.05),
    }
    seen = []
    for _ in range(5):
        begins = {name: chance.uniform(0, 0.8) for name in threads}
        blocks = [
            (begins[name] + born * 0.2, begins[name] + until * 0.2, name)
            for name, own in threads.items()
            for born, until, _ in own
        ]
        lines = (line.partition("] ")[2] or line for line in lines_of(blocks) if line[0] != "%")
        seen.append(verdicts(matches(tmp_path, lines)))
    assert [one["leaks"] for one in seen] == ["leak"] * 5
    assert "leak" not in {one.get("cache") for one in seen}


def test_a_task_that_is_done_while_another_goes_on_leaks_as_it_did(tmp_path: Path) -> None:
    """A clock counts the time of other threads too, which made a plateau of it in 4 of 24
    recordings."""
    work = [(n / 3000, (n + 0.5) / 3000, "works") for n in range(3000)]
    last = (0.95, 0.96, "leaks")
    for begin, length, every, verdict in (
        (0.02, 0.15, 5, "leak"),
        (0.6, 0.3, 5, "leak"),
        (0.02, 0.15, 2, "unknown"),  # it may have read what the others use
        (0, 0.02, 5, "start-up"),
    ):
        own = [
            (begin + born * length, begin + until * length, task)
            for born, until, task in rounds("leaks", 500, every=every)
        ]
        assert verdicts(matches(tmp_path, lines_of([*work, *own, last]))) == {"leaks": verdict}


def test_no_word_by_a_clock_depends_on_the_scheduler(tmp_path: Path) -> None:
    """Threads that wait now and then, each doing the same in the same order."""
    chance = random.Random(11)
    threads = {
        "steady": around(chance, "steady", level=30, life=0.05),
        "waves": [
            (born, (int(born * 9) + 1) / 9 + 1e-6, "waves")
            for born in sorted(chance.random() for _ in range(600))
        ],
        "leaks": rounds("leaks", 1000, every=20),
    }
    seen = []
    for _ in range(6):
        blocks: list[Block] = []
        for own in threads.values():
            first, bend = chance.uniform(0, 0.2), chance.uniform(0.4, 2.5)
            blocks += [
                (
                    first + born**bend * 0.75,
                    NEVER if until >= 1 else first + until**bend * 0.75,
                    name,
                )
                for born, until, name in own
            ]
        seen.append(verdicts(matches(tmp_path, lines_of(blocks))))
    assert (seen[0]["leaks"], len(seen[0])) == ("leak", 3)
    assert all(one == seen[0] for one in seen), seen


def test_growth_in_fits_and_starts_has_no_word_by_time_alone(tmp_path: Path) -> None:
    """A table that a task fills, which does nothing else, was filling, plateau, unknown or a leak
    as the scheduler let it run; where the task runs evenly it has its word."""
    chance = random.Random(5)
    table = sorted(min(0.999, chance.expovariate(4)) for _ in range(400))
    even = [(born, NEVER, "even") for born in table]
    steady: list[Block] = [(n / 300, NEVER, "steady") for n in range(300)]
    early: list[Block] = [(0.06 + n / 1e5, NEVER, "early") for n in range(300)]
    for _ in range(4):
        steps = [chance.gammavariate(0.5, 1) for _ in range(40)]
        passed = [sum(steps[:step]) / sum(steps) for step in range(41)]
        waits = [
            (passed[int(40 * born)] + born % 0.025 * 40 * steps[int(40 * born)] / sum(steps), born)
            for born in (*table, *(n / 300 for n in range(300)))
        ]
        tables: list[Block] = [(0.1 + 0.8 * at, NEVER, "waits") for at, _ in waits[:400]]
        leaks: list[Block] = [(0.1 + 0.8 * at, NEVER, "leaks") for at, _ in waits[400:]]
        found = matches(tmp_path, lines_of([*even, *steady, *early, *tables, *leaks]))
        assert verdicts(found) == {
            "even": "plateau",
            "steady": "leak",
            "early": "plateau",
            "waits": "unknown",
            "leaks": "unknown",
        }
        assert "too unevenly" in row_of(found, "waits").reason


def test_a_leak_that_began_late_is_no_cache(tmp_path: Path) -> None:
    """In the last third its level had been as low as ever, before it rose."""
    blocks = [(n / 1000, NEVER if n >= 850 else (n + 0.5) / 1000, "late") for n in range(1000)]
    assert verdicts(matches(tmp_path, lines_of(blocks))) == {"late": "unknown"}


def test_a_busy_start_of_another_task_hides_no_leak(tmp_path: Path) -> None:
    """40,000 events in the first second once made 1,200 forgotten blocks of a day \"no leak\"."""
    boot: list[Block] = [(n * 1e-6, n * 1e-6 + 5e-7, "boot") for n in range(5000)]
    asked: list[Block] = [(0.01 + n / 400, 0.0101 + n / 400, "web") for n in range(390)]
    forgotten: list[Block] = [(0.01001 + n / 400, NEVER, "session") for n in range(390)]
    assert verdicts(matches(tmp_path, lines_of([*boot, *asked, *forgotten]))) == {"session": "leak"}
