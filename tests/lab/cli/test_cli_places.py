"""A command reads standard input once and pipes as often as wanted; it never writes two outputs to
one place, nor an output in the place of an input."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from heapscope.cli.app import app

Run = Callable[..., Any]

#: Every verb that takes a trace, with what it needs beside it.
READERS = {
    "contents": ("replay", "T"),
    "replay": ("replay", "T", "--pool", "1MB"),
    "replay by the trace's chip": ("replay", "T", "--chip", "esp32", "--place", "rules.toml"),
    "fit": ("fit", "T", "--allocator", "idf-4.2"),
    "why": ("why", "T", "--pool", "16KB"),
    "leaks": ("leaks", "T"),
    "compare": ("compare", "T", "--pool", "1MB", "--pool", "2MB"),
    "compare parts": ("compare", "T", "--chip", "esp32", "--idf", "4.2", "--idf", "5.5", "--parts"),
    "report": ("report", "T", "--pool", "1MB", "--title", "x", "-o", "page.html"),
    "place": ("place", "T", "--pool", "1MB"),
    "export": ("export", "T", "--to", "csv"),
    "export dhat": ("export", "T", "--to", "dhat", "--pool", "1MB"),
}


def answer(run: Run, args: tuple[str, ...], trace: str, given: bytes = b"") -> str:
    """Standard output and the page, with the trace's name taken out."""
    words = [trace if arg == "T" else arg for arg in args]
    done = CliRunner().invoke(app, words, input=given)
    assert (done.exit_code, done.stderr) in ((0, ""), (1, "")), done.stderr
    page = Path("page.html").read_text(encoding="utf-8") if "page.html" in args else ""
    text = re.sub(r"[\d,]+ B; open it", "", done.stdout) + page
    for name in (trace, "standard input", "T.hst"):
        text = text.replace(name + ":", "TRACE:").replace(name, "TRACE") if name != "-" else text
    return text.replace("-:", "TRACE:")


@pytest.mark.parametrize("verb", READERS)
def test_every_verb_answers_from_standard_input_as_from_the_file(
    hst: Path, run: Run, verb: str
) -> None:
    Path("rules.toml").write_text(
        '[[rule]]\ntask = "script"\nregion = "D/IRAM"\n', encoding="utf-8"
    )
    stated = answer(run, READERS[verb], "T.hst")
    given = answer(run, READERS[verb], "-", hst.read_bytes())
    assert len(stated) > 40
    assert len(given.splitlines()) == len(stated.splitlines())
    numbers = [word for word in stated.split() if word.strip(",.%").replace(",", "").isdigit()]
    assert [w for w in given.split() if w.strip(",.%").replace(",", "").isdigit()] == numbers


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs a named pipe (POSIX)")
@pytest.mark.parametrize("verb", [("leaks",), ("why", "--pool", "16KB")], ids=lambda verb: verb[0])
def test_a_named_pipe_is_read_as_often_as_wanted(
    hst: Path, run: Run, verb: tuple[str, ...]
) -> None:
    data = hst.read_bytes()
    os.mkfifo("pipe.hst")
    writer = threading.Thread(target=Path("pipe.hst").write_bytes, args=(data,), daemon=True)
    writer.start()
    command = [sys.executable, "-m", "heapscope", verb[0], "pipe.hst", *verb[1:]]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    "args",
    [
        ("compare", "-", "-", "--pool", "64KB"),
        ("fit", "-", "-"),
        ("report", "-", "-", "--pool", "64KB", "-o", "x.html"),
        ("replay", "-", "--boot-log", "-"),
        ("lint", "-", "-"),
        ("predict", "-", "--chip", "esp32", "--trace", "-"),
        ("compare", "-", "-", "--chip", "esp32"),
    ],
    ids=lambda args: args[0],
)
def test_standard_input_is_read_by_one_argument(hst: Path, run: Run, args: tuple[str, ...]) -> None:
    done = run(*args)
    assert (done.code, done.out) == (2, "")
    assert "standard input is named 2 times" in done.err


