"""Runs the commands of a page in an empty folder, in which the repository's files can be named as
from its root."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import pytest
from typer.testing import CliRunner

from heapscope.cli.app import app

from .page import ROOT, Command, Page

WIDTH = "100"  # of the terminal
HIDDEN = {".git", ".venv", "build"}


def run_page(
    page: Page, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[Command, str]]:
    """Each command with what it printed, on both outputs as they come. Fails where one fails."""
    here = folder / "here"
    here.mkdir()
    for entry in ROOT.iterdir():
        if entry.name not in HIDDEN:
            (here / entry.name).symlink_to(entry)
    monkeypatch.chdir(here)
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    for name, value in {"PATH": path, "COLUMNS": WIDTH, "TERM": "dumb"}.items():
        monkeypatch.setenv(name, value)
    for plain, some in groupby(page.commands, lambda command: bool(command.words)):
        if plain:
            yield from ((command, _here(page, command)) for command in some)
        else:
            yield from _in_a_shell(page, list(some))


def _here(page: Page, command: Command) -> str:
    """In this process: to start one takes most of a short command's time."""
    done = CliRunner().invoke(app, command.words)
    assert done.exit_code == command.code, (
        f"{page.path}:{command.line}: {command.text}\n{done.output}"
    )
    return done.output


def _in_a_shell(page: Page, commands: list[Command]) -> Iterator[tuple[Command, str]]:
    """A zero byte ends the output of each."""
    script = "".join(f"{command.text}\nprintf '\\0'\n" for command in commands)
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", f"exec 2>&1\n{script}"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        timeout=1200,
        check=False,
    )
    *outputs, rest = done.stdout.split("\0")
    if done.returncode:
        failed = commands[len(outputs)]
        pytest.fail(f"{page.path}:{failed.line}: {failed.text}\n{rest}")
    yield from zip(commands, outputs, strict=True)
