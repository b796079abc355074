"""`heapscope replay`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from heapscope.cli import layout_flags as flags
from heapscope.cli.shared import Fold, Json, LayoutOptions, Needs, Trace
from heapscope.errors import HeapscopeError

if TYPE_CHECKING:
    from heapscope.measure.result import ReplayResult

__all__ = ["replay"]


def replay(
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
    explain: Annotated[
        int | None,
        typer.Option(metavar="EVENT", min=0, help="Say why this request went where it went."),
    ] = None,
    digest: Annotated[
        bool, typer.Option("--digest", help="Print one line: digest HEX16 results N failures N.")
    ] = False,
    fold: Fold = None,
    json: Json = None,
) -> None:
    """Run a trace on a chip's memory and say how close it came to running out.

    \b
    The memory is one of
      --chip C [--idf V] [--boot-log F] [--cores N] [--static-dram N] [--static-iram N]
               [--sdkconfig F] [--elf F or --map F]
               [--psram SIZE] [--rtc on/off] [--memprot on/off] [--iram-8bit on/off]
      --boot-log F       a real device's regions; its own chip and version count
      --layout F.toml    regions of your own
      --pool BYTES       a single pool
    and --allocator A puts another allocator on every region of it, --allocator REGION=A on one
    (a kind or an address). --place RULES.toml sends requests elsewhere than their capabilities do.

    \b
    Examples:
      heapscope replay T.hst --chip esp32 --idf 5.5 --need 16717
      heapscope replay T.hst --chip esp32s3 --idf 5.5 --psram 8MB --need 16717:INTERNAL
      heapscope replay T.hst --boot-log boot.txt --need 16717 --need 4KB:DMA
      heapscope replay T.hst --pool 256KB --allocator idf-4.2 --digest
      heapscope replay T.hst --chip esp32 --allocator idf-5.5 --allocator D/IRAM=tlsf
      heapscope replay T.hst --chip esp32 --place rules.toml
      heapscope replay T.hst --chip esp32 --explain 0
      heapscope replay T.hst --chip esp32 --elf firmware.elf
      heapscope replay T.hst --chip esp32 --json replay.json
    """
    from heapscope.cli.run import run

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
    result = run(trace, options, need or [], explain=explain)
    _show(result, digest=digest, json=json, inputs=(trace, *options.files))


def _show(
    result: ReplayResult, *, digest: bool, json: Path | None, inputs: tuple[Path, ...]
) -> None:
    from heapscope.cli.json_output import wants_tables, write_json

    if digest and not wants_tables(json):
        raise HeapscopeError(
            "--digest and --json - both want standard output",
            remedy="give --json a file; the digest is in it too",
        )
    write_json(result.to_json(), json, inputs=inputs)
    if digest:
        typer.echo(result.summary.digest_line)
    elif wants_tables(json):
        from heapscope.report.console import console
        from heapscope.report.replay import print_replay

        print_replay(result, console())
