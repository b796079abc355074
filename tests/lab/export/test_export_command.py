"""`heapscope export` as a command: where it writes, what it refuses, and what it says."""

from __future__ import annotations

import csv
import io
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard

from heapscope.capture.export.formats import FORMATS

from .conftest import Run, Write, story

COMMAND = [sys.executable, "-m", "heapscope", "export"]
MakeTrace = Callable[..., Path]
LINES = ("t net", "a 1 1000", "a 2 20000", "! middle", "f 1", "c 3 500", "r 3 700")


@pytest.fixture
def trace(make_trace: MakeTrace) -> Path:
    return make_trace(*LINES)


@pytest.mark.parametrize("one", FORMATS, ids=lambda one: one.name)
def test_every_format_goes_to_a_file_and_says_what_it_is(
    trace: Path, run: Run, tmp_path: Path, valid: Callable[[str], Any], one: Any
) -> None:
    out, facts = tmp_path / "out", tmp_path / "facts.json"
    done = run(trace, "--to", one.name, "-o", out, "--json", facts, "--pool", "64KB")
    assert (done.code, done.err) == (0, "")
    document = valid(facts.read_text(encoding="utf-8"))
    assert document["bytes"] == out.stat().st_size > 0
    assert (document["to"], document["events"], document["live_peak"]) == (one.name, 5, 21_000)
    assert (document["live_end"], document["failures"]) == (20_700, 0)
    text = done.out.decode()
    assert "5 heap events on one pool of 65,536 bytes" in text
    assert one.opens in text
    assert run(trace, "--to", one.name, "--pool", "64KB").out == out.read_bytes()


def test_a_memory_turns_it_into_what_the_replay_did(trace: Path, run: Run) -> None:
    plain, laid = run(trace, "--to", "csv"), run(trace, "--to", "csv", "--pool", "4KB")
    rows = [list(csv.DictReader(io.StringIO(done.out.decode()))) for done in (plain, laid)]
    assert [row["outcome"] for row in rows[0]] == ["ok"] * 5
    assert [row["outcome"] for row in rows[1]] == ["ok", "failed", "ok", "ok", "ok"]
    assert "address" in rows[1][0]
    assert "address" not in rows[0][0]


def test_rules_and_private_heaps_are_reported(
    trace: Path, run: Run, tmp_path: Path, valid: Any
) -> None:
    rules = tmp_path / "rules.toml"
    heap = '[[private]]\nname = "mine"\nsize = 8192\n'
    rules.write_text(heap + '[[rule]]\ntask = "net"\nsize = [0, 2000]\nprivate = "mine"\n')
    done = run(trace, "--to", "json", "--chip", "esp32", "--place", rules)
    assert (done.code, done.err) == (0, "")
    document = valid(done.out)
    small = [row["region"] for row in document["events"] if row["size"] in (500, 700, 1000)]
    assert len(set(small)) == 1
    assert small[0].endswith("mine")
    private = document["layout"]["regions"][-1]
    assert (private["name"], private["size"]) == (small[0], 8192)


def test_a_name_that_ends_in_zst_is_compressed(trace: Path, run: Run, tmp_path: Path) -> None:
    out = tmp_path / "T.csv.zst"
    assert run(trace, "--to", "csv", "-o", out).code == 0
    with zstandard.ZstdDecompressor().stream_reader(out.read_bytes()) as reader:
        assert reader.read() == run(trace, "--to", "csv").out


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("--to", "perfeto"), "unknown format 'perfeto'"),
        (("--to", "csv", "--weight", "total"), "--weight is for collapsed stacks, not for csv"),
        (("--to", "collapsed", "--weight", "leak"), "unknown weight 'leak'"),
        (("--to", "csv", "--json", "-"), "--output and --json both want standard output"),
        (("--to", "csv", "--idf", "5.5"), "--idf needs a chip"),
        (("--to", "csv", "--pool", "lots"), "--pool"),
        (("--to", "csv", "-o", "none/T.csv"), "there is no such folder"),
        ((), "Missing option '--to'"),
    ],
)
def test_what_it_cannot_do_names_the_cause_and_the_remedy(
    trace: Path, run: Run, arguments: tuple[str, ...], text: str
) -> None:
    done = run(trace, *arguments)
    assert (done.code, done.out) == (2, b"")
    assert text in done.err
    assert "remedy: " in done.err


