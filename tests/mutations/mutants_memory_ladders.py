"""Broken in the experiment on the memory ladders of 2025."""

from __future__ import annotations

from mutant import Mutant

LADDERS = "studies/heapscope_studies/memory_ladders"
TEST = "tests/studies/test_memory_ladders.py"

MEMORY_LADDERS = (
    Mutant(
        "figures of the ladders of 2025",
        "the study's own figures stay in place",
        f"{LADDERS}/sums.py::_other",
        "if part not in instead:",
        "if part not in instead or size:",
        TEST,
    ),
    Mutant(
        "figures of the ladders of 2025",
        "the factors know both pages",
        "studies/heapscope_studies/memory_parts/fit.py::fit_without",
        "if case.publisher not in publishers and case not in skipped",
        "if case.publisher and case not in skipped",
        TEST,
    ),
    Mutant(
        "figures of the ladders of 2025",
        "the controller's memory is that of the page",
        f"{LADDERS}/sums.py::lacking",
        "bytes=max(0.0, median(results)),",
        "bytes=max(0.0, median(results)) and 30000.0,",
        TEST,
    ),
    Mutant(
        "figures of the ladders of 2025",
        "bytes counted in sources stand in every phase",
        f"{LADDERS}/steps.py::matter",
        'if phase in one["phases"]',
        'if one["phases"]',
        TEST,
    ),
    Mutant(
        "figures of the ladders of 2025",
        "a code step counts all memory",
        f"{LADDERS}/sums.py::_held",
        "(not code_only or each.part.memory == _CODE)",
        "(not code_only or each.part.memory)",
        TEST,
    ),
)
