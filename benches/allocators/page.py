"""Writes docs/reference/allocators.md and its picture, and what `experiment heap-change` reads."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tables
from goals import goals
from measure import ROOM, rivals
from needed import OURS
from picture import Point, draw
from places import MEASURED, PAGE, PICTURE

__all__ = ["differing", "write"]


def write(data: Mapping[str, Any]) -> None:
    for path, text in files(data).items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def differing(data: Mapping[str, Any]) -> list[Path]:
    """The files that are not what these figures make them."""
    return [
        path
        for path, text in files(data).items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    ]


def files(data: Mapping[str, Any]) -> dict[Path, str]:
    """All that is made of the figures, by where it lies."""
    reported = data["provenance"]
    short = {"machine": reported["machine"], "commit": reported["commit"]}
    short |= {"compilers": ", ".join(dict.fromkeys(reported["compilers"].values()))}
    shipped = json.dumps({"provenance": short, "article": data["article"]}, indent=1)
    return {PAGE: page(data), PICTURE: picture(data), MEASURED: shipped + "\n"}


def picture(data: Mapping[str, Any]) -> str:
    ratios = {who: row["ratio"] for who, row in data["needed"]["means"]["real"].items()}
    points = [
        Point(row["name"], ratios[row["name"]], row["malloc"][1], ours=False)
        for row in rivals()["allocator"]
        if ratios.get(row["name"])
    ]
    worst = data["instructions"]["best"]["malloc"][1]
    points.append(Point(OURS, ratios[OURS], worst, ours=True))
    return draw(
        points,
        title="Memory against time: better is down and to the left",
        x_label="needed pool / live peak, geometric mean over the real traces",
        y_label="instructions of the longest malloc seen, x86-32",
    )


def page(data: Mapping[str, Any]) -> str:
    reported = data["provenance"]
    compilers = "; ".join(f"{name}: {by}" for name, by in reported["compilers"].items())
    more = f" Given besides: {', '.join(reported['given'])}." if reported["given"] else ""
    seeds = f"{reported['seeds'][0]} to {reported['seeds'][-1]}"
    timed = data["times"]
    return f"""# The allocators, measured

Made by `python benches/allocators`; every figure of our heap and every count of the others comes
from that one run. Raw: [allocators.csv](allocators.csv).

```text
machine    {reported["machine"]}
commit     {reported["commit"]}
compilers  {compilers}
```

![Needed pool against the most instructions seen]({PICTURE.name})

Down is fewer instructions in the longest malloc seen; left is less memory, in equal steps for equal
factors of what a pool holds beyond the peak. Memory comes from this run for all; instructions of
the others are published figures ({rivals()["source"]}).

## Goals

{tables.goal_rows(goals(data))}

Instructions are those of x86-32, of the compiler whose mean is less (ziglang's clang or gcc); of
both pools and of both ways of taking the mean below, the larger figure is taken. All traces count,
the adversarial ones too. The second figure is the most that one call took, with this compiler and
in these traces: a maximum seen, and no bound. Another compiler, or another order of requests, may
take more; what bounds a call is the number of its steps
([worst cases](../design/heap.md#worst-cases)).

## Needed pool

{tables.needed(data)}

The pool is `heapscope fit`'s: the smallest multiple of 8 in which the trace survives, and in each
of 64 sizes spread over the next 2 % too. Means are geometric. *Real*: traces of programs in this
repository, each the same; *by program*: each of their programs the same, since most of the traces
are of one TLS library. *Synthetic*: each of three laws with the seeds {seeds}, on which nothing
was tuned. A number in brackets: the allocator serves so many of the traces, and its mean is over
these.{more}

Rests on: the models of `lab/models/`, which equal the real allocators' answers (`sys_heap` those of
a transcription: tests/oracle), and for `heapscope` on the code that ships. Clients of the same TLS
library that differ in one buffer's size are represented by the largest and the smallest.

### Trace by trace

{tables.per_trace(data, ("real", "generated", "synthetic", "adversarial"))}

## Density

Blocks that fit into a pool of 250 000 bytes:

{tables.density(data)}

Rests on: the models, and the code that ships. Free is the true sum of payload of an empty heap.

## Control data and small pools

{tables.control(data)}

Bytes; `-`: it makes no heap of that size. Rests on: the models; of our heap on what its x86-32 code
says of itself (`hs_heap_info`). The bitmap, one bit for 8 bytes, replaces block headers.

## Instructions of our heap

Mean / 99th percentile / most seen, of all calls over all {len(timed["traces"])} traces:

{tables.instructions(data)}

Counted exactly, in emulation ([how](../design/emulation.md)), from the function's first instruction
to its return with all that it calls; the caller's own are not in it. -O2, NDEBUG. "1x": each trace
in the smallest pool in which it survives; "{ROOM}x": with that much more room. Copying and clearing
are included: calloc and a realloc that moves cost by their size. Where no run has a figure, no
trace has such a call. Rests on: the code that ships, run as 32-bit machine code of each target.

### Where the most was seen

{tables.worst(data)}

### Those of the others

Mean / most seen, {rivals()["source"]}; published, not repeated here:

{tables.rival_rows()}

## Alignment

{tables.alignment(data)}

Instructions as above, on x86-32 in the smallest pool. 4 is served as 8: a granule has 8 bytes.

## Code size

{tables.code(data)}

Bytes of code and constants at -Os, file by file; arithmetic that the processor lacks is not in it.

## Nanoseconds

{tables.times(data)}

{timed["built"]}, on the machine above; of each call the least of {timed["rounds"]} rounds, between
fences, so that it is the latency of that call alone; "per 100" is that for a hundred of its
instructions as gcc compiled them; "in the loop" is an event without fences, with the loop and its
cache misses. Pools as "1x".

Where nanoseconds and instructions agree, "per 100" is the same for every call and trace:

{tables.spread(data)}

Where they do not: a trace whose next request cannot be foretold takes more time for the same
instructions, because the processor foretells branches. Its first events cost less when they are
all there is, and are repeated until every branch is known. The traces that gain most by it, in
nanoseconds a call:

{tables.learned(data)}

## The article's requests

{tables.article(data)}

A published article timed this: one block, 10 000 small ones, every second of these freed, one more
block, in 250 000 bytes. `heapscope experiment heap-change` shows them beside the others.
"""
