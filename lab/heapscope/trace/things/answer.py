"""The answer that a thing gets at once."""

from __future__ import annotations

import shlex

from heapscope.base.rows.figure import computed, figure
from heapscope.base.rows.row import Document, Row


class ThingFigure(Row):
    """One of the figures that matter."""

    name: str = figure("Its name.")
    value: float | None = figure("Its value; null: it is a word.", least=None)
    unit: str = figure("Its unit, B for bytes; empty: a count, or a word.")
    text: str = figure("The same for people.")


class NextCommand(Row):
    """A command that goes on from here."""

    words: tuple[str, ...] = figure("Its words after heapscope.")
    why: str = figure("The question that it answers.")

    @property
    @computed("The line to copy.", last=True)
    def line(self) -> str:
        return f"heapscope {shlex.join(self.words)}"


class OtherKind(Row):
    """Another kind that the thing is of."""

    what: str = figure("Its description then.")
    next: NextCommand | None = figure("The command for it; null: no verb reads it.")


class UnderstoodKind(Row):
    """A kind of thing that is understood."""

    what: str = figure("Its description.", heading="understood")
    sample: str = figure("A line, or the bytes, by which it is known.", heading="known by")


class ThingAnswer(Row):
    """One thing, or two that are compared."""

    thing: str = figure("The thing as it was named.")
    kind: str = figure("Its kind, as a name.")
    what: str = figure("Its description.")
    answer: str = figure("The answer in a sentence.")
    figures: tuple[ThingFigure, ...] = figure("The figures that matter.", entries=(0, 3))
    next: tuple[NextCommand, ...] = figure("The next commands.", entries=(0, 2))
    also: tuple[OtherKind, ...] = figure("Other kinds that it is of.", default=())
    notes: tuple[str, ...] = figure("The limits of the answer, a sentence each.", default=())


class Things(Document):
    """The things that were named: the kind and the answer of each."""

    VERB = "thing"
    VERSION = 1
    COMMAND = "THING --json"
    main_table = "things"

    things: tuple[ThingAnswer, ...] = figure("The things, in their order.", entries=(1, None))
    understood: tuple[UnderstoodKind, ...] = figure(
        "The kinds that are understood; empty: all things are of one."
    )