#: Verbs with two outputs, and what else they need.
WRITERS = [
    ("lint", "sdkconfig", ("--json", "--sarif", "--fix")),
    ("tune", "--chip", "esp32", ("--json", "--plot", "--fragment")),
    ("experiment", "wifi-path", ("--json", "--write", "--html")),
    ("report", "T.hst", "--pool", "64KB", ("--output", "--json")),
    ("export", "T.hst", "--to", "csv", ("--output", "--json")),
    ("import", "--from", "text", "events.txt", ("--output", "--json")),
    ("import", "--from", "esp-idf", "boot.txt", ("--output", "--json")),
    ("record", ("--output", "--json"), "true"),
    ("compare", "sdkconfig", "sdkconfig", ("--output", "--json")),
]
PAIRS = [
    (one[:at], flags[i], flags[j], one[at + 1 :])
    for one in WRITERS
    for at, flags in enumerate(one)
    if isinstance(flags, tuple)
    for i in range(len(flags))
    for j in range(i + 1, len(flags))
]


@pytest.mark.parametrize(
    "spelling", ["same", "relative", "symlink", "hard link", "standard output"]
)
@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair[0][:1]}{pair[1]}{pair[2]}")
def test_two_outputs_in_one_place_are_refused_before_anything_is_computed(
    hst: Path, run: Run, pair: tuple[Any, ...], spelling: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    verb, one, other, rest = pair
    Path("sdkconfig").write_text("CONFIG_IDF_TARGET=esp32\n", encoding="utf-8")
    first, second = "x.out", "x.out"
    if spelling == "relative":
        Path("folder").mkdir()
        second = "folder/../x.out"
    elif spelling == "symlink":
        Path("y.out").symlink_to("x.out")
        second = "y.out"
    elif spelling == "hard link":
        Path("x.out").write_text("before", encoding="utf-8")
        os.link("x.out", "y.out")
        second = "y.out"
    elif spelling == "standard output":
        first = second = "-"
    monkeypatch.setattr("heapscope_studies.registry.chosen", None)  # computing would fail
    done = run(*verb, one, first, other, second, *rest)
    assert (done.code, done.out) == (2, "")
    text = "both want standard output" if spelling == "standard output" else "would write one file"
    assert text in done.err
    assert one in done.err
    assert other in done.err
    left = Path("x.out").read_text(encoding="utf-8") if Path("x.out").exists() else None
    assert left == ("before" if spelling == "hard link" else None)


@pytest.mark.parametrize(
    "args",
    [
        ("lint", "sdkconfig", "--fix", "sdkconfig"),
        ("tune", "sdkconfig", "--chip", "esp32", "--fragment", "sdkconfig"),
        ("predict", "sdkconfig", "--json", "sdkconfig"),
        ("compare", "sdkconfig@5.5", "@5.1", "--json", "sdkconfig"),
        ("compare", "sdkconfig", "+events.txt", "-o", "events.txt"),
        ("report", "T.hst", "--pool", "64KB", "-o", "T.hst"),
        ("export", "T.hst", "--to", "csv", "--output", "T.hst"),
        ("compare", "T.hst", "other.hst", "--pool", "64KB", "--json", "other.hst"),
        ("compare", "T.hst", "--boot-log", "boot.txt", "--json", "boot.txt"),
        ("leaks", "T.hst", "--suppress", "events.txt", "--json", "events.txt"),
        ("report", "T.hst", "--boot-log", "boot.txt", "-o", "boot.txt"),
        ("import", "--from", "text", "events.txt", "-o", "events.txt"),
        ("fit", "T.hst", "link.hst", "--json", "link.hst"),
        ("fit", "--pools", "T.hst", "--json", "T.hst"),
        ("sweep", "sdkconfig", "--json", "sdkconfig"),
    ],
    ids=lambda args: args[0],
)
def test_no_output_takes_the_place_of_an_input(hst: Path, run: Run, args: tuple[str, ...]) -> None:
    Path("sdkconfig").write_text("CONFIG_IDF_TARGET=esp32\n", encoding="utf-8")
    Path("other.hst").write_bytes(hst.read_bytes())
    Path("link.hst").symlink_to("other.hst")
    before = {path: path.read_bytes() for path in Path().iterdir()}
    done = run(*args)
    assert (done.code, done.out) == (2, "")
    assert "is the input" in done.err
    assert {path: path.read_bytes() for path in Path().iterdir()} == before


def test_a_device_takes_what_several_outputs_write(hst: Path, run: Run) -> None:
    done = run("export", hst, "--to", "csv", "-o", os.devnull, "--json", os.devnull)
    assert (done.code, done.err) == (0, "")
