"""Broken in what puts configurations side by side."""

from __future__ import annotations

from mutant import Mutant

DIFF = "tests/lab/ladder/test_compare_configurations.py"

LADDER = (
    Mutant(
        "shares of a difference",
        "what two options make together is counted twice",
        "lab/heapscope/forecast/ladder/fair_share.py::fair_shares",
        "factorial(size) * factorial(count - size - 1) / factorial(count)",
        "1 / count",
        "tests/lab/ladder/test_fair_share.py",
    ),
    Mutant(
        "options that differ",
        "options of which no part tells are left out",
        "lab/heapscope/forecast/ladder/compared.py::_unknown",
        "name not in pair.queried",
        "name in pair.queried",
        DIFF,
    ),
    Mutant(
        "gain of an option",
        "what follows a line keeps its old value",
        "lab/heapscope/forecast/ladder/exchange.py::Exchange.config",
        "self.members.get(each, frozenset())",
        "self.members.get(each, frozenset()) & {each}",
        DIFF,
    ),
    Mutant(
        "gain between two releases",
        "the parts of an empty program count twice",
        "lab/heapscope/forecast/predict/memory_states.py::MemoryModel.before_parts",
        "free += sum(each.bytes for each in default)",
        "",
        DIFF,
    ),
    Mutant(
        "band of a difference",
        "the doubt about the empty program does not drop out",
        "lab/heapscope/forecast/ladder/memory_gain.py::memory_gains",
        "_doubt(before, after) if pair.of_platform else 0.0",
        "_doubt(before, after)",
        DIFF,
    ),
    Mutant(
        "throughput gained",
        "the slower side's constants are taken for both",
        "lab/heapscope/forecast/ladder/speed_gain.py::_figures",
        "knobs_of(config, idf=side.idf)",
        "knobs_of(side.config, idf=side.idf)",
        DIFF,
    ),
)