def test_a_failed_export_leaves_what_was_there(trace: Path, run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    out = folder / "T.csv"
    out.write_text("old")
    missing = run(tmp_path / "none.hst", "--to", "csv", "-o", out)
    tiny = run(trace, "--to", "csv", "-o", out, "--pool", "16")
    itself = run(trace, "--to", "csv", "-o", trace)
    assert (missing.code, tiny.code, itself.code) == (2, 2, 2)
    assert "is the input" in itself.err
    assert [path.name for path in folder.iterdir()] == ["T.csv"]
    assert out.read_text() == "old"


def test_parquet_without_polars_says_how_to_get_it(
    trace: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "polars", None)
    done = run(trace, "--to", "parquet")
    assert done.code == 2
    assert 'pip install "polars' in done.err


def test_damage_is_stated_and_the_rest_exported(
    write_trace: Write, run: Run, tmp_path: Path, valid: Any
) -> None:
    data = write_trace(story(20_000)).read_bytes()
    broken = tmp_path / "broken.hst"
    broken.write_bytes(data[:-1000])
    to_stdout, to_file = (
        run(broken, "--to", "json", *more) for more in ((), ("-o", tmp_path / "B.json"))
    )
    document = valid(to_stdout.out)
    assert document["messages"]
    assert document["messages"][0] in to_stdout.err
    assert document["messages"][0] in to_file.out.decode()
    assert len(document["events"]) == document["totals"]["events"] > 0


# ---- as a process -----------------------------------------------------------------------------


def process(*arguments: object, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = [*COMMAND, *map(str, arguments)]
    return subprocess.run(command, input=given, capture_output=True, check=False)


@pytest.mark.slow
def test_a_profile_and_a_table_read_standard_input(trace: Path) -> None:
    data = trace.read_bytes()
    done = process("-", "--to", "collapsed", given=data)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"net 21000\n", b"")
    table = process("-", "--to", "csv", given=data)
    assert (table.returncode, table.stdout) == (0, process(trace, "--to", "csv").stdout)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal (POSIX)")
@pytest.mark.parametrize("to", ["perfetto", "parquet"])
def test_binary_formats_are_not_for_a_terminal(trace: Path, to: str) -> None:
    import pty

    main, terminal = pty.openpty()
    done = subprocess.run(
        [*COMMAND, str(trace), "--to", to], stdout=terminal, stderr=subprocess.PIPE, check=False
    )
    os.close(terminal)
    os.close(main)
    assert done.returncode == 2
    assert f"{to} is binary, and standard output is a terminal".encode() in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX pipes")
def test_a_reader_that_stops_early_is_no_error(long_trace: Path) -> None:
    command = [*COMMAND, str(long_trace), "--to", "csv"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        assert running.stdout.readline().startswith(b"event,time,")
        running.stdout.close()
        assert running.stderr.read() == b""
        assert running.wait() == 0


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="counts memory as Linux does")
def test_memory_does_not_follow_the_events(long_trace: Path, make_trace: MakeTrace) -> None:
    """A table of ten times the events takes no more memory than the 64 KB that are read at once."""
    program = (
        "import resource, sys; from heapscope.cli.entry import main; sys.argv[0] = 'heapscope'\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)"
    )
    used = []
    for path in (make_trace("a 0 1", name="short.hst"), long_trace):
        command = [sys.executable, "-c", program, "export", str(path), "--to", "csv"]
        done = subprocess.run(command, capture_output=True, check=True)
        used.append(int(done.stderr.split()[-1]))
    table = 200_000 * 88  # bytes, were all rows kept
    assert (used[1] - used[0]) * 1024 < table
