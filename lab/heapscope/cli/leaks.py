"""`heapscope leaks`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from heapscope.cli import layout_flags as flags
from heapscope.cli.shared import Fold, Json, LayoutOptions, Trace

__all__ = ["leaks"]


def leaks(
    trace: Trace,
    start: Annotated[
        str | None, typer.Option("--from", metavar="MARK", help="Begin at this mark.")
    ] = None,
    end: Annotated[
        str | None, typer.Option("--to", metavar="MARK", help="End at this mark.")
    ] = None,
    suppress: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Rules for what is known to stay, one a line."),
    ] = None,
    fold: Fold = None,
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
    json: Json = None,
) -> None:
    """Say what stayed: blocks allocated between two marks and not freed, by task and site.

    Without marks, the whole trace. A mark that comes several times is named NAME#2 and so on.
    A leak grows on and on, a plateau stopped growing, a cache returns to its level; unknown: too
    short to tell. With a chip, or other memory as for replay, it says when the device dies.

    \b
    Examples:
      heapscope leaks T.hst
      heapscope leaks T.hst --from start --to middle
      heapscope leaks T.hst --chip esp32 --idf 5.5
      heapscope leaks T.hst --suppress known.txt --json leaks.json
    """
    from heapscope.cli.json_output import wants_tables, write_json
    from heapscope.cli.progress import progress_bar
    from heapscope.cli.run import run
    from heapscope.leaks.find import find_leaks
    from heapscope.leaks.interval import interval
    from heapscope.leaks.suppress import read_suppressions
    from heapscope.trace.info import read_info

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
    rules = () if suppress is None else read_suppressions(suppress)
    with progress_bar("reading") as bar:
        span = interval(read_info(trace, progress=bar), start=start, end=end)
    free = None if options == LayoutOptions() else run(trace, options, []).free_for_malloc
    with progress_bar("looking at live blocks") as bar:
        found = find_leaks(trace, span, suppressions=rules, free=free, progress=bar)
    files = [trace, *([suppress] if suppress else []), *options.files]
    write_json(found.to_json(), json, inputs=files)
    if wants_tables(json):
        from heapscope.cli.recorded import say_wide_pointers
        from heapscope.report.console import console
        from heapscope.report.leaks import print_leaks

        print_leaks(found, console())
        say_wide_pointers(trace)
