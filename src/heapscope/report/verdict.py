"""The answer in sentences, coloured by what it says."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from heapscope.measure.result import ReplayResult

__all__ = ["verdict_lines"]


def verdict_lines(result: ReplayResult) -> Iterator[RenderableType]:
    short = result.summary.failures or any(need.short_events for need in result.needs)
    style = "bold red" if short else "bold green"
    sentences = result.verdict()
    answers = max(len(result.needs) + bool(result.summary.failures), 1)
    for position, sentence in enumerate(sentences):
        yield Text(sentence, style=style if position < answers else "")
