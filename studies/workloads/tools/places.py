"""Where things are, and what it means that something is not there."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

__all__ = ["BUILD", "CAPTURED", "ROOT", "WORKLOADS", "MissingError", "run"]

ROOT = Path(__file__).resolve().parents[3]
WORKLOADS = ROOT / "studies" / "workloads"
CAPTURED = WORKLOADS / "captured"
BUILD = ROOT / "build" / "workloads"


class MissingError(Exception):
    """A tool is not on this machine; the message says which, and where it comes from."""


def run(*command: str | Path, cwd: Path | None = None) -> str:
    """Standard output of a command; what it said is shown only if it fails."""
    arguments: Sequence[str] = [str(argument) for argument in command]
    done = subprocess.run(
        arguments, cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        shown = " ".join(arguments[:6])
        raise RuntimeError(f"{shown} ...: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout
