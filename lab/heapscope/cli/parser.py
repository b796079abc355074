"""The parser of a verb, made from its Python function: each parameter whose type has an Option is
an argument or an option of the command line. A second function ends the command, and
its signature has the options that no Python function takes, such as --json."""

from __future__ import annotations

import re
from collections.abc import Callable
from inspect import Signature, cleandoc
from typing import Any, cast

import typer
from typer.core import TyperCommand

from heapscope.cli.call import Call
from heapscope.cli.taken import taken
from heapscope.cli.verbs.options import EveryRow, Json, JsonBrief

#: Paragraphs of a docstring that are about the Python interface alone.
_PYTHON = "Python: "

#: A paragraph that keeps its lines: an example, or a table.
_KEPT = re.compile(r"^ |\S {3,}\S", re.MULTILINE)


def parser(
    function: Callable[..., Any],
    end: Callable[..., None] | None = None,
    *,
    name: str,
    cls: type[TyperCommand],
    short_help: str | None = None,
    settings: dict[str, Any] | None = None,
) -> Any:
    """The command of a verb's function. `end` gets the Call and what the command adds; without it
    the answer is printed, or written as JSON."""
    ends = end or _give
    of_verb, added = taken(function), taken(ends)

    def run(**values: Any) -> None:
        call = Call(function, of_verb, values)
        ends(call, **{one.name: values[one.name] for one in added})

    built = cast(Any, run)
    parameters = [one.parameter() for one in (*of_verb, *added)]
    built.__signature__ = Signature(parameters)
    built.__annotations__ = {one.name: one.annotation for one in parameters}
    app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    shown = help_of(function.__doc__ or "")
    app.command(name=name, cls=cls, help=shown, short_help=short_help, context_settings=settings)(
        run
    )
    command = cast(Any, typer.main.get_command(app))
    command.outputs = [one.name for one in (*of_verb, *added) if one.option.writes]
    return command


def help_of(text: str) -> str:
    """A docstring as the parser takes it, which wraps every paragraph that does not begin with
    \\\\b."""
    paragraphs = cleandoc(text).split("\n\n")
    return "\n\n".join(
        f"\b\n{one}" if _KEPT.search(one) else one
        for one in paragraphs
        if not one.startswith(_PYTHON)
    )


def _give(
    call: Call, *, json: Json = None, json_brief: JsonBrief = None, every_row: EveryRow = False
) -> None:
    call.give(json, brief=json_brief, every_row=every_row)
