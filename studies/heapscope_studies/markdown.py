"""Experiments as a document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from heapscope.render.text.markdown import table_lines
from heapscope_studies.laid_out import laid_out
from heapscope_studies.result import Experiment

HEAD = """\
# Experiments

Published figures beside what Heapscope computes, by `heapscope experiment`. The same as JSON:
`--json`, by `heapscope --print schema experiment`.
"""


def markdown(experiments: Sequence[Experiment]) -> str:
    """The whole document."""
    lines = [HEAD]
    for experiment in experiments:
        lines += _experiment(experiment)
    return "\n".join(lines)


def _experiment(experiment: Experiment) -> Iterator[str]:
    yield f"## {experiment.name}\n"
    yield f"{experiment.title}. Published: {experiment.source}.\n"
    yield from (f"- {sentence}" for sentence in (*experiment.findings, experiment.verdict()))
    yield ""
    if experiment.plots:
        names = "; ".join(plot.title for plot in experiment.plots)
        yield f"Curves, drawn by `heapscope experiment {experiment.name} --html FILE`: {names}.\n"
    for table in experiment.tables:
        yield f"### {table.title}\n"
        yield from table_lines(laid_out(table))
