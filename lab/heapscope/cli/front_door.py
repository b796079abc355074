"""The first word of a command line where it is not a verb: a thing, the name that a verb had, or a
mistyped verb."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from typer.core import TyperCommand

from heapscope.base.choices import did_you_mean
from heapscope.base.errors import InputError
from heapscope.base.placed_file import placed
from heapscope.base.port import TARGET, is_port
from heapscope.base.printable import printable
from heapscope.cli.old_verbs import renamed

_NAME = re.compile(r"[a-z][a-z_-]*")
_ENTRIES_MAX = 2000  # names of a folder among which a mistyped one is looked for


def thing_command(words: Sequence[str], cls: type[TyperCommand]) -> Any:
    """The command for things where the first word names one; None: it can only be a mistyped verb.
    HeapscopeError: it is an old verb, or a file that is not there."""
    first = words[0]
    if (error := renamed(first, words[1:])) is not None:
        raise error
    path = placed(first)[0].replace("\0", "")
    if first == "-" or is_port(first) or first.startswith(TARGET) or os.path.lexists(path):
        return command(cls)
    if _NAME.fullmatch(first) or first.startswith("-"):
        return None
    raise InputError(
        f"{printable(first, limit=400)}: no such file",
        remedy=f"{_near(Path(first))}check the path; heapscope --help lists the verbs",
    )


def command(cls: type[TyperCommand]) -> Any:
    """The command without a name that takes things."""
    from heapscope.cli.parser import parser
    from heapscope.cli.thing import thing as end
    from heapscope.cli.things.thing import thing

    return parser(thing, end, name="THING", cls=cls)


def _near(path: Path) -> str:
    """ "did you mean boot.log? ", of the files beside it."""
    try:
        with os.scandir(path.parent) as result:
            names = [entry.name for entry, _ in zip(result, range(_ENTRIES_MAX), strict=False)]
    except (OSError, ValueError):
        return ""
    return printable(did_you_mean(path.name, names), limit=200)
