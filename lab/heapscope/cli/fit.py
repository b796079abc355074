"""Find the smallest pool by allocator, or the best sizes of named pools."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from heapscope.cli.shared import (
    STRENGTH,
    Allocators,
    Chip,
    Idf,
    Json,
    Map,
    Needs,
    Place,
    Runs,
    Sdkconfig,
    Seed,
    Strength,
)


def fit(
    traces: Annotated[
        list[Path], typer.Argument(metavar="T.hst...", help="Traces (.hst, or .hst.zst).")
    ],
    allocator: Allocators = None,
    task: Annotated[
        str | None,
        typer.Option(
            "--task",
            metavar="NAME",
            help="Fits the blocks of this task alone: the size of a private heap for it.",
        ),
    ] = None,
    margin: Annotated[
        float | None,
        typer.Option(
            "--margin",
            metavar="PERCENT",
            min=0,
            max=1000,
            help="Also a size to recommend, so much above the smallest pool.",
        ),
    ] = None,
    chip: Chip = None,
    idf: Idf = None,
    sdkconfig: Sdkconfig = None,
    map_file: Map = None,
    place: Place = None,
    pools: Annotated[
        bool,
        typer.Option(
            "--pools",
            help="Say what the pools hold that the program named, and which sizes hold least.",
        ),
    ] = False,
    sizes: Annotated[
        list[str] | None,
        typer.Option(
            "--sizes",
            metavar="NAME=INITIAL:INCREMENT",
            help='With --pools: also replay with these sizes, bytes; "all": of every pool that may '
            "change. May be repeated.",
        ),
    ] = None,
    calls: Annotated[
        int | None,
        typer.Option(
            "--calls",
            metavar="N",
            min=0,
            help="With --pools: heap calls that the advice may take, all traces together; as many "
            "as recorded unless told.",
        ),
    ] = None,
    need: Needs = None,
    jitter: Runs = None,
    jitter_seed: Seed = 0,
    jitter_strength: Strength = STRENGTH,
    json: Json = None,
) -> None:
    """Find the smallest pool in which a trace runs without a failed allocation, by allocator.

    A larger pool may fail where a smaller one does not. So "pool" is the smallest multiple of 8
    bytes such that it and 64 sizes spread over the next 2 % all survive; every smaller one was
    ruled out.
    All allocators are looked at where --allocator, which may be repeated, names none. For several
    traces it also has the geometric mean of each allocator.
    With --chip, it is also a verdict in net bytes: whether Heapscope's heap pays in a firmware for
    this chip, against the heap that it has. Then code in RAM and tables count, too; an allocator in
    ROM has no code there.
    Figures that are only known between two bounds give a verdict between two bounds.

    Rules of --place are for the pool: Heapscope's heap takes the requests of those with
    end = "high" from the high end of a free block. With --need, a pool also has room for that
    request at every moment, as `replay --need` asks.
    With --jitter, perturbed runs of the trace also say which share of runs each pool serves.

    With --pools it is about the pools that a program names, which grow by blocks: an initial one
    and increments. The pool events of a trace are replayed with other sizes, exactly, and the sizes
    found that have least allocated at the peak within a number of heap calls. Advice from several
    traces holds for more: a single one fits its own run.

    \b
    Examples:
      heapscope fit T.hst
      heapscope fit T.hst --allocator idf-4.2 --allocator idf-5.5+light
      heapscope fit before.hst after.hst --allocator idf-5.5 --json fit.json
      heapscope fit T.hst --task script --margin 10
      heapscope fit T.hst --allocator idf-5.5 --need 16717
      heapscope fit T.hst --allocator idf-5.5 --jitter 1000
      heapscope fit T.hst --chip esp32c3 --idf 5.5
      heapscope fit T.hst --sdkconfig sdkconfig --map build/app.map
      heapscope fit call.hst --pools
      heapscope fit call.hst other.hst --pools --calls 400
      heapscope fit call.hst --pools --sizes all=128:128 --sizes STUN_TDATA=512:304 --json -
    """
    from heapscope.cli.answer import give
    from heapscope.cli.progress import progress_bar
    from heapscope.cli.verbs.fit import fit as answer

    with progress_bar() as progress:
        result = answer(
            *traces,
            allocator=allocator or (),
            task=task,
            margin=margin,
            chip=chip,
            idf=idf,
            sdkconfig=sdkconfig,
            map=map_file,
            place=place,
            pools=pools,
            sizes=sizes or (),
            calls=calls,
            need=need or (),
            jitter=jitter,
            jitter_seed=jitter_seed,
            jitter_strength=jitter_strength,
            progress=progress,
        )
    give(result, json, inputs=(*traces, *([place] if place else [])))
