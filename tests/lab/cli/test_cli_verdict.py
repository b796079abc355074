"""One verdict in every verb's JSON, and what is said of traces of 64-bit programs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from heapscope.cli.app import app
from heapscope.native.events import NativeWriter, event_dtype

WIDE = "Recorded on a 64-bit machine: structures with pointers are smaller on a chip."

Make = Callable[[int], Path]


@pytest.fixture
def sized(tmp_path: Path) -> Make:
    """A trace of a program whose pointers have so many bytes; it fails on 4 KB."""

    def make(word_size: int) -> Path:
        rows = np.zeros(200, dtype=event_dtype())
        rows["kind"], rows["key"], rows["size"] = 1, np.arange(200), 100
        with NativeWriter() as writer:
            writer.metadata("word_size", str(word_size))
            writer.events(rows)
            writer.finish()
            path = tmp_path / f"{word_size}.hst"
            path.write_bytes(b"".join(writer.take()))
        return path

    return make


def run(*args: object) -> str:
    done = CliRunner().invoke(app, list(map(str, args)))
    assert done.exit_code == 0, done.output
    return done.stdout


def test_replay_why_compare_and_report_have_the_same_verdict(sized: Make, tmp_path: Path) -> None:
    trace = sized(4)
    need = ("--need", "100")
    verdict: dict[str, Any] = json.loads(
        run("replay", trace, "--pool", "8KB", *need, "--json", "-")
    )["verdict"]
    assert (verdict["rank"], verdict["kind"]) == (1, "failed")
    why = json.loads(run("why", trace, "--pool", "8KB", *need, "--json", "-"))
    assert why["verdict"] == verdict
    both = ("compare", trace, "--pool", "8KB", "--pool", "64KB", *need, "--json", "-")
    sides = json.loads(run(*both))
    assert sides["left"]["verdict"] == verdict
    assert sides["right"]["verdict"]["kind"] == "fine"
    page = ("-o", tmp_path / "r.html", "--no-remedies", "--json", "-")
    report = json.loads(run("report", trace, "--pool", "8KB", *need, *page))
    assert report["sides"][0]["replay"]["verdict"] == verdict
    assert verdict["sentence"] in " ".join((tmp_path / "r.html").read_text("utf-8").split())


@pytest.mark.parametrize("word_size", [4, 8])
def test_sizes_of_a_64_bit_program_are_marked_such(
    sized: Make, tmp_path: Path, word_size: int
) -> None:
    trace = sized(word_size)
    chip, page = ("--chip", "esp32"), ("-o", tmp_path / "r.html")
    outputs = (
        run("replay", trace, "--pool", "64KB"),
        run("fit", trace, "--allocator", "idf-5.5"),
        run("leaks", trace),
        run("export", trace, "--to", "csv", "-o", tmp_path / "e.csv", *chip),
        run("why", trace, "--pool", "8KB"),
        run("compare", trace, "--pool", "8KB", "--pool", "64KB"),
        run("compare", trace, *chip, "--idf", "4.2", "--idf", "5.5", "--parts"),
        run("report", trace, "--pool", "64KB", *page),
    )
    for text in outputs:
        assert " ".join(text.split()).count(WIDE) == (word_size == 8), text
    assert WIDE not in run("export", trace, "--to", "csv", "-o", tmp_path / "own.csv")


@pytest.mark.parametrize("word_size", [4, 8])
def test_the_json_of_each_verb_has_the_word_size(
    sized: Make, tmp_path: Path, word_size: int
) -> None:
    trace = sized(word_size)
    chip, json_ = ("--chip", "esp32"), ("--json", "-")
    plan = tmp_path / "heapscope.toml"
    plan.write_text(
        f'[memory]\npool = "64KB"\n[budget]\nfailures = 0\n[[run]]\ntrace = "{trace.name}"\n'
    )
    documents = [
        json.loads(run(*words, *json_))
        for words in (
            ("replay", trace),
            ("replay", trace, "--pool", "64KB"),
            ("fit", trace, "--allocator", "idf-5.5"),
            ("leaks", trace),
            ("export", trace, "--to", "csv", "-o", tmp_path / "e.csv"),
            ("why", trace, "--pool", "8KB"),
            ("compare", trace, "--pool", "8KB", "--pool", "64KB"),
            ("compare", trace, *chip, "--idf", "4.2", "--idf", "5.5", "--parts"),
            ("report", trace, "--pool", "64KB", "-o", tmp_path / "r.html"),
            ("check", plan),
        )
    ]
    for document in documents:
        each = document if isinstance(document, list) else [document]
        assert {one["word_size"] for one in each} == {word_size}


def test_a_trace_that_does_not_tell_its_word_size_has_none(tmp_path: Path, sized: Make) -> None:
    assert json.loads(run("leaks", sized(0), "--json", "-"))["word_size"] is None
