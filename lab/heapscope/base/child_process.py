"""The one place where a process is started. A Python of ours never looks for modules in the current
folder, which may be a stranger's project: `-P` keeps it out, for the process and, by the
environment, for those that it starts. PYTHONPATH and what else the user set stays as it is: this
process obeys it already."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

SAFE_PATH = "PYTHONSAFEPATH"
_WARNINGS = "PYTHONWARNINGS"

Child = subprocess.Popen[bytes]
TimeoutExpired = subprocess.TimeoutExpired
NOTHING = subprocess.DEVNULL


def python_module(name: str, *arguments: str | os.PathLike[str]) -> list[str]:
    """The command line of a module in this Python."""
    return [sys.executable, "-P", "-m", name, *(os.fspath(one) for one in arguments)]


def run(command: Sequence[str], **options: Any) -> subprocess.CompletedProcess[Any]:
    """Runs it to its end. `options`: as of subprocess.run()."""
    return subprocess.run(command, **{"check": False, **options})


def start(command: Sequence[str], **options: Any) -> subprocess.Popen[bytes]:
    """Starts it. `options`: as of subprocess.Popen()."""
    return subprocess.Popen(command, **options)


@contextmanager
def safe_children() -> Iterator[None]:
    """For a library that starts Python processes by itself: they take no modules from the current
    folder, either, and the one that cleans up behind a signal does so silently."""
    warnings = [os.environ.get(_WARNINGS, ""), "ignore:resource_tracker:UserWarning"]
    own = {SAFE_PATH: "1", _WARNINGS: ",".join(filter(None, warnings))}
    before = {name: os.environ.get(name) for name in own}
    os.environ.update(own)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
