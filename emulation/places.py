"""Where things are, and what it means that something is not there."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

__all__ = ["BUILD", "HERE", "ROOT", "MissingError", "need_package", "run"]

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
BUILD = ROOT / "build" / "emulation"


class MissingError(Exception):
    """A tool is not on this machine; the message says which, and where it comes from."""


def need_package(name: str) -> None:
    if find_spec(name) is None:
        raise MissingError(f'{name}; Python package of the extra "dev"')


def run(*command: str | Path) -> str:
    """Standard output of a command; what it said is shown only if it fails."""
    arguments: Sequence[str] = [str(argument) for argument in command]
    done = subprocess.run(
        arguments, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        shown = " ".join(arguments)
        raise RuntimeError(f"{shown}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout
