"""docs/reference/sweep.md, made from the columns of the results and the options of the memory."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator
from pathlib import Path

from pages import make

from heapscope.fleet.sweep.columns import COLUMNS
from heapscope.fleet.sweep.inputs import planned_trace
from heapscope.fleet.sweep.output import FORM
from heapscope.fleet.sweep.plan import BATCH_CELLS, BATCH_EVENTS, RUN_REPLAYS, SEARCH_REPLAYS
from heapscope.fleet.sweep.plan_file import CELLS_MAX
from heapscope.memory.options import DECLARED
from heapscope.simulation.jitter.runs import STRENGTH

HEAD = """\
# Sweeps

[`heapscope sweep`](../guide/sweep.md) reads a plan, and writes results that anyone can query. `make
generated` makes this page.

## The plan

A plan is a TOML file. Names of files in it are relative to its folder.

| key | what it holds |
| --- | --- |
| `traces` | a file, a pattern such as `"fleet/**/*.hst.zst"`, or a list of them |
| `need` | requests that are asked about at every moment, as `--need` has them: `["16717", \
"4KB:DMA"]` |
| `[jitter]` | `runs`: perturbed runs beside the recorded one; `seed` (0); `strength` \
({strength:g}) |
| `[prices]` | the price of a chip: `esp32c3 = 0.9`; any unit, as only their order counts |
| `[[grid]]` | choices of the memory: each combination is one configuration |

A key of a grid is an option of `replay` without its `--`: {options}. A value is a text, a number or
a switch, or a list of them; an empty text means that the option is not given. Sizes may go in
steps: `pool = {{ from = "64KB", to = "256KB", step = "4KB" }}`. `pool = "least"` searches for the
smallest pool, as `heapscope fit` does, and with `[jitter]` also for that of each perturbed run, as
`fit --jitter` does. The plan's needs are `fit --need` there: such a pool has room for each of them
at every moment.

Cells are all combinations of traces, configurations of all grids, and runs; a plan has at most
{cells:,} of them. A plan is refused where its keys contradict each other: a value that goes with
none of the others, a value or a trace named twice, a configuration that two grids have. A single
combination that cannot be is a cell with a reason.

## The folder of results

| file | what it holds |
| --- | --- |
| `sweep.json` | the form ({form}) and the plan: traces and files with the hashes of their \
contents, so that other contents are another plan |
| `cells/part=N/batch-M.parquet` | the results of batch M, complete: a file has its name when \
all of it is on the disk |
| `.claim` | locked while a client writes there |

A batch is a range of cells of about {events:,} heap events and at most {batch:,} cells; a search
counts as {search} replays, and one for a perturbed run as {run}. Batches depend on the plan alone,
so each is there once, however often it was replayed. The metadata of its file has
`heapscope_batch`, which names the plan and the batch. A file that holds another batch than its name
says, or one of another sweep, is refused. 1,000 batches share a folder `part=N`.

## The columns

One row is one cell. With DuckDB, for example:

```sql
SELECT chip, idf, min(min_free), bool_and(safe)
FROM read_parquet('plan.sweep/cells/*/*.parquet', hive_partitioning = false)
GROUP BY chip, idf ORDER BY 3 DESC;
```

| column | type | meaning |
| --- | --- | --- |
"""

TAIL = """
After a loss of events the figures are those of the part that was read.
"""

SPEED = """
## Measured

`python benches/bench_sweep.py --write` measures censuses of pool sizes by five allocators over the
captured gateway, {events:,} heap events. It counts processor time of all processes together, start
and end of the cluster included: times on the clock tell nothing on a machine that others use.
*Replaying* is the time inside of replays.

| cells | workers | batches | replaying | in batches | all together | beside replays | cells a \
second of processor time |
| --- | --- | --- | --- | --- | --- | --- | --- |
"""

FLEET = """
For {cells:,} cells two workers cost {difference:.1f} % {way} processor time than one, and
{beside:.1f} % of theirs is beside replays. The goals were at most 10 % more, and at most 10 %
beside replays. {inside:.1f} s are inside of batches, and {outside:.1f} s are the start, the end
and the watching of the cluster.

