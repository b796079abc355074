"""Broken in what is said of figures, and in what is refused beforehand."""

from __future__ import annotations

from mutant import Mutant

CONCLUSIONS = "tests/studies/test_conclusions.py"
PLACES = "tests/lab/cli/test_cli_places.py"
WRONG_FILES = "tests/lab/cli/test_cli_wrong_files.py"

BAD_INPUT = (
    Mutant(
        "conclusion of an experiment",
        "it is told whatever the figures are",
        "studies/heapscope_studies/conclusion.py::concluded",
        "return conclusion if holds else otherwise",
        "return conclusion",
        CONCLUSIONS,
    ),
    Mutant(
        "miss of simulated UDP throughput",
        "a quarter of the pairs in order does not count as a guess",
        "studies/heapscope_studies/wifi_path/throughput.py::Pairs.guessed",
        "return 2 * self.right <= self.total",
        "return 4 * self.right <= self.total",
        CONCLUSIONS,
    ),
    Mutant(
        "figures that are told as the same",
        "twice the share is still the same",
        "studies/heapscope_studies/conclusion.py::alike",
        "<= SHARE * abs(other)",
        "<= 2 * SHARE * abs(other)",
        CONCLUSIONS,
    ),
    Mutant(
        "outputs in one place",
        "only the spelling of paths is compared",
        "lab/heapscope/cli/outputs.py::_same",
        "return one.path.samefile(other.path) and one.path.is_file()",
        "return one.path == other.path",
        PLACES,
    ),
    Mutant(
        "outputs in one place",
        "two of them are taken",
        "lab/heapscope/cli/outputs.py::_check_outputs",
        "if _same(one, other):",
        "if False:",
        PLACES,
    ),
    Mutant(
        "standard input",
        "what was read once is not kept",
        "lab/heapscope/trace/stream.py::KeptStream._keep",
        "self._size += len(block)",
        "self._size += 0",
        PLACES,
    ),
    Mutant(
        "kind of a file",
        "a trace is told as damaged, not as a trace",
        "lab/heapscope/trace/sniff.py::looks_like",
        'return "is a trace already", "use it as it is: heapscope replay FILE"',
        'return "has not one whole chunk", "record it again"',
        WRONG_FILES,
    ),
    Mutant(
        "kind of a file",
        "another tool's file is imported by the lines that pass",
        "lab/heapscope/trace/sniff.py::tool_of",
        "if pattern.match(head)",
        "if False",
        WRONG_FILES,
    ),
    Mutant(
        "exit code of a signal",
        "it is that of Ctrl-C, whichever came",
        "lab/heapscope/base/interrupt.py::_end",
        "_seen or number",
        "signal.SIGINT",
        "tests/lab/cli/test_cli_interrupt.py",
    ),
    Mutant(
        "exit code of the last write",
        "what was computed counts, not what was written",
        "lab/heapscope/cli/group.py::HeapscopeGroup",
        "forget(sys.stdout) return _refuse(error)",
        "forget(sys.stdout) return code",
        "tests/lab/cli/test_cli_edges.py",
    ),
    Mutant(
        "events written",
        "a full disk is not told apart from a program without events",
        "lab/heapscope/render/text/record.py::_summary",
        "if discarded else",
        "if not result else",
        "tests/record/test_record_loss.py",
    ),
    Mutant(
        "files that a killed run left",
        "they stay",
        "lab/heapscope/base/whole_file.py::_remove",
        "lock(file) left.unlink()",
        "lock(file)",
        "tests/lab/capture/test_whole_file.py",
    ),
    Mutant(
        "files that a killed run left",
        "those of a run that is alive go, too",
        "lab/heapscope/base/whole_file.py::_remove",
        "lock(file) left.unlink()",
        "left.unlink()",
        "tests/lab/capture/test_whole_file.py",
    ),
    Mutant(
        "exit code of a signal",
        "one that ends an input ends the answer too",
        "lab/heapscope/base/interrupt.py::_watch",
        "if len(came) > spared and",
        "if came and",
        "tests/lab/cli/test_cli_interrupt.py",
    ),
    Mutant(
        "options of a release",
        "a number out of range becomes the nearest bound",
        "lab/heapscope/config/kconfig/values.py::OptionValues",
        "text = self._default(symbol.defaults)",
        "text = given or self._default(symbol.defaults)",
        "tests/lab/kconfig/test_kconfig_values.py",
    ),
)
