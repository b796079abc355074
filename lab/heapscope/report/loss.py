"""The lines that every verb prints first where events of the trace are missing."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from heapscope.measure.loss import Loss


def loss_lines(loss: Loss, *, counted: bool = False) -> Iterator[Text]:
    """Where, why, and what the figures below are of. `counted`: of all events that were read, in
    bounds of the whole run."""
    where, use = loss.sentences()
    yield Text(where, style="bold yellow")
    for reason in loss.reasons:
        yield Text(f"damage: {reason}", style="yellow")
    yield Text(f"The part read bounds the whole run; {loss.share()}." if counted else use, "yellow")
