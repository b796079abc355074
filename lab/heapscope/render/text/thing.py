"""A thing and its answer, on one screen."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.table import Table as Grid
from rich.text import Text

from heapscope.render.text.table import columns_of, table_of
from heapscope.trace.things.answer import NextCommand, ThingAnswer, Things, UnderstoodKind


def thing_parts(result: Things) -> Iterator[RenderableType]:
    for number, thing in enumerate(result.things):
        if number:
            yield Text()
        yield from _thing(thing)
    yield table_of(
        "Understood are", columns_of(UnderstoodKind), result.understood, name="understood"
    )


def _thing(thing: ThingAnswer) -> Iterator[RenderableType]:
    yield Text(f"{thing.thing}: {thing.what}")
    yield Text(thing.answer, style="bold")
    if thing.figures:
        grid = Grid.grid(padding=(0, 2))
        for one in thing.figures:
            grid.add_row(Text(one.name, style="dim"), Text(one.text, overflow="fold"))
        yield grid
    for note in thing.notes:
        yield Text(f"note: {note}", style="yellow")
    for other in thing.also:
        yield Text(f"It is also {other.what}.")
        if other.next is not None:
            yield _next(other.next)
    for command in thing.next:
        yield _next(command)


def _next(command: NextCommand) -> Text:
    """One line, however narrow the terminal is; behind the command is a comment of a shell."""
    return Text.assemble(
        ("next: ", "dim"), command.line, (f"  # {command.why}", "dim"), no_wrap=True
    )
