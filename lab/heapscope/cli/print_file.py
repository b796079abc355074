"""Files that the command prints of itself: completion for shells, its manual, and what builds
include."""

from __future__ import annotations

from typing import Any

from heapscope.builds.files import FILES, build_file
from heapscope.choices import did_you_mean
from heapscope.cli.group import ASKS
from heapscope.errors import InputError

SHELLS = ("bash", "zsh", "fish", "powershell")
MAN = "man"

#: All that --print knows.
NAMES = (*SHELLS, MAN, *FILES)


def printed_file(name: str, group: Any) -> str:
    """The text of a file. `group`: the parser of the command line. InputError: no such file."""
    if name in SHELLS:
        from typer.completion import get_completion_script  # type: ignore[attr-defined]

        text = get_completion_script(prog_name="heapscope", complete_var=ASKS, shell=name)
        return f"{text}\n"
    if name == MAN:
        from heapscope.cli.man_page import man_page

        return man_page(group)
    if name in FILES:
        return build_file(name)
    raise InputError(
        f"--print {name}: no such file",
        remedy=f"{did_you_mean(name, NAMES)}valid: {', '.join(NAMES)}",
    )
