"""`heapscope why`."""

from __future__ import annotations

import itertools
from typing import Annotated

import typer

from heapscope.cli import layout_flags as flags
from heapscope.cli.shared import Fold, Json, LayoutOptions, Needs, Trace
from heapscope.errors import HeapscopeError

__all__ = ["why"]


def why(
    trace: Trace,
    chip: Annotated[str | None, flags.CHIP] = None,
    idf: Annotated[str | None, flags.IDF] = None,
    boot_log: Annotated[str | None, flags.BOOT_LOG] = None,
    sdkconfig: Annotated[str | None, flags.SDKCONFIG] = None,
    cores: Annotated[str | None, flags.CORES] = None,
    static_dram: Annotated[str | None, flags.STATIC_DRAM] = None,
    static_iram: Annotated[str | None, flags.STATIC_IRAM] = None,
    elf: Annotated[str | None, flags.ELF] = None,
    map: Annotated[str | None, flags.MAP] = None,
    psram: Annotated[str | None, flags.PSRAM] = None,
    psram_threshold: Annotated[str | None, flags.PSRAM_THRESHOLD] = None,
    psram_reserve: Annotated[str | None, flags.PSRAM_RESERVE] = None,
    rtc: Annotated[str | None, flags.RTC] = None,
    memprot: Annotated[str | None, flags.MEMPROT] = None,
    iram_8bit: Annotated[str | None, flags.IRAM_8BIT] = None,
    layout: Annotated[str | None, flags.LAYOUT] = None,
    pool: Annotated[str | None, flags.POOL] = None,
    allocator: Annotated[list[str] | None, flags.ALLOCATOR] = None,
    place: Annotated[str | None, flags.PLACE] = None,
    need: Needs = None,
    failure: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Explain the N-th failed request alone."),
    ] = None,
    event: Annotated[
        int | None,
        typer.Option(metavar="N", min=0, help="Explain the failed request of this event alone."),
    ] = None,
    depth: Annotated[
        int,
        typer.Option(metavar="N", min=1, help="Groups of failures that are explained (3)."),
    ] = 3,
    fold: Fold = None,
    json: Json = None,
) -> None:
    """Say why requests failed, who stands in their way, and what would have let them succeed.

    Failures that are alike are explained together, the first and the nearest miss of each group.
    Every change that is named was replayed with the whole trace; the cheapest comes first. The
    memory is chosen as for replay. --need explains the closest moments of a request that the trace
    does not make.

    \b
    Examples:
      heapscope why T.hst --pool 40KB
      heapscope why T.hst --chip esp32 --idf 5.5 --failure 1
      heapscope why T.hst --chip esp32 --idf 4.2 --need 100000
      heapscope why T.hst --pool 40KB --allocator heap_4 --json why.json
    """
    options = LayoutOptions(
        chip=chip,
        idf=idf,
        boot_log=boot_log,
        sdkconfig=sdkconfig,
        cores=cores,
        static_dram=static_dram,
        static_iram=static_iram,
        elf=elf,
        map=map,
        psram=psram,
        psram_threshold=psram_threshold,
        psram_reserve=psram_reserve,
        rtc=rtc,
        memprot=memprot,
        iram_8bit=iram_8bit,
        layout=layout,
        pool=pool,
        allocator=",".join(allocator) if allocator else None,
        place=place,
    )
    if failure is not None and event is not None:
        raise HeapscopeError(
            "--failure and --event both choose the request", remedy="give one of them"
        )
    from heapscope.cli.json_output import wants_tables, write_json
    from heapscope.cli.knob_choice import choose_knobs
    from heapscope.cli.layout_choice import choose_memory, choose_placement
    from heapscope.cli.progress import progress_bar
    from heapscope.cli.run import parse_needs
    from heapscope.why.explain import Selection, explain

    memory = choose_memory(options, trace)
    knobs, knobs_of = choose_knobs(memory.layout, sdkconfig)
    counts = itertools.count(1)
    with progress_bar("replays with changes", parts=True) as bar:
        result = explain(
            trace,
            memory.layout,
            needs=parse_needs(need or []),
            placement=choose_placement(options, memory.layout),
            selection=Selection(failure=failure, event=event),
            depth=depth,
            tried=lambda: bar(next(counts), None),
            knobs=knobs,
            knobs_of=knobs_of,
        )
    write_json(result.to_json(), json, inputs=(trace, *options.files))
    if wants_tables(json):
        from heapscope.report.console import console
        from heapscope.report.why import print_why

        print_why(result, console())
