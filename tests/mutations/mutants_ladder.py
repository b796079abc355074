"""Broken in what puts configurations side by side."""

from __future__ import annotations

from mutant import Mutant

DIFF = "tests/lab/ladder/test_compare_configurations.py"
WEIGH = "tests/studies/test_memory_weigh.py"

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
    Mutant(
        "IRAM beside Bluetooth",
        "what all radios have counts for Wi-Fi alone",
        "lab/heapscope/forecast/predict/part_table.py::PartRow.is_linked",
        "return not set(links).isdisjoint(LINKS)",
        'return "wifi" in links',
        WEIGH,
    ),
    Mutant(
        "steps between the published ranks",
        "PSRAM of an old release is off",
        "lab/heapscope/forecast/tune/problem.py::psram_values",
        'switches = ("SPIRAM", f"{chip.upper()}_SPIRAM_SUPPORT")',
        'switches = ("SPIRAM",)',
        WEIGH,
    ),
    Mutant(
        "frames that nobody reads",
        "the window alone limits them",
        "lab/heapscope/forecast/predict/memory_scene.py::_rx_frames",
        'min(_frames(scene, "wnd"), taken)',
        '_frames(scene, "wnd")',
        "tests/lab/predict/test_memory_limits.py",
    ),
    Mutant(
        "Wi-Fi firmware beside its forecast",
        "what whole programs leave out counts beside an ELF, too",
        "lab/heapscope/forecast/predict/memory_states.py::MemoryModel.more",
        "self.known(DRAM) is None",
        "True",
        WEIGH,
    ),
    Mutant(
        "steps of a ladder with traces",
        "the network of the trace counts twice",
        "lab/heapscope/forecast/ladder/replayed.py::replayed",
        "traced=traced",
        "traced=False",
        WEIGH,
    ),
    Mutant(
        "steps of a ladder with traces",
        "each is gained over the first",
        "lab/heapscope/forecast/ladder/replayed.py::replayed",
        "rows[-1] if rows",
        "rows[0] if rows",
        WEIGH,
    ),
    Mutant(
        "configurations beside a file of one build",
        "memory of the second core's ROM counts twice",
        "lab/heapscope/forecast/ladder/compared.py::static_gain",
        "(then.dram - was.dram)",
        "0",
        "tests/lab/ladder/test_known_static.py",
    ),
    Mutant(
        "configurations beside a file of one build",
        "what a release changes counts twice",
        "lab/heapscope/forecast/ladder/compared.py::difference_of",
        "exchange(_by_parts(before), _by_parts(after))",
        "exchange(before, after)",
        "tests/lab/ladder/test_known_static.py",
    ),
)
