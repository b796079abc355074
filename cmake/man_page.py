"""Makes the manual page that a wheel installs, from the parser of the command line, for which typer
alone has to be installed. Called with the root of the sources, the version and a file."""

from __future__ import annotations

import sys
from pathlib import Path


def man_page(root: Path, version: str) -> str:
    sys.path.insert(0, str(root / "lab"))
    import typer

    from heapscope.base import version as installed
    from heapscope.cli import other_verbs

    installed.__version__ = version
    other_verbs.GROUP = ""  # verbs of other distributions, which this Python may have, are not ours
    from heapscope.cli.app import app
    from heapscope.cli.man_page import man_page

    return man_page(typer.main.get_command(app))


if __name__ == "__main__":
    root, version, page = sys.argv[1:]
    Path(page).write_text(man_page(Path(root), version), encoding="utf-8", newline="\n")
