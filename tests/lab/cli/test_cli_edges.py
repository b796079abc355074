"""The edges of a run, for every verb: output that cannot be written, and a signal at any moment.
Two lines and exit code 2, or the code of the signal; no file is half written, and none is left."""

from __future__ import annotations

import contextlib
import functools
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import typer

from heapscope.cli.app import app

from .conftest import VERBS, write_inputs

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and devices of POSIX")

COMMAND = [sys.executable, "-m", "heapscope"]
#: Moments of a signal, in a slow test and in a quick one. SIGHUP goes the way of SIGTERM.
MOMENTS = {"SIGTERM": (10, 2), "SIGHUP": (3, 2)}
OLD = b"as it was before\n"
EDGES = ("closed", "full", "SIGTERM", "SIGHUP")
SIGNALS = {"SIGTERM": signal.SIGTERM, "SIGHUP": signal.SIGHUP}
#: Command lines that print, without a verb.
WITHOUT_A_VERB = {
    "help": ("--help",),
    "help of a verb": ("replay", "--help"),
    "version": ("--version",),
    "manual": ("--print", "man"),
    "completion": ("--print", "bash"),
}


@dataclass(frozen=True)
class Ended:
    code: int
    out: bytes
    err: str
    seconds: float


@pytest.fixture
def folder(hst: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The inputs of VERBS, and a folder of its own for what is temporary."""
    write_inputs()
    Path("temporary").mkdir()
    monkeypatch.setenv("TMPDIR", str(Path("temporary").absolute()))
    return Path()


def ended(args: tuple[str, ...], *, edge: str = "", after: float = 0.0) -> Ended:
    """How the command line ends, with the edge; a signal comes so many seconds in."""
    before: dict[str, Callable[[], object] | None] = {
        "closed": lambda: os.close(1),
        "SIGHUP": lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),  # a nohup of the tests'
    }
    began = time.monotonic()
    with (
        Path("/dev/full").open("wb") as full,
        subprocess.Popen(
            [*COMMAND, *args],
            stdin=subprocess.DEVNULL,
            stdout=full if edge == "full" else subprocess.PIPE,
            stderr=subprocess.PIPE,
            preexec_fn=before.get(edge),
        ) as process,
    ):
        if edge in SIGNALS:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(after)  # it may be quicker than the run that was timed
            process.send_signal(SIGNALS[edge])
        out, err = process.communicate(timeout=300)
    return Ended(process.returncode, out or b"", err.decode(), time.monotonic() - began)


def outputs() -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in Path().glob("out*")}


@functools.cache
def whole_run(verb: str) -> tuple[Ended, dict[str, bytes]]:
    """A run without an edge and what it writes: the same in the folder of each of these tests."""
    return ended(VERBS[verb]), outputs()


def others() -> set[str]:
    """All that is there, besides outputs."""
    here = {path.name for path in Path().iterdir() if not path.name.startswith("out")}
    return here | {str(path) for path in Path("temporary").rglob("*")}


def own_lines(text: str) -> list[str]:
    """Without those of a device that is heard."""
    return [line for line in text.splitlines() if not line.startswith("heapscope: ")]


def lay_out(names: set[str]) -> None:
    """The outputs as an earlier run left them. A trace of `live` takes a name that is free."""
    for path in Path().glob("out*"):
        path.unlink()
    for name in names:
        if not name.startswith("out-"):
            Path(name).write_bytes(OLD)


def alike(name: str, data: bytes, whole: bytes) -> bool:
    """Whether it is old or whole. A recording tells the time, and differs."""
    return data in (OLD, whole) or (name == "out.hst" and len(data) > len(OLD))


def test_every_verb_has_a_command_line() -> None:
    group: Any = typer.main.get_command(app)
    assert set(group.list_commands(None)) == set(VERBS)


@pytest.mark.cells(3)
@pytest.mark.parametrize("edge", EDGES)
@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_is_sound_at_the_edge(
    folder: Path, verb: str, edge: str, seed: int, request: pytest.FixtureRequest
) -> None:
    args = VERBS[verb]
    whole, written = whole_run(verb)
    assert whole.code in (0, 1), whole.err
    chosen = random.Random(f"{seed} {verb} {edge}")
    many, few = MOMENTS.get(edge, (1, 1))
    count = many if request.node.get_closest_marker("slow") else few
    for after in sorted(chosen.uniform(0, whole.seconds) for _ in range(count)):
        lay_out(set(written))
        before = others()
        done = ended(args, edge=edge, after=after)
        where = f"seed {seed}, {verb}, {edge}, {after:.3f} s: {done.code}\n{done.err}"
        assert "Traceback" not in done.err, where
        if edge in SIGNALS:
            number = SIGNALS[edge]
            assert done.code in (128 + number, -number, whole.code), where
            assert done.code == whole.code or own_lines(done.err) == [], where
        else:
            assert done.code == 2, where
            first, second = own_lines(done.err)
            assert first.startswith("error: standard output: "), where
            assert second.startswith("remedy: "), where
        assert others() <= before | {"swept"}, where
        assert not list(Path().rglob("*.part")), where
        for name, data in outputs().items():
            assert alike(name, data, written.get(name, OLD)), f"{where}{name} is half written"


@pytest.mark.cells(2)
@pytest.mark.parametrize("edge", ["closed", "full"])
@pytest.mark.parametrize("requested", WITHOUT_A_VERB)
def test_what_is_no_verb_is_sound_at_the_edge(here: Path, requested: str, edge: str) -> None:
    done = ended(WITHOUT_A_VERB[requested], edge=edge)
    first, second = done.err.splitlines()
    assert done.code == 2
    assert first.startswith("error: standard output: ")
    assert second.startswith("remedy: ")


@pytest.mark.parametrize(("args", "code"), [(("replay", "none.hst"), 2), (("--version",), 0)])
@pytest.mark.parametrize("closed", [True, False])
def test_an_error_that_cannot_be_written_keeps_its_code(
    here: Path, args: tuple[str, ...], code: int, *, closed: bool
) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*COMMAND, *args],
            stdout=subprocess.PIPE,
            stderr=full,
            preexec_fn=(lambda: os.close(2)) if closed else None,
            check=False,
        )
    assert done.returncode == code
    assert b"error" not in done.stdout


def test_a_signal_that_nohup_ignores_is_ignored(folder: Path) -> None:
    """By the command, and by the program that it records."""
    script = "kill -HUP $PPID $$; exit 7"
    done = subprocess.run(
        [*COMMAND, "record", "-o", "out.hst", "--", "sh", "-c", script],
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 7, done.stderr
