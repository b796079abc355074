"""Verbs of other distributions: they are commands like all others, loaded when they are asked for;
one of ours that is not installed says how to install it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import metadata
from importlib.metadata import EntryPoint, EntryPoints
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import typer

from heapscope import __version__
from heapscope.cli import other_verbs

Run = Callable[..., Any]
Install = Callable[..., None]


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Install:
    """install("NAME=MODULE:FUNCTION"): only these entry points are there."""

    def install(*verbs: str, version: str = __version__) -> None:
        points = []
        for name, value in (verb.split("=") for verb in verbs):
            points.append(EntryPoint(name, value, other_verbs.GROUP))
            vars(points[-1])["dist"] = SimpleNamespace(version=version)
        entry_points = EntryPoints(points)
        monkeypatch.setattr(metadata, "entry_points", entry_points.select)

    return install


def reported(path: str, times: int = 1) -> None:
    """Say it.

    Examples: none
    """
    for _ in range(times):
        typer.echo(f"told {path}")


def test_a_verb_of_another_distribution_is_a_command(
    install: Install, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = ModuleType("someone_s_verbs")
    module.told = reported  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "someone_s_verbs", module)
    install("tell=someone_s_verbs:told")
    done = run("tell", "--times", "2", "x")
    assert (done.code, done.out) == (0, "told x\ntold x\n")
    assert "Say it." in run("tell", "--help").out
    assert "  tell  Say it." in run("--help").out
    assert run("tell").code == 2


def test_it_is_loaded_only_when_it_is_requested(install: Install, run: Run) -> None:
    install("tell=there_is_no_such_module:told")
    assert run("replay", "--help").code == 0
    with pytest.raises(ModuleNotFoundError):
        other_verbs.command("tell", typer.core.TyperCommand)


def test_a_verb_of_ours_is_not_replaced(install: Install, run: Run) -> None:
    install("replay=there_is_no_such_module:told")
    assert "Say what a trace holds" in run("--help").out
    assert "Run a trace on a chip's memory" in run("replay", "--help").out


@pytest.mark.parametrize("args", [(), ("heap-change",), ("all", "--html", "x.html")], ids=len)
def test_without_the_studies_experiment_says_what_to_install(
    install: Install, run: Run, args: tuple[str, ...]
) -> None:
    install()
    done = run("experiment", *args)
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "error: `heapscope experiment` is part of heapscope-studies, which is not installed\n"
        f"remedy: in a clone of Heapscope {__version__}: pip install . ./studies\n"
    )
    assert "experiment" not in run("--help").out


def test_studies_of_another_version_are_refused(install: Install, run: Run) -> None:
    install("experiment=heapscope_studies.verb:experiment", version="0.0.9")
    done = run("experiment", "heap-change")
    assert (done.code, done.out) == (2, "")
    assert "heapscope-studies has the version 0.0.9, and heapscope" in done.err
    assert "pip install . ./studies" in done.err
