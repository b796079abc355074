"""Verbs that other distributions add to the command line, by entry points of the group
"heapscope.verbs". A point names a function, written as those of this package are, or as typer has
it; it is loaded when its verb is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperCommand

from heapscope.base.errors import HeapscopeError

if TYPE_CHECKING:  # importing it takes longer than half of the command line
    from importlib.metadata import EntryPoint

GROUP = "heapscope.verbs"

#: Heapscope's own verbs that are installed apart: the distribution of each, and what it does.
APART = {"experiment": ("heapscope-studies", "Compute a published experiment anew.")}


def names() -> list[str]:
    """The verbs that are installed."""
    return sorted(point.name for point in _points())


def command(name: str, cls: type[TyperCommand]) -> Any:
    """The command of this name, of this class; None: none. A verb of APART whose
    distribution is not installed in this version is an error when it runs."""
    from heapscope.cli.call import Call
    from heapscope.cli.parser import parser
    from heapscope.cli.taken import taken

    point = next((point for point in _points() if point.name == name), None)
    lacking = _lacking(name, point)
    settings = {}
    if lacking is not None:
        function = _refusing(lacking)
        settings = {"ignore_unknown_options": True, "allow_extra_args": True}
    elif point is not None:
        function = point.load()
    else:
        return None
    does = APART[name][1] if name in APART else None
    if taken(function):
        return parser(function, Call.answer, name=name, cls=cls, short_help=does)
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(name=name, cls=cls, short_help=does, context_settings=settings)(function)
    return typer.main.get_command(app)


def _points() -> Iterable[EntryPoint]:
    from importlib.metadata import entry_points

    return entry_points(group=GROUP)


def _lacking(name: str, point: EntryPoint | None) -> HeapscopeError | None:
    """Why a verb of APART cannot run, and what to install."""
    if name not in APART:
        return None
    from heapscope.base.version import __version__

    distribution, _ = APART[name]
    remedy = f"in a clone of Heapscope {__version__}: pip install . ./studies"
    if point is None or point.dist is None:
        return HeapscopeError(
            f"`heapscope {name}` is part of {distribution}, which is not installed", remedy=remedy
        )
    if point.dist.version != __version__:
        return HeapscopeError(
            f"{distribution} has the version {point.dist.version}, and heapscope {__version__}",
            remedy=remedy,
        )
    return None


def _refusing(error: HeapscopeError) -> Callable[[], None]:
    def refuse() -> None:
        raise error

    refuse.__doc__ = f"Cannot run: {error.message}.\n\n{error.remedy}"
    return refuse
