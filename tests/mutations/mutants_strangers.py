"""Broken in what keeps strangers from more than being read: names, peers, trees of Kconfig."""

from __future__ import annotations

from mutant import Mutant

LANGUAGES = "lab/heapscope/base/languages.py"
NETWORK = "lab/heapscope/logs/live/network.py"
TEXT = "tests/lab/languages/test_languages.py"
PORTS = "tests/lab/live/test_live_ports.py"

STRANGERS = (
    Mutant(
        "names in Markdown",
        "a person is called",
        f"{LANGUAGES}::markdown_text",
        'if match["apart"]:',
        'if match["apart"] and sign != "@":',
        TEXT,
    ),
    Mutant(
        "names in Markdown",
        "a line may begin with a heading",
        f"{LANGUAGES}::markdown_line",
        "_FIRST.match(text)",
        '_FIRST.match(text.lstrip("#"))',
        TEXT,
    ),
    Mutant(
        "names in CSV",
        "blanks hide a formula",
        f"{LANGUAGES}::csv_field",
        "text.startswith(_FORMULA) or text.lstrip().startswith(_FORMULA)",
        "text.startswith(_FORMULA)",
        TEXT,
    ),
    Mutant(
        "names in the log of a job",
        "blanks that were written before hide a command",
        f"{LANGUAGES}::JobText.write",
        'bool(_COLOUR.sub("", last).strip())',
        "bool(last)",
        TEXT,
    ),
    Mutant(
        "peers of a port that listens",
        "whoever was heard first is heard alone",
        f"{NETWORK}::_Accepting.read",
        "reversed([one for one in self._silent if one in ready])",
        "reversed([one for one in self._silent if one in ready and self._now is None])",
        PORTS,
    ),
    Mutant(
        "peers of a port that listens",
        "a stray datagram makes its sender the one",
        f"{NETWORK}::_Datagrams._received",
        'sender if has_chunk(data) else ""',
        "sender",
        PORTS,
    ),
    Mutant(
        "files of a board in a reset loop",
        "a recording without events makes one",
        "lab/heapscope/logs/live/recording_file.py::RecordingFiles.write",
        "not self.eventful and len(head) < _HEAD_MAX",
        "False",
        "tests/lab/live/test_live_stream.py",
    ),
    Mutant(
        "programs of a Kconfig tree",
        "they are run",
        "lab/heapscope/config/kconfig_worker.py::run_nothing",
        "if event in _STARTS:",
        "if False:",
        "tests/lab/lint/test_lint_kconfig.py",
    ),
)
