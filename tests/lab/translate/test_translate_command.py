"""`heapscope translate`: what it writes, what it says, and what it refuses."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from recording.both_words import Pair
from typer.testing import CliRunner

from heapscope.cli.app import app
from heapscope.native.events import NativeWriter, event_dtype
from heapscope.trace.info import read_info

SITES = 4  # format/SPEC.md, section 3


def run(*args: object, code: int = 0) -> str:
    done = CliRunner().invoke(app, list(map(str, args)))
    assert done.exit_code == code, done.output
    return " ".join(done.output.split())


def answer(*args: object) -> Any:
    return json.loads(CliRunner().invoke(app, [*map(str, args), "--json", "-"]).stdout)


def traced(path: Path, word_size: str | None, *, features: int = SITES) -> Path:
    rows = np.zeros(3, dtype=event_dtype())
    rows["kind"], rows["key"], rows["size"] = 1, np.arange(3), 24
    with NativeWriter(features=features) as writer:
        if word_size is not None:
            writer.metadata("word_size", word_size)
        writer.events(rows)
        writer.finish()
        path.write_bytes(b"".join(writer.take()))
    return path


def test_the_live_peak_is_that_of_the_32_bit_program(
    pair: Callable[..., Pair], tmp_path: Path
) -> None:
    built = pair("typed", "-O0")
    out, lower = tmp_path / "T32.hst", tmp_path / "low.hst"
    result = answer(
        "translate", built.trace, "-o", out, "--lower", lower, "--program", built.program
    )
    wide, narrow = read_info(built.trace), read_info(built.narrow_trace)
    assert result["recorded_peak"] == wide.live_peak
    assert result["lower_peak"] == result["upper_peak"] == narrow.live_peak < wide.live_peak
    for file in (out, lower):
        info = read_info(file)
        assert (info.live_peak, info.word_size) == (narrow.live_peak, 4)
        assert info.events == wide.events
        assert info.site_count == wide.site_count
    assert result["word_size"] == 4
    assert result["exact_bytes"] == result["bytes"]


def test_without_elf_the_program_is_that_of_the_trace(pair: Callable[..., Pair]) -> None:
    built = pair("typed", "-O0")
    assert answer("translate", built.trace)["programs"] == [str(built.program)]


def test_bounds_are_written_apart_and_stated_afterwards(
    pair: Callable[..., Pair], tmp_path: Path
) -> None:
    built = pair("doubtful", "-O0")
    out, lower = tmp_path / "T32.hst", tmp_path / "low.hst"
    text = run("translate", built.trace, "-o", out, "--lower", lower)
    assert "0.0 % of the bytes" in text
    assert "heapscope fit" in text
    least, most = read_info(lower).live_peak, read_info(out).live_peak
    assert least < read_info(built.narrow_trace).live_peak <= most
    words = "Translated from a 64-bit recording: 0.0 % of the bytes have the exact size, the others"
    replayed = run("replay", out, "--pool", "64KB")
    assert f"{words} the largest that is possible." in replayed
    assert f"{words} the smallest that is possible." in run("fit", lower, "--allocator", "idf-5.5")


@pytest.mark.parametrize(
    ("word_size", "features", "text"),
    [
        ("4", SITES, "32-bit words already"),
        (None, SITES, "does not tell the size of its words"),
        ("8", 0, "--stacks 8"),
    ],
)
def test_what_cannot_be_translated_is_refused(
    tmp_path: Path, word_size: str | None, features: int, text: str
) -> None:
    trace = traced(tmp_path / "T.hst", word_size, features=features)
    assert text in run("translate", trace, "--program", "none", code=2)


def test_a_file_that_is_no_program_is_refused(tmp_path: Path) -> None:
    trace = traced(tmp_path / "T.hst", "8")
    assert "no ELF file" in run("translate", trace, "--program", trace, code=2)


def test_a_program_newer_than_the_recording_is_refused(
    pair: Callable[..., Pair], tmp_path: Path
) -> None:
    built = pair("typed", "-O0")
    old = tmp_path / "old.hst"
    old.write_bytes(built.trace.read_bytes())
    before = built.program.stat().st_mtime - 100
    os.utime(old, (before, before))
    assert "newer than the recording" in run("translate", old, "--program", built.program, code=2)


def test_an_output_is_not_the_recording(pair: Callable[..., Pair]) -> None:
    built = pair("typed", "-O0")
    kept = built.trace.read_bytes()
    run("translate", built.trace, "-o", built.trace, code=2)
    assert built.trace.read_bytes() == kept
