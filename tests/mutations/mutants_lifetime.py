"""Broken in programs that go on: which block stands for which, and what ends a run."""

from __future__ import annotations

from mutant import Mutant

CYCLE = "tests/native/test_cycle.c"
LIFETIME = "tests/lab/lifetime/test_lifetime.py"

LIFETIMES = (
    Mutant(
        "the end of a program that goes on",
        "a round frees no block of the one before",
        "lab/native/jitter/cycle.c::hs_rounds_play",
        "heir == HS_NONE ? NO_KEY : rounds->keys[heir]",
        "heir == HS_NONE ? NO_KEY : NO_KEY",
        CYCLE,
    ),
    Mutant(
        "how long a request goes on to fit",
        "the upper end of the interval is enough",
        "lab/heapscope/fleet/budgets/judge_series.py::_until",
        "value=row.until.low",
        "value=row.until.high",
        "tests/lab/budgets/test_check_series.py",
    ),
    Mutant(
        "the end of a program that goes on",
        "a leak is replaced from round to round",
        "lab/heapscope/answers/lifetime/growth.py::growth_of",
        "verdict in _LEVEL or",
        "verdict is not None or",
        LIFETIME,
    ),
    Mutant(
        "the end of a program that goes on",
        "a need ends with the first event that it is short after",
        "lab/native/lab/rounds.c::short_need",
        "short_events - before[i] >= events",
        "short_events > before[i] + events",
        LIFETIME,
    ),
)