## A year's fleet

This is arithmetic and no measurement. 10,000 devices with 100 recordings each are {traces:,}
traces. With the gateway's events, and {cost:.1f} ms of processor time for a cell as in the last
line above, one configuration takes {one:,.0f} hours of one processor. {chips} chips, {releases}
releases and {allocators} allocators are {configurations} configurations: {all_cells:,} cells,
{hours:,.0f} hours, or {days:,.1f} days of {processors} processors. Each takes {row:.0f} bytes of
results, {size:,.0f} GB together. A recording like this has {file:,.0f} KB, so {travel:,.0f} GB of
traces travel. A sample pays first: the share of recordings that are safe is known to within 1 %
from {sample:,} of them, {part:.0f} % of the cost.
"""

ROOT = Path(__file__).resolve().parents[2]
TRACE = ROOT / "studies" / "workloads" / "captured" / "mix_gateway.hst.zst"
TRACES, CHIPS, RELEASES, ALLOCATORS, PROCESSORS = 1_000_000, 2, 5, 10, 64
SURE, WITHIN = 1.96, 0.01  # normal quantile of 95 %, half of the interval's width


def speed() -> Iterator[str]:
    """The measured lines, and what they would mean for a fleet."""
    with (ROOT / "docs" / "reference" / "sweep.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    events = planned_trace("gateway", TRACE).events
    yield SPEED.format(events=events)
    for row in rows:
        spent = float(row["all"])
        yield (
            f"| {int(row['cells']):,} | {row['workers']} | {row['batches']} | {row['replaying']} s "
            f"| {row['in_batches']} s | {row['all']} s "
            f"| {100 - 100 * float(row['replaying']) / spent:.1f} % "
            f"| {int(row['cells']) / spent:.1f} |\n"
        )
    one, last = rows[-2:]
    replaying, inside, spent = (float(last[name]) for name in ("replaying", "in_batches", "all"))
    cost = spent / int(last["cells"])
    configurations = CHIPS * RELEASES * ALLOCATORS
    hours = TRACES * configurations * cost / 3600
    sample = math.ceil(0.25 * (SURE / WITHIN) ** 2)
    row_bytes = int(last["bytes"]) / int(last["cells"])
    yield FLEET.format(
        difference=100 * abs(spent / float(one["all"]) - 1),
        way="more" if spent > float(one["all"]) else "less",
        cells=int(last["cells"]),
        beside=100 - 100 * replaying / spent,
        inside=inside - replaying,
        outside=spent - inside,
        traces=TRACES,
        cost=1000 * cost,
        one=TRACES * cost / 3600,
        chips=CHIPS,
        releases=RELEASES,
        allocators=ALLOCATORS,
        configurations=configurations,
        all_cells=TRACES * configurations,
        hours=hours,
        days=hours / 24 / PROCESSORS,
        processors=PROCESSORS,
        row=row_bytes,
        size=TRACES * configurations * row_bytes / 1e9,
        file=TRACE.stat().st_size / 1000,
        travel=TRACES * TRACE.stat().st_size / 1e9,
        sample=sample,
        part=100 * sample / TRACES,
    )


def markdown() -> str:
    return "".join(_parts())


def _parts() -> Iterator[str]:
    yield HEAD.format(
        strength=STRENGTH,
        options=", ".join(f"`{name}`" for name in DECLARED),
        cells=CELLS_MAX,
        form=FORM,
        events=BATCH_EVENTS,
        batch=BATCH_CELLS,
        search=SEARCH_REPLAYS,
        run=RUN_REPLAYS,
    )
    for column in COLUMNS:
        yield f"| `{column.name}` | {column.kind} | {column.text} |\n"
    yield TAIL
    yield from speed()


if __name__ == "__main__":
    make("docs/reference/sweep.md", markdown())
