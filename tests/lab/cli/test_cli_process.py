"""The command as a process: pipes, colours, exit codes, speed of its start."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from heapscope.base.errors import HeapscopeError
from heapscope.base.progress import ProgressStep
from heapscope.cli.app import app
from heapscope.cli.group import UsageError
from heapscope.cli.progress import Bar

Run = Callable[..., Any]
COMMAND = [sys.executable, "-m", "heapscope"]


def process(*args: object, **options: Any) -> subprocess.CompletedProcess[str]:
    command = [*COMMAND, *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


def test_piped_output_has_no_colours_and_errors_go_to_stderr(hst: Path) -> None:
    done = process("replay", hst, "--pool", "64KB")
    assert (done.returncode, done.stderr) == (0, "")
    assert "\x1b" not in done.stdout
    failed = process("replay", hst, "--pool", "lots")
    assert (failed.returncode, failed.stdout) == (2, "")
    assert failed.stderr.startswith("error: ")


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal (POSIX)")
def test_a_terminal_gets_colours_unless_not_to(hst: Path) -> None:
    coloured = on_a_terminal(["replay", str(hst), "--pool", "64KB"], NO_COLOR=None)
    plain = on_a_terminal(["replay", str(hst), "--pool", "64KB"], NO_COLOR="1")
    colour = re.compile(r"\x1b\[[0-9;]*3[0-7]m")
    assert colour.search(coloured)
    assert not colour.search(plain)
    assert not re.search(r"\x1b\[[0-9;]*m", plain)  # bold, dim and underlined neither


def on_a_terminal(args: list[str], **variables: str | None) -> str:
    import pty

    env = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "80", **variables}
    main, terminal = pty.openpty()
    with subprocess.Popen(
        [*COMMAND, *args],
        stdout=terminal,
        stderr=terminal,
        stdin=subprocess.DEVNULL,
        env={name: value for name, value in env.items() if value is not None},
    ):
        os.close(terminal)
        pieces = []
        try:
            while piece := os.read(main, 65536):
                pieces.append(piece)
        except OSError:  # how Linux says that the other end is closed
            pass
        os.close(main)
    return b"".join(pieces).decode()


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX pipes")
@pytest.mark.parametrize("args", [("replay", "--pool", "64KB"), ("replay", "--json", "-")])
def test_a_reader_that_stops_early_is_no_error(hst: Path, args: tuple[str, ...]) -> None:
    verb, *options = args
    options += [] if "--pool" in options else ["--pool", "64KB"]
    command = [*COMMAND, verb, str(hst), *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.close()
        errors = running.stderr.read()
        code = running.wait()
    assert (code, errors) == (0, b"")


def test_a_terminal_without_utf_8_gets_no_error(hst: Path) -> None:
    env = os.environ | {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = process("replay", hst, "--pool", "64KB", env=env)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.isascii()


def test_a_caller_that_wants_no_exit_gets_results_and_exceptions(
    hst: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert not app(["replay", str(hst), "--pool", "64KB", "--digest"], standalone_mode=False)
    assert capsys.readouterr().out.startswith("digest ")
    with pytest.raises(HeapscopeError, match="'lots'"):
        app(["replay", str(hst), "--pool", "lots"], standalone_mode=False)
    with pytest.raises(UsageError):
        app(["replay", "--bogus"], standalone_mode=False)
    assert capsys.readouterr() == ("", "")
    with pytest.raises(SystemExit):
        app(["replay", str(hst), "--pool", "lots"])


def test_a_trace_from_standard_input(hst: Path) -> None:
    with hst.open("rb") as file:
        done = process("replay", "-", "--pool", "64KB", "--digest", stdin=file)
    assert done.stdout == process("replay", hst, "--pool", "64KB", "--digest").stdout != ""


def test_a_traceback_is_shown_when_requested(hst: Path) -> None:
    env = os.environ | {"HEAPSCOPE_TRACEBACK": "1"}
    done = process("replay", hst, "--pool", "lots", env=env)
    assert done.returncode == 2
    assert "Traceback" in done.stderr
    assert "error: --pool: 'lots'" in done.stderr


def test_help_starts_without_the_heavy_libraries() -> None:
    script = """
        import sys
        from heapscope.cli.app import app
        try:
            app(["--help"])
        except SystemExit:
            pass
        heavy = {"numpy", "cffi", "rich", "heapscope.base.zstd", "http.client"} & set(sys.modules)
        sys.exit(f"imported: {heavy}" if heavy else 0)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_the_progress_bar_needs_a_terminal_and_a_second(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = time.monotonic()
    bar = Bar()
    monkeypatch.setattr("time.monotonic", lambda: now + 60)
    bar(ProgressStep("replaying", 10, 100, 1000))
    bar.close()
    assert capsys.readouterr().err == ""
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.setattr("time.monotonic", lambda: now + 62)
    bar(ProgressStep("replaying", 20, 100, 60_000_000))
    bar(ProgressStep("replaying", 30, None))
    bar.close()
    assert "replaying" in capsys.readouterr().err
    quick = Bar()
    quick(ProgressStep("replaying", 10, 100))
    quick.close()
    assert capsys.readouterr().err == ""
