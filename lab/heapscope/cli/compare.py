"""`heapscope compare`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from heapscope.cli import layout_flags as flags
from heapscope.cli.shared import LAYOUT_FILES, Json, Needs

__all__ = ["compare"]


def compare(
    left: Annotated[Path, typer.Argument(metavar="A", help="Trace, or result of replay --json.")],
    right: Annotated[
        Path | None, typer.Argument(metavar="B", help="The other side; none: the same trace.")
    ] = None,
    chip: Annotated[list[str] | None, flags.CHIP] = None,
    idf: Annotated[list[str] | None, flags.IDF] = None,
    boot_log: Annotated[list[str] | None, flags.BOOT_LOG] = None,
    sdkconfig: Annotated[list[str] | None, flags.SDKCONFIG] = None,
    cores: Annotated[list[str] | None, flags.CORES] = None,
    static_dram: Annotated[list[str] | None, flags.STATIC_DRAM] = None,
    static_iram: Annotated[list[str] | None, flags.STATIC_IRAM] = None,
    elf: Annotated[list[str] | None, flags.ELF] = None,
    map: Annotated[list[str] | None, flags.MAP] = None,
    psram: Annotated[list[str] | None, flags.PSRAM] = None,
    psram_threshold: Annotated[list[str] | None, flags.PSRAM_THRESHOLD] = None,
    psram_reserve: Annotated[list[str] | None, flags.PSRAM_RESERVE] = None,
    rtc: Annotated[list[str] | None, flags.RTC] = None,
    memprot: Annotated[list[str] | None, flags.MEMPROT] = None,
    iram_8bit: Annotated[list[str] | None, flags.IRAM_8BIT] = None,
    layout: Annotated[list[str] | None, flags.LAYOUT] = None,
    pool: Annotated[list[str] | None, flags.POOL] = None,
    allocator: Annotated[list[str] | None, flags.ALLOCATOR] = None,
    place: Annotated[list[str] | None, flags.PLACE] = None,
    need: Needs = None,
    json: Json = None,
) -> None:
    """Put two replays side by side: two traces, two memories, or two results.

    \b
    An option given twice is for the left and the right side, one given once for both.
    A and B are traces, or files that "replay --json" wrote.

    \b
    Examples:
      heapscope compare T.hst --chip esp32 --idf 4.2 --idf 5.5 --need 16717
      heapscope compare T.hst --pool 256KB --allocator idf-4.2 --allocator idf-5.5
      heapscope compare T.hst --pool 256KB --place none --place rules.toml
      heapscope compare before.hst after.hst --chip esp32
      heapscope compare before.json after.json
    """
    from heapscope.cli.json_output import wants_tables, write_json
    from heapscope.cli.sides import both_sides
    from heapscope.measure.comparison import compare as compare_results

    given = {
        "chip": chip,
        "idf": idf,
        "boot_log": boot_log,
        "sdkconfig": sdkconfig,
        "cores": cores,
        "static_dram": static_dram,
        "static_iram": static_iram,
        "elf": elf,
        "map": map,
        "psram": psram,
        "psram_threshold": psram_threshold,
        "psram_reserve": psram_reserve,
        "rtc": rtc,
        "memprot": memprot,
        "iram_8bit": iram_8bit,
        "layout": layout,
        "pool": pool,
        "allocator": allocator,
        "place": place,
    }
    results = both_sides(left, right, {name: value or [] for name, value in given.items()}, need)
    comparison = compare_results(*results)
    read = [Path(name) for one in LAYOUT_FILES for name in given[one] or ()]
    read += [left, *([right] if right else [])]
    write_json(comparison.to_json(), json, inputs=read)
    if wants_tables(json):
        from heapscope.report.compare import print_comparison
        from heapscope.report.console import console

        print_comparison(comparison, console())
