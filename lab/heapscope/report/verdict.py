"""The answer in sentences, coloured by what it says."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from heapscope.measure.result import ReplayResult

__all__ = ["verdict_lines"]


STYLES = {"failed": "bold red", "short": "bold red", "damage": "bold yellow", "near": "bold yellow"}


def verdict_lines(result: ReplayResult) -> Iterator[RenderableType]:
    """The headline, and every other finding that is not fine, in the colour of its kind."""
    verdict = result.verdict
    for position, finding in enumerate(verdict.findings):
        headline = "bold green" if position == 0 else ""
        yield Text(finding.sentence, style=STYLES.get(finding.kind, headline))
    for sentence in verdict.limits:
        yield Text(sentence)
