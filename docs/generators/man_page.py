"""lab/man/heapscope.1, the manual page that a wheel installs, made from the parser."""

from __future__ import annotations

import typer
from pages import make

from heapscope.cli.app import app
from heapscope.cli.man_page import man_page

if __name__ == "__main__":
    make("lab/man/heapscope.1", man_page(typer.main.get_command(app)))
