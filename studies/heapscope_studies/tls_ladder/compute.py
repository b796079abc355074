"""The whole experiment: the steps are replayed, their cost worked out; then the tables."""

from __future__ import annotations

from collections.abc import Callable

from heapscope_studies import tls_ladder
from heapscope_studies.data_file import read_published
from heapscope_studies.result import Check, Experiment
from heapscope_studies.tls_ladder import cost, curves, tables
from heapscope_studies.tls_ladder.constants import values
from heapscope_studies.tls_ladder.ladder import climb
from heapscope_studies.tls_ladder.steps import STEPS


def compute(progress: Callable[[int, int], None]) -> Experiment:
    """`progress` is called with parts done and parts in all."""
    published = read_published("tls_ladder")
    steps = published["step"]
    first = (steps[0]["dram"], steps[0]["iram"])
    parts = 2 * len(STEPS) + 1
    use = values()
    firmware, rows = climb(first, use=use, progress=lambda done: progress(done, parts))
    _, longer = climb(
        first,
        use=use,
        every_message=True,
        progress=lambda done: progress(len(STEPS) + done, parts),
    )
    slow = cost.slow_down(
        cost.read_counted(), smallest=STEPS[-1].iram_from, cycles=use["restricted_cycles"]
    )
    tcp = cost.throughputs(use["clock_mhz"])
    progress(parts, parts)
    gains = tables.gains(rows, steps)
    clients = rows[0].tasks["aws_iot"][0], steps[0]["aws_iot"][0]
    costs = tables.costs(slow, tcp, use["clock_mhz"], published["cost"])
    return Experiment(
        name=tls_ladder.NAME,
        title=tls_ladder.TITLE,
        source=published["source"],
        findings=tuple(
            tables.findings(gains, costs, firmware, tables.gains(longer, steps), clients)
        ),
        tables=(
            tables.ladder(gains),
            tables.tasks(rows, steps),
            tables.cost_table(costs),
            tables.longer_messages(gains, tables.gains(longer, steps)),
            tables.parts(use),
            tables.constants(),
        ),
        plots=tuple(curves.plots(gains, rows, steps)),
        checks=(
            Check(
                what="minimum free DRAM of the first step, which the static use is found from",
                published=first[0],
                computed=rows[0].dram,
            ),
            Check(
                what="minimum free IRAM of the first step, likewise",
                published=first[1],
                computed=rows[0].iram,
            ),
        ),
        figures=tables.figures(gains, costs),
    )
