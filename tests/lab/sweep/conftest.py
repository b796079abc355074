"""Sweeps in the tests: plans over small traces, and results made without a cluster."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from heapscope.fleet.sweep.output import Output, opened
from heapscope.fleet.sweep.plan_file import ReadPlan
from heapscope.fleet.sweep.worker import Sent, replay_batch

WritePlan = Callable[..., Path]


@pytest.fixture
def traces(make_trace: Callable[..., Path]) -> dict[str, Path]:
    """small.hst holds 12 KB at its peak, large.hst 60 KB, and broken.hst is not a trace."""
    small = make_trace("t net", *(f"a {i} 1200" for i in range(10)), name="small.hst")
    churn = [line for i in range(100, 400) for line in (f"a {i} {i * 7 % 900 + 1}", f"f {i}")]
    large = make_trace("t app", *(f"a {i} 6000" for i in range(10)), *churn, name="large.hst")
    broken = small.with_name("broken.hst")
    broken.write_text("not a trace\n")
    return {"small": small, "large": large, "broken": broken}


@pytest.fixture
def write_plan(tmp_path: Path, traces: dict[str, Path]) -> WritePlan:
    def write(text: str, name: str = "plan.toml") -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def run_here(source: ReadPlan, folder: Path, *, leave_out: int = 0) -> Output:
    """All batches but the last `leave_out`, in this process."""
    plan = source.plan
    files = {
        name: Sent(name, content, source.path(name).read_bytes())
        for name, content in plan.recipe.files.items()
    }
    batches = list(plan.batches())
    with opened(folder, plan) as output:
        for batch in batches[: len(batches) - leave_out]:
            sent = [
                Sent(one.name, one.content, source.path(one.name).read_bytes())
                for one in (plan.traces[at] for at in plan.recipe.traces_of(batch))
            ]
            replayed = replay_batch(plan.hash, plan.recipe, files, sent, batch)
            output.put(batch.number, replayed.parquet)
    return output


def rows_of(output: Output) -> list[dict[str, Any]]:
    """Every row that is kept, by cell."""
    import pyarrow.parquet

    rows = [row for file in output.files() for row in pyarrow.parquet.read_table(file).to_pylist()]
    return sorted(rows, key=lambda row: row["cell"])


def sorted_bytes(folder: Path) -> bytes:
    """The rows of an output, sorted, as the bytes of one file."""
    import pyarrow
    import pyarrow.parquet

    files = sorted(folder.glob("cells/part=*/batch-*.parquet"))
    # A file at a time: a folder named part=... would add a column.
    tables = [pyarrow.parquet.ParquetFile(file).read() for file in files]
    whole = pyarrow.concat_tables(tables).sort_by("cell").combine_chunks()
    whole = whole.replace_schema_metadata(None)  # it names the batch that was first
    sink = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_file(sink, whole.schema) as writer:
        writer.write_table(whole)
    return bytes(sink.getvalue())
