"""Broken in what the headline says: the order of severity, and the clock."""

from __future__ import annotations

from mutant import Mutant

RANK = "tests/lab/report/test_verdict_rank.py"
FIT = "tests/lab/predict/test_trace_fit.py"
CLOCK = "tests/lab/replay/test_replay_clock.py"
KIND = "lab/heapscope/simulation/result/verdict.py::kind_of"

VERDICT = (
    Mutant(
        "rank of a failed request",
        "a need that does not fit outranks a request that failed",
        KIND,
        "if facts.failures or",
        "if facts.failures and not facts.needs_short or",
        RANK,
    ),
    Mutant(
        "rank of a failed request",
        "what failed in the recorded program does not count",
        KIND,
        "or facts.recorded_failures",
        "",
        RANK,
    ),
    Mutant(
        "rank of a need",
        "damage outranks a need that does not fit",
        KIND,
        "if facts.needs_short:",
        "if facts.needs_short and not facts.lost_events:",
        RANK,
    ),
    Mutant(
        "rank of damage",
        "events that contradict each other are no damage",
        KIND,
        "or facts.anomalies",
        "",
        RANK,
    ),
    Mutant(
        "rank of a near miss",
        "a near miss is fine",
        KIND,
        "facts.minimum_free < facts.near_below",
        "facts.minimum_free < 0",
        RANK,
    ),
    Mutant(
        "the headline",
        "findings stand in the order in which they were made",
        "lab/heapscope/simulation/result/verdict.py::verdict",
        "results.sort(key=lambda finding: finding.rank)",
        "",
        RANK,
    ),
    Mutant(
        "seconds since the start",
        "times are not counted from the first event",
        "lab/heapscope/trace/clock.py::Clock.seconds",
        "(time - self.first_time) / self.hz",
        "time / self.hz",
        CLOCK,
    ),
    Mutant(
        "seconds since the start",
        "marks count as heap events when times are looked up",
        "lab/native/lab/times.c::hs_times_events",
        "if (!HS_EVENT_IS_HEAP(events[i].kind)) { continue; }",
        "",
        CLOCK,
    ),
    Mutant(
        "seconds since the start",
        "tips of the page count from the clock's 0",
        "lab/heapscope/render/page/data.py::side_data",
        "side.result.census.first_time",
        "0",
        CLOCK,
    ),
    Mutant(
        "seconds since the start",
        "why takes the time of the event before",
        "lab/heapscope/answers/why/recording.py::Recording.clock",
        "self._times[event]",
        "self._times[event - 1]",
        "tests/lab/why/test_why_clock.py",
    ),
    Mutant(
        "whether a trace fits the predicted memory",
        "every trace fits",
        "lab/heapscope/forecast/predict/trace_fit.py::trace_fit",
        "held_kb >= least and memory.survives(held_kb)",
        "True",
        FIT,
    ),
)
