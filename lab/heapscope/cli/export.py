"""`heapscope export`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from heapscope.cli import layout_flags as flags
from heapscope.cli.shared import Fold, Json, LayoutOptions, Trace

__all__ = ["export"]


def export(
    trace: Trace,
    to: Annotated[
        str,
        typer.Option(
            metavar="FORMAT",
            help="perfetto, speedscope, collapsed, dhat, csv, json or parquet.",
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            "--output",
            metavar="FILE",
            help='The file to write; "-": standard output.',
        ),
    ] = Path("-"),
    weight: Annotated[
        str | None,
        typer.Option(
            metavar="FIGURE",
            help="Of collapsed stacks: bytes at the peak (peak), allocated in all (total), or not "
            "freed at the end (leaked).",
        ),
    ] = None,
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
    fold: Fold = None,
    json: Json = None,
) -> None:
    """Write a trace in the format of another program.

    \b
      perfetto     counters over time, failures and marks, for ui.perfetto.dev
      speedscope   bytes by task and call site, for speedscope.app
      collapsed    the same as lines for flame graph programs (--weight peak, total, leaked)
      dhat         the same for Valgrind's dh_view.html, with lifetimes
      csv, json, parquet   every heap event

    With a memory, chosen as for replay, it is what the replay did: addresses, free bytes of each
    region, failures. Without one it is what the recorded program itself asked and held.

    \b
    Examples:
      heapscope export T.hst --to perfetto -o T.pftrace
      heapscope export T.hst --to perfetto --chip esp32 --idf 5.5 -o T.pftrace
      heapscope export T.hst --to csv --pool 64KB -o T.csv
      heapscope export T.hst --to collapsed --weight total
      heapscope export T.hst --to dhat -o dhat.json
    """
    from heapscope.cli.export_run import run_export

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
    run_export(trace, options, to=to, out=out, weight=weight, json=json)
