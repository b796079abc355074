"""`replay --repeat` says when a program ends of which only the first part was recorded."""

from __future__ import annotations

from pathlib import Path

import pytest
from benches.going_on import HZ, ROUND, Program, write

import heapscope
from heapscope.base.errors import InputError

SCHEDULES = ("every fifth round", "every round", "by chance")
PLAYED = 10  #: times as long as the recording


def leaking(schedule: str) -> Program:
    def fault(program: Program) -> None:
        every = {"every fifth round": program.round % 5 == 0, "every round": True}
        if every.get(schedule, False) or (schedule == "by chance" and program.draw.random() < 0.5):
            program.take(60, site=4)

    return Program(SCHEDULES.index(schedule), fault)


def tame() -> Program:
    return Program(7, lambda program: None)


def recorded(path: Path, program: Program, rounds: int, *, marks: bool = True) -> Path:
    while program.round < rounds:
        program.play(marks=marks)
    return write(path, program.rows)


@pytest.mark.parametrize("marks", [True, False])
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_the_end_is_that_of_the_whole_run(tmp_path: Path, schedule: str, marks: bool) -> None:
    program = leaking(schedule)
    pool = 40_000 if schedule == "every fifth round" else 60_000
    part = recorded(tmp_path / "part.hst", program, 150, marks=marks)
    result = heapscope.replay(part, pool=pool, repeat=f"{150 * PLAYED * ROUND / HZ}s", jitter=5)
    whole = recorded(tmp_path / "whole.hst", program, 150 * PLAYED, marks=marks)
    failures = heapscope.replay(whole, pool=pool).failures
    assert failures, "the program ends"
    assert result.median_seconds == pytest.approx(failures[0].time / HZ, rel=0.2)
    grows = [row for row in result.growth if row.until is None]
    assert [row.site for row in grows] == ["fault"]
    assert {run.cause for run in result.runs} == {"leak"}
    assert "fault" in {holder.site for holder in result.holders}


def test_what_does_not_grow_lives(tmp_path: Path) -> None:
    trace = recorded(tmp_path / "tame.hst", tame(), 150)
    result = heapscope.replay(trace, pool=40_000, repeat="300", jitter=3)
    assert result.lives.good == result.lives.runs == 3
    assert [run.rounds for run in result.runs] == [300] * 3
    assert result.median_rounds is None


def test_a_need_ends_before_the_program_does(tmp_path: Path) -> None:
    trace = recorded(tmp_path / "T.hst", leaking("every fifth round"), 150)
    first = heapscope.replay(trace, pool=40_000, repeat="400", jitter=3, need=[12_000])
    last = heapscope.replay(trace, pool=40_000, repeat="400", jitter=3)
    assert {run.end for run in first.runs} == {"need"}
    assert {run.end for run in last.runs} == {"request"}
    assert first.median_rounds is not None
    assert last.median_rounds is not None
    assert first.median_rounds < last.median_rounds


def test_the_same_seed_gives_the_same_runs(tmp_path: Path) -> None:
    trace = recorded(tmp_path / "T.hst", leaking("by chance"), 150)
    one, same, other = (
        heapscope.replay(trace, pool=30_000, repeat="100", jitter=4, jitter_seed=seed).runs
        for seed in (1, 1, 2)
    )
    assert one == same != other


def test_a_recording_that_fails_itself_is_said_to(tmp_path: Path) -> None:
    trace = recorded(tmp_path / "T.hst", tame(), 50)
    result = heapscope.replay(trace, pool=4000, repeat="10", jitter=2)
    assert {run.rounds for run in result.runs} == {0}
    assert "the recording itself ends early" in result._printed(80, color=False)


@pytest.mark.parametrize("time", ["5x", "", "0", "-3", "1e9", "30 days", "9" * 40])
def test_what_is_no_time_is_refused(tmp_path: Path, time: str) -> None:
    trace = recorded(tmp_path / "T.hst", tame(), 20)
    with pytest.raises(InputError, match="--repeat"):
        heapscope.replay(trace, pool=40_000, repeat=time)


def test_a_time_wants_a_clock(tmp_path: Path) -> None:
    program = tame()
    while program.round < 20:
        program.play(marks=True)
    trace = write(tmp_path / "T.hst", [(*row[:5], 0) for row in program.rows])
    with pytest.raises(InputError, match="no clock separates"):
        heapscope.replay(trace, pool=40_000, repeat="30d")
    assert heapscope.replay(trace, pool=40_000, repeat="3", jitter=1).period is None


def test_too_few_events_are_refused(tmp_path: Path) -> None:
    program = tame()
    with pytest.raises(InputError, match="too few"):
        heapscope.replay(write(tmp_path / "T.hst", program.rows), pool=40_000, repeat="3")


@pytest.mark.parametrize("option", [{"jitter": 3}, {"jitter_seed": 3}, {"jitter_strength": 0.5}])
def test_what_only_rounds_have_is_refused_without_them(
    tmp_path: Path, option: dict[str, float]
) -> None:
    trace = recorded(tmp_path / "T.hst", tame(), 5)
    with pytest.raises(InputError, match="no --repeat"):
        heapscope.replay(trace, pool=40_000, **option)  # type: ignore[call-overload]
