"""The pages, and the reasons for which a block of theirs is not run."""

from __future__ import annotations

import runpy
import subprocess
from functools import cache
from pathlib import Path

from .page import ROOT, Page

#: Why a block of a shell is not run. The last is followed by the test that runs it: "by tests/…".
NOT_RUN = (
    "it needs a device",
    "it needs the network",
    "it needs another system",
    "it takes minutes",
)
BY = "a test runs it: "
#: Why a block of output is not compared.
NOT_COMPARED = ("figures of a machine",)


def tracked(*patterns: str) -> list[Path]:
    """Files of the repository, or that would be, from its root."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", *patterns],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    paths = sorted(Path(name) for name in listed.split("\0") if name)
    return [path for path in paths if (ROOT / path).is_file()]


@cache
def pages() -> tuple[Page, ...]:
    """Every Markdown file of the repository but news, and what a generator writes whole."""
    built = runpy.run_path(str(ROOT / "docs" / "generators" / "__main__.py"))["GENERATORS"]
    return tuple(
        Page(path) for path in tracked("*.md") if str(path) not in {"CHANGELOG.md", *built}
    )
