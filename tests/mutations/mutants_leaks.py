"""Broken in what tells leaks from what only stays: verdicts, rates and the time to death."""

from __future__ import annotations

from mutant import Mutant

LIVES = "tests/lab/leaks/test_lives.py"
LEAK_VERDICTS = "tests/lab/leaks/test_verdicts.py"
TAILS = "tests/lab/leaks/test_tails.py"

LEAK_MUTANTS = (
    Mutant(
        "leaks: growth",
        "an event is looked at several times",
        "lab/heapscope/answers/leaks/find.py::_looks",
        "list(dict.fromkeys(int(event) for event in looks))",
        "[int(event) for event in looks]",
        LIVES,
    ),
    Mutant(
        "leaks: verdict",
        "growth that slowed down or stopped is steady",
        "lab/heapscope/answers/leaks/evidence.py::_steady",
        "return not slows and not stopped and",
        "return",
        LEAK_VERDICTS,
    ),
    Mutant(
        "leaks: verdict",
        "a block was born in the last stretch",
        "lab/native/measure/watch.c::hs_watch_ended",
        "moments_before(watch, block->origin.birth)",
        "(uint32_t)watch->taken",
        LIVES,
    ),
    Mutant(
        "leaks: verdict",
        "a level that falls does not count as a return",
        "lab/heapscope/answers/leaks/verdict.py::_returns",
        "<= np.median",
        "< 0 * np.median",
        LEAK_VERDICTS,
    ),
    Mutant(
        "leaks: verdict",
        "lost frees do not count",
        "lab/heapscope/answers/leaks/verdict.py::_against",
        "if not whole:",
        "if False:",
        LEAK_VERDICTS,
    ),
    Mutant(
        "leaks: rate",
        "the stretches of the start count as time",
        "lab/heapscope/answers/leaks/rates.py::rate_of",
        "(found.last + 1 - found.first) / lives.stretches",
        "1.0",
        LEAK_VERDICTS,
    ),
    Mutant(
        "leaks: rate",
        "a round has as many events as the interval has stretches",
        "lab/heapscope/answers/leaks/rates.py::rate_of",
        "per_event.times(span.round_events)",
        "per_event.times(lives.stretches)",
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
        "lab/heapscope/answers/leaks/evidence.py::_ladder",
        "most - 2 * width",
        "most - 20",
        TAILS,
    ),
)
