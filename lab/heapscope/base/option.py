"""An option or an argument of a verb, declared once: on a parameter of the verb's function."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Option:
    """The help of a parameter on the command line; it stands in the parameter's `Annotated` type.

    `file`: the value is text that names a file that is read. `flags`: the spellings, where they are
    others than the parameter's name. `least`, `most`: limits of a number. `kind`: the type on the
    command line, where the parameter's own does not tell. `writes`: the value names an output.
    `required`: on the command line alone. `reads`: the files that a value stands for.
    """

    metavar: str
    help: str
    file: bool = False
    flags: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None
    kind: type | None = None
    writes: bool = False
    required: bool = False
    reads: Callable[[Any], Iterable[Path]] | None = None


def flag(name: str) -> str:
    """How the command line spells a parameter."""
    return "--" + name.replace("_", "-")
