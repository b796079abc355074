"""Broken in what tells leaks from what only stays: verdicts, rates and the time to death."""

from __future__ import annotations

from mutant import Mutant

LIVES = "tests/lab/leaks/test_lives.py"
LEAK_VERDICTS = "tests/lab/leaks/test_verdicts.py"
LARGER = "tests/lab/leaks/test_larger.py"
TAILS = "tests/native/test_tails.c"

LEAK_MUTANTS = (
    Mutant(
        "leaks: axis",
        "no holder's own allocations are its axis",
        "lab/native/measure/watch.c::choose_axes",
        "row->freed - counts->enlarged >= kept",
        "false",
        LEAK_VERDICTS,
    ),
    Mutant(
        "leaks: axis",
        "a task that is done is judged by the time of the others",
        "lab/native/leaks/leaks.c::goes_on",
        "GOES_ON * (double)row->over / row->by_time",
        "GOES_ON",
        LEAK_VERDICTS,
    ),
    Mutant(
        "leaks: axis",
        "time judges holders that count allocations",
        "lab/native/leaks/leaks.c::look",
        "if (holder->axis != HS_LAB_AXIS_TIME || !counts_allocations(test.row)) {",
        "if (here == first) {",
        LEAK_VERDICTS,
    ),
    Mutant(
        "leaks: axis",
        "time alone tells how a task grows that runs in fits and starts",
        "lab/native/leaks/leaks.c::shows_growth",
        "hs_leak_independent(holder) >= (double)holder->stretches",
        "true",
        LEAK_VERDICTS,
    ),
    Mutant(
        "leaks: bytes",
        "a block that becomes larger was freed",
        "lab/native/measure/watch.c::choose_axes",
        "row->freed - counts->enlarged >= kept",
        "row->freed >= kept",
        LARGER,
    ),
    Mutant(
        "leaks: bytes",
        "a cache returns by its blocks alone",
        "lab/native/leaks/level.c::hs_leak_returns",
        " && returns(holder, true)",
        "",
        LARGER,
    ),
    Mutant(
        "leaks: verdict",
        "growth that slowed down or stopped is steady",
        "lab/native/leaks/evidence.c::is_steady",
        "return !slows && !stopped &&",
        "return",
        LEAK_VERDICTS,
    ),
    Mutant(
        "leaks: verdict",
        "every block was born in the first stretch",
        "lab/native/measure/watch.c::hs_watch_born",
        "by_count(watch, holder, 0);",
        "1;",
        LIVES,
    ),
    Mutant(
        "leaks: verdict",
        "a level that falls does not count as a return",
        "lab/native/leaks/level.c::returns",
        "n - n / 3, n) <= (",
        "n - n / 3, n) < 0 * (",
        LEAK_VERDICTS,
    ),
    Mutant(
        "leaks: verdict",
        "lost frees do not count",
        "lab/native/leaks/leaks.c::row_of",
        "if (whole) {",
        "if (true) {",
        LEAK_VERDICTS,
    ),
    Mutant(
        "leaks: rate",
        "the stretches of the start count as time",
        "lab/native/leaks/speed.c::hs_leak_speed",
        "(double)count / (double)holder->stretches",
        "1.0",
        LEAK_VERDICTS,
    ),
    Mutant(
        "leaks: rate",
        "a round has as many events as the interval has stretches",
        "lab/heapscope/answers/leaks/rates.py::rate_of",
        "per_event.times(span.round_events)",
        "per_event.times(64)",
        LEAK_VERDICTS,
    ),
    Mutant(
        "leaks: time to death",
        "the band's ends are swapped",
        "lab/heapscope/answers/leaks/rates.py::_until",
        "low=free / rate.high, high=free / rate.low",
        "low=free / rate.low, high=free / rate.high",
        LEAK_VERDICTS,
    ),
    Mutant(
        "leaks: verdict",
        "a tail is cut after its first terms",
        "lab/native/leaks/tails.c::floor_of",
        "most - 2 * width",
        "most - 20",
        TAILS,
    ),
    Mutant(
        "leaks: verdict",
        "old blocks that were freed do not count",
        "lab/native/leaks/evidence.c::at_age",
        "match.ended += (double)row->blocks;",
        "",
        LEAK_VERDICTS,
    ),
    Mutant(
        "growth of states",
        "what came back is what is left",
        "lab/heapscope/base/growth.py::growth",
        "back = size(most - last)",
        "back = size(most - first)",
        "tests/lab/leaks/test_states.py",
    ),
    Mutant(
        "growth of states",
        "a pointer among other words does not count",
        "lab/heapscope/logs/answer/held.py::_image",
        'row.bytes if row.reach == "none" else 0',
        "row.bytes",
        "tests/lab/leaks/test_states.py",
    ),
    Mutant(
        "a clock that separates",
        "any clock tells seconds",
        "lab/heapscope/simulation/replay/clock.py::clock_rate",
        "or not reader.census().by_time",
        "",
        "tests/lab/replay/test_replay_clock.py",
    ),
)
