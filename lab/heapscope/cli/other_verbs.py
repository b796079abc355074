"""Verbs that other distributions add to the command line, by entry points of the group
"heapscope.verbs". A point names the function of a command, as typer has them; it is loaded when the
verb is asked for."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import entry_points
from typing import Any

import typer
from typer.core import TyperCommand

from heapscope.errors import HeapscopeError

__all__ = ["GROUP", "command", "names"]

GROUP = "heapscope.verbs"

#: Heapscope's own verbs that are apart: the distribution that has each, and what the verb does.
APART = {"experiment": ("heapscope-studies", "Compute a published experiment anew.")}


def names() -> list[str]:
    """The verbs that are installed, and those that could be."""
    return sorted({*APART, *(point.name for point in entry_points(group=GROUP))})


def command(name: str, cls: type[TyperCommand]) -> Any:
    """The command of this name, of this class; None: there is none. A verb of APART that is not
    installed says how to install it."""
    points = tuple(entry_points(group=GROUP, name=name))
    if points:
        function, settings = points[0].load(), {}
    elif name in APART:
        function = _missing(name)
        settings = {"ignore_unknown_options": True, "allow_extra_args": True}
    else:
        return None
    alone = typer.Typer(add_completion=False, rich_markup_mode=None)
    _, does = APART.get(name, ("", None))
    alone.command(name=name, cls=cls, short_help=does, context_settings=settings)(function)
    return typer.main.get_command(alone)


def _missing(name: str) -> Callable[[], None]:
    def missing() -> None:
        distribution, _ = APART[name]
        raise HeapscopeError(
            f"`heapscope {name}` is part of {distribution}, which is not installed",
            remedy=f"pip install {distribution}",
        )

    missing.__doc__ = "{1} It is part of {0}: pip install {0}.".format(*APART[name])
    return missing
