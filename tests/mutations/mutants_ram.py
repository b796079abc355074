"""Broken in the answer where the RAM goes: each byte belongs to one thing."""

from __future__ import annotations

from mutant import Mutant

CUT = "tests/lab/ram/test_ram_cut.py"
ANSWER = "tests/lab/ram/test_ram_answer.py"
BACK = "tests/lab/ram/test_ram_back.py"
THINGS = "tests/lab/ram/test_ram_things.py"
MOVES = "tests/lab/ram/test_ram_moves.py"
STATES = "tests/lab/ram/test_ram_states.py"

RAM = (
    Mutant(
        "where the RAM goes",
        "a byte counts for two layers",
        "lab/heapscope/answers/ram/cut.py::_put",
        "        free = left",
        "        free = free",
        CUT,
    ),
    Mutant(
        "where the RAM goes",
        "what nothing holds counts as alignment",
        "lab/heapscope/answers/ram/cut.py::_gap",
        "return beside and high - low <= ALIGNED_MOST",
        "return beside",
        CUT,
    ),
    Mutant(
        "where the RAM goes",
        "the image of another build tells the heap",
        "lab/heapscope/answers/ram/built_firmware.py::other_build",
        "    return any(",
        "    return all(",
        ANSWER,
    ),
    Mutant(
        "where the RAM goes",
        "two options are given the same bytes",
        "lab/heapscope/answers/ram/had_back.py::_rows",
        "        taken.append(trade)",
        "        taken = [trade]",
        BACK,
    ),
    Mutant(
        "where the RAM goes",
        "static parts are taken from the heap as well",
        "lab/heapscope/answers/ram/states.py::_held",
        "if each.place == DRAM and not each.static:",
        "if each.place == DRAM:",
        STATES,
    ),
    Mutant(
        "where the RAM goes",
        "the log of another build goes unnoticed",
        "lab/heapscope/answers/ram/measured.py::_unlike",
        "if logged == regions:",
        "if True:",
        "tests/lab/ram/test_ram_measured.py",
    ),
    Mutant(
        "where the RAM goes",
        "a forecast leaves the radios out that are linked",
        "lab/heapscope/answers/ram/forecast.py::forecast_of",
        "plain.at(plain.busiest)",
        "plain",
        THINGS,
    ),
    Mutant(
        "where the RAM goes",
        "memory that cannot be written counts as RAM",
        "lab/heapscope/memory/static/map_memories.py::_windows",
        'else "w" in attributes.lower()',
        "else True",
        THINGS,
    ),
    Mutant(
        "where the RAM goes",
        "the size of a cache leaves the heap as it is",
        "lab/heapscope/memory/layout/entry_conditions.py::entries_on",
        "if known.get(entry, entry.on)",
        "if entry.on",
        "tests/lab/layout/test_entry_conditions.py",
    ),
    Mutant(
        "where the RAM goes",
        "an option gives more code than is linked",
        "lab/heapscope/answers/ram/had_back.py::_rows",
        "gain = min(round(won.median), most)",
        "gain = round(won.median)",
        BACK,
    ),
    Mutant(
        "where the RAM goes",
        "a byte that two options move counts for both",
        "lab/heapscope/answers/ram/moved_code.py::MovedCode.by_options",
        "if id(piece) not in counted:",
        "if True:",
        MOVES,
    ),
    Mutant(
        "where the RAM goes",
        "bare code has the heap of an SDK",
        "lab/heapscope/answers/ram/firmware.py::_of_idf",
        "if not named_release and _is_bare(use):",
        "if False:",
        "tests/lab/ram/test_ram_bare.py",
    ),
    Mutant(
        "where the RAM goes",
        "an option moves what another entry still holds",
        "lab/heapscope/answers/ram/moved_code.py::MovedCode._moves",
        "return not in_ram_by(rules, piece.input, after.value)",
        "return True",
        MOVES,
    ),
    Mutant(
        "where the RAM goes",
        "the SDK's own source is to be changed",
        "lab/heapscope/answers/ram/moved_code.py::MovedCode._is_own",
        "return name in own",
        "return True",
        MOVES,
    ),
    Mutant(
        "where the RAM goes",
        "a mark of one run is as sure as a bound",
        "lab/heapscope/answers/ram/stack_changes.py::stack_changes",
        "low=back if bounded else 0",
        "low=back",
        MOVES,
    ),
)
