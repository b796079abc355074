"""Lines that several reports have: what a loss of events means, and the next command."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from rich.text import Text

from heapscope.trace.loss import Loss, is_cut


def next_command(*words: str) -> Text:
    """One line however narrow the terminal is: a line break would be copied too."""
    return Text(f"next: heapscope {shlex.join(words)}", style="dim", no_wrap=True)


def loss_lines(loss: Loss, *, counted: bool = False) -> Iterator[Text]:
    """Where, why, and what the figures below are of. `counted`: of all events that were read, in
    bounds of the whole run."""
    first, *others = loss.sentences()
    yield Text(first, style="bold yellow")
    for reason in loss.reasons:
        yield Text(f"damage: {reason}", style="yellow")
    if counted and is_cut(loss):
        others[0] = f"The part read bounds the whole run; {loss.share()}."
    yield from (Text(sentence, "yellow") for sentence in others)
