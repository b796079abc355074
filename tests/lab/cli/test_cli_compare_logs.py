"""`heapscope compare` of logs: the figures of the same memory, each against the first log."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.usefixtures("here")

Run = Callable[..., Any]
Valid = Callable[[str, str], dict[str, Any]]


def write(
    name: str, *, begin: int = 0x3FFB2EC8, free: int = 24040, words: str = "Free heap"
) -> str:
    size = 0x3FFE0000 - begin
    Path(name).write_text(
        "I (30) boot: ESP-IDF v5.3.1 2nd stage bootloader\n"
        "I (320) heap_init: At 3FFAE6E0 len 00001920 (6 KiB): DRAM\n"
        f"I (326) heap_init: At {begin:08X} len {size:08X} ({size >> 10} KiB): DRAM\n"
        f"I (18840) app: {words}: {free} bytes\n",
        encoding="ascii",
    )
    return name


def rows_of(document: dict[str, Any]) -> dict[str, tuple[list[int | None], list[int | None]]]:
    return {row["name"]: (row["values"], row["differences"]) for row in document["rows"]}


def test_last_states_and_the_start_are_compared(run: Run, valid: Valid, seed: int) -> None:
    chance = random.Random(seed)
    begins = [0x3FFB0000 + 16 * chance.randrange(1 << 10) for _ in range(3)]
    frees = [chance.randrange(1, 90_000) for _ in range(3)]
    logs = [
        write(f"{number}.log", begin=begin, free=free)
        for number, (begin, free) in enumerate(zip(begins, frees, strict=True))
    ]
    document = valid("compare-logs", run("compare", *logs, "--json", "-").out)
    assert [log["name"] for log in document["logs"]] == logs
    rows = rows_of(document)
    ends = [0x3FFE0000 - begin for begin in begins]
    assert rows["free"] == (frees, [one - frees[0] for one in frees[1:]]), seed
    assert rows["DRAM up to 0x3ffe0000"] == (ends, [one - ends[0] for one in ends[1:]]), seed
    assert rows["DRAM up to 0x3ffb0000"][1] == [0, 0]


def test_the_answer_names_what_differs_and_by_how_much(run: Run) -> None:
    logs = write("a.log"), write("b.log", begin=0x3FFB3000, free=20000)
    out = " ".join(run("compare", *logs).out.split())
    assert out.startswith(
        "Free memory in the last state is 4,040 B less in b.log than in a.log: "
        "20,000 B instead of 24,040 B. The heap at the start is 312 B smaller in b.log than in"
    )
    assert run(*logs).out.splitlines()[0] == "a.log, b.log: two logs"


def test_free_memory_of_another_kind_is_not_the_same_figure(run: Run, valid: Valid) -> None:
    logs = write("a.log"), write("b.log", free=20000, words="Free internal heap")
    document = valid("compare-logs", run("compare", *logs, "--json", "-").out)
    assert rows_of(document)["free"] == ([24040, None], [None])
    assert rows_of(document)["free, internal"] == ([None, 20000], [None])
    assert document["conclusion"] == ["Every figure that a.log and b.log both have is the same."]


def test_logs_without_a_common_figure_are_reported_as_that(run: Run, valid: Valid) -> None:
    Path("c.log").write_text("E (5) app: malloc(40000) failed!\n", encoding="ascii")
    document = valid("compare-logs", run("compare", write("a.log"), "c.log", "--json", "-").out)
    assert document["conclusion"] == ["a.log and c.log have no figure in common."]
