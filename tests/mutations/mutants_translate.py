"""Broken in the translation of 64-bit recordings."""

from __future__ import annotations

from mutant import Mutant

SITES = "tests/lab/translate/test_translate_sites.py"
LAYOUTS = "tests/lab/translate/test_translate_layouts.py"
COMMAND = "tests/lab/translate/test_translate_command.py"

TRANSLATE = (
    Mutant(
        "sizes translated exactly",
        "a long keeps its size",
        "lab/heapscope/capture/translate/layouts.py::_base",
        "return TypeSize(8, 8, 4, 4)",
        "return TypeSize(8, 8, 8, 8)",
        LAYOUTS,
    ),
    Mutant(
        "sizes translated exactly",
        "a source's conditions are not looked at",
        "lab/heapscope/capture/translate/definitions.py::Sources",
        "if file.conditional(line):",
        "if file.conditional(-line) and not line:",
        SITES,
    ),
    Mutant(
        "sizes translated exactly",
        "a size that fits a type once is believed of the whole line",
        "lab/heapscope/capture/translate/sizes.py::single_object",
        "sizes == {known.layout.wide}",
        "known.layout.wide in sizes",
        SITES,
    ),
    Mutant(
        "sizes translated exactly",
        "a wrapper's sum is taken for its parameter",
        "lab/heapscope/capture/translate/site_types.py::SiteTypes",
        "if result.handed_on is None:",
        "if result.depth == 0:",
        SITES,
    ),
    Mutant(
        "sizes translated exactly",
        "code that functions share has the type of one of them",
        "lab/heapscope/capture/translate/site_types.py::SiteTypes",
        "result.merged or not self._is_called(frames, place, result.unit)",
        "result.merged and not self._is_called(frames, place, result.unit)",
        SITES,
    ),
    Mutant(
        "live peak of a translation",
        "the lower bound is the recorded size",
        "lab/heapscope/capture/translate/sizes.py::_one",
        "-(-size // 2)",
        "size",
        SITES,
    ),
    Mutant(
        "live peak of a translation",
        "both traces have the largest sizes",
        "lab/heapscope/capture/translate/rewrite.py::each_size",
        "one.lower, one.upper",
        "one.upper, one.upper",
        COMMAND,
    ),
    Mutant(
        "word size of an answer",
        "of several traces the least",
        "lab/heapscope/trace/provenance.py::largest_word",
        "return max(",
        "return min(",
        "tests/lab/translate/test_word_sizes.py",
    ),
)
