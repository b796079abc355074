"""Mutations of the answer about many devices: lives, levels, and which build is blamed."""

from __future__ import annotations

from mutant import Mutant

STATISTICS = "tests/lab/fleet/test_fleet_statistics.py"
VERB = "tests/lab/fleet/test_fleet_verb.py"

FLEETS = (
    Mutant(
        "which build is worse",
        "all tests are one false discovery apart",
        "lab/heapscope/answers/cohorts/ranks.py::false_discovery",
        "chances[order] * count / np.arange(1, count + 1)",
        "chances[order]",
        STATISTICS,
    ),
    Mutant(
        "which build is worse",
        "a build that is far better stays among the others",
        "lab/heapscope/answers/cohorts/groups.py::_steps",
        "left.remove(most.group)",
        "break",
        STATISTICS,
    ),
    Mutant(
        "which build is worse",
        "chips are mixed",
        "lab/heapscope/answers/cohorts/ranks.py::rank_test",
        "inside = strata == stratum",
        "inside = strata == strata",
        STATISTICS,
    ),
    Mutant(
        "how long devices live",
        "a device that still lives has died",
        "lab/heapscope/answers/cohorts/survival.py::survival",
        "dead = _counts(lives.seconds[lives.failed], moments)",
        "dead = _counts(lives.seconds, moments)",
        STATISTICS,
    ),
    Mutant(
        "how long devices live",
        "a need that did not fit once is forgotten",
        "lab/heapscope/fleet/devices/logged.py::_needs",
        "course.levels < need.size",
        "course.levels < 0",
        VERB,
    ),
    Mutant(
        "the parts of a rotated log",
        "the newest part is read first",
        "lab/heapscope/fleet/devices/files.py::_ordered",
        "-int(number[1])",
        "int(number[1])",
        VERB,
    ),
    Mutant(
        "the verdict about a series",
        "a walk at random is thought of in no fall",
        "lab/heapscope/answers/series/judge.py::_may_walk",
        "tops[0] - tops[-1] < _WALKS * usual",
        "tops[0] - tops[-1] < -usual",
        "tests/lab/series/test_judge_series.py",
    ),
    Mutant(
        "two devices in one log",
        "the lines of both are one series",
        "lab/heapscope/logs/reader/divided.py::DividedReading",
        "name = device_of_line(fact, self._names)",
        "name = self._names[0]",
        "tests/lab/log/test_log_devices.py",
    ),
)
