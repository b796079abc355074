"""Broken in what a log answers."""

from __future__ import annotations

from mutant import Mutant

NATIVE = "lab/native/log"
TESTS = "tests/lab/log"

OF_LOGS = (
    Mutant(
        "requests after a summary",
        "the largest hole that may be there serves for sure",
        "lab/heapscope/logs/heaps/worlds.py::_ask",
        "if bounds.main_least >= least:",
        "if bounds.main_most >= least:",
        f"{TESTS}/test_outlook.py",
    ),
    Mutant(
        "requests after a summary",
        "the holes beside the main one serve nothing",
        "lab/heapscope/logs/heaps/worlds.py::_served",
        "other = _taken(heap, request, least, bounds.other_most)",
        "other = None",
        f"{TESTS}/test_outlook.py",
    ),
    Mutant(
        "requests after a dump",
        "every block of a dump is used",
        "lab/heapscope/logs/reader/state.py::_exact",
        "not one.is_free",
        "True",
        f"{TESTS}/test_state_cases.py",
    ),
    Mutant(
        "does it fit",
        "a failed request for DMA memory says that malloc fails",
        "lab/heapscope/logs/heaps/fits.py::_failures",
        "alike = one.caps is None or not one.caps & ~more",
        "alike = True",
        f"{TESTS}/test_log_kinds.py",
    ),
    Mutant(
        "does it fit",
        "the power of two that a release reports is the block",
        "lab/heapscope/logs/heaps/fits.py::_blocks",
        "powers = may_be_power(reading, row.largest)",
        "powers = False",
        f"{TESTS}/test_log_kinds.py",
    ),
    Mutant(
        "does it fit",
        "PSRAM that only the boot lines tell of serves nothing",
        "lab/heapscope/logs/heaps/state_memory.py::_rules",
        "if psram or any(",
        "if any(",
        f"{TESTS}/test_log_fits.py",
    ),
    Mutant(
        "does it fit",
        "a number that the end of the log cuts refuses a request",
        "lab/heapscope/logs/heaps/fits.py::ask",
        "and row.line == reading.unended",
        "and False",
        f"{TESTS}/test_log_fits.py",
    ),
    Mutant(
        "lines that tell memory",
        "the number that the input ends with is a whole one",
        f"{NATIVE}/form.c::hs_log_form_find",
        ".open = line->unended && cuts",
        ".open = false",
        "tests/native/test_log.c",
    ),
    Mutant(
        "largest block in 16 bits",
        "it is taken as printed",
        "lab/heapscope/logs/reader/artefacts.py::unwrapped",
        "return whole if",
        "return None if",
        f"{TESTS}/test_log_kinds.py",
    ),
    Mutant(
        "release of a log",
        "figures that the release cannot print are believed",
        "lab/heapscope/memory/layout/evidence.py::_of_release",
        "release.name not in fitting",
        "release.name in fitting",
        f"{TESTS}/test_log_release.py",
    ),
    Mutant(
        "lines that tell memory",
        "a line of a backtrace does",
        f"{NATIVE}/looks.c::hs_log_looks_like_memory",
        "return false; /* a line of a backtrace */",
        "continue;",
        f"{TESTS}/test_log_kinds.py",
    ),
    Mutant(
        "patterns of the user",
        "a repetition is as long as it can be and then one shorter",
        f"{NATIVE}/pattern_match.c::add",
        "add(line, list, code->x, at, slots);\n        add(line, list, code->y, at, slots);",
        "add(line, list, code->y, at, slots);\n        add(line, list, code->x, at, slots);",
        f"{TESTS}/test_log_patterns.py",
    ),
    Mutant(
        "figures of a line",
        "a percentage is a size",
        f"{NATIVE}/number.c::hs_log_number_read",
        "number.is_percent = text[at + blanks] == '%';",
        "number.is_percent = false;",
        f"{TESTS}/test_log_kinds.py",
    ),
    Mutant(
        "two devices in one log",
        "words of phases are names of devices",
        "lab/heapscope/logs/reader/senders.py::_label",
        "if words & _PHASES:",
        "if False:",
        f"{TESTS}/test_log_devices.py",
    ),
    Mutant(
        "two devices in one log",
        "figures that go their own ways are those of one",
        "lab/heapscope/logs/reader/senders.py::_figures_apart",
        "> times * median(steps)",
        "> 1000 * times * median(steps)",
        f"{TESTS}/test_log_devices.py",
    ),
)
