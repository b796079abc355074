"""The columns of a sweep's results, one row a cell. docs/reference/sweep.md is made from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from heapscope.base.option import flag
from heapscope.memory.options import DECLARED

if TYPE_CHECKING:
    import pyarrow


@dataclass(frozen=True)
class ResultColumn:
    """`kind`: int64, string or bool."""

    name: str
    kind: str
    text: str


_BEFORE = (
    ResultColumn("cell", "int64", "Number of the cell in the plan, from 0."),
    ResultColumn("trace", "string", "The trace, as the plan names it."),
    ResultColumn("content", "string", "Hash of the trace's file: SHA-256, its first 32 digits."),
    ResultColumn("run", "int64", "0: the recorded run; from 1 on: perturbed runs."),
)
_AFTER = (
    ResultColumn(
        "failed",
        "string",
        "The reason why there was no replay. Null: there was one, and the figures hold.",
    ),
    ResultColumn(
        "safe",
        "bool",
        "Whether every request was served, and every need would have been at every moment. Null: "
        "it is not known, since events are missing, contradict each other or cannot be replayed "
        "there, a request failed in the recorded program, or there was no replay.",
    ),
    ResultColumn("events", "int64", "Heap events that were replayed."),
    ResultColumn("failures", "int64", "Requests that were refused."),
    ResultColumn("first_failure", "int64", "Number of the event of the first. Null: none was."),
    ResultColumn("memory", "int64", "Bytes of all regions that malloc uses."),
    ResultColumn("internal", "int64", "Bytes of all regions with a heap but external ones."),
    ResultColumn("min_free", "int64", "The least bytes that were free for malloc."),
    ResultColumn(
        "min_largest", "int64", "The largest request that malloc could have served at every moment."
    ),
    ResultColumn(
        "need_margin",
        "int64",
        "The least over all needs and moments: the largest request that could have been served, "
        "minus the need. Null: the plan has no needs.",
    ),
    ResultColumn(
        "peak",
        "int64",
        "The most bytes, as asked for, of blocks that were served and live at once.",
    ),
    ResultColumn(
        "found",
        "int64",
        'With pool = "least": the smallest pool, as `heapscope fit` finds it for the recorded run '
        "and `fit --jitter` for a perturbed one, each with the plan's needs as `--need`, on which "
        "the other figures are. Null, with no "
        "reason in `failed`: no pool survives up to twice the pool of the recorded run, and the "
        "figures are those on the largest that was tried.",
    ),
    ResultColumn("digest", "string", "Digest of the results of all requests."),
)

#: Options of the memory, by the names that plans have for them.
OPTIONS = tuple(DECLARED)

COLUMNS = (
    *_BEFORE,
    *(
        ResultColumn(name, "string", f"The plan's {flag(name)}. Null: not given.")
        for name in OPTIONS
    ),
    *_AFTER,
)

Result = Mapping[str, Any]


def arrow_schema() -> pyarrow.Schema:
    """The columns as pyarrow has them."""
    import pyarrow

    kinds = {"int64": pyarrow.int64(), "string": pyarrow.string(), "bool": pyarrow.bool_()}
    return pyarrow.schema([(column.name, kinds[column.kind]) for column in COLUMNS])


#: In a file's metadata: batch_name() of the batch that it holds.
BATCH = b"heapscope_batch"


def batch_name(plan: str, number: int) -> bytes:
    """`plan`: the plan's hash."""
    return f"{plan}-{number}".encode()


def parquet_bytes(results: Sequence[Result], name: bytes) -> bytes:
    """A whole Parquet file. `name`: of the batch. The same results make the same bytes with the
    same pyarrow."""
    import pyarrow
    import pyarrow.parquet

    schema = arrow_schema().with_metadata({BATCH: name})
    arrays = [
        pyarrow.array([result.get(name) for result in results], type=schema.field(name).type)
        for name in schema.names
    ]
    table = pyarrow.Table.from_arrays(arrays, schema=schema)
    sink = pyarrow.BufferOutputStream()
    pyarrow.parquet.write_table(table, sink, compression="zstd")
    return bytes(sink.getvalue())
