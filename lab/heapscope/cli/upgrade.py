"""`heapscope upgrade`."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Annotated

import typer

from heapscope.cli import layout_flags as flags
from heapscope.cli.shared import LAYOUT_FILES, Json

__all__ = ["upgrade"]


def upgrade(
    trace: Annotated[
        Path | None,
        typer.Argument(metavar="T.hst", help="Trace; none: the start of both versions alone."),
    ] = None,
    chip: Annotated[str | None, flags.CHIP] = None,
    old: Annotated[
        str | None,
        typer.Option("--from", metavar="V", help="ESP-IDF version before (4.2)."),
    ] = None,
    new: Annotated[
        str | None, typer.Option("--to", metavar="V", help="ESP-IDF version after (5.5).")
    ] = None,
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
    caps: Annotated[
        str,
        typer.Option(
            metavar="CAPS",
            help="Count the memory with these capabilities (INTERNAL, DMA); else malloc's.",
            show_default=False,
        ),
    ] = "",
    reported_free: Annotated[
        list[str] | None,
        typer.Option(
            metavar="BYTES",
            help="Free heap that the device reported at its start, before and after: start-up's "
            "use is found from the first, what is not explained from the second.",
        ),
    ] = None,
    json: Json = None,
) -> None:
    """Say what an upgrade of the SDK cost, part by part, and what buys it back.

    \b
    An option given twice is for the version before and after, one given once for both.
    The differences in free memory and in the largest block are divided into control tables,
    headers, rounding, checks, regions, static growth and accounting. What cannot be derived is
    "not explained". Without a trace only the start is compared, for example of two boot logs.

    \b
    Examples:
      heapscope upgrade T.hst --chip esp32 --from 4.2 --to 5.5
      heapscope upgrade T.hst --chip esp32 --from 4.2 --to 5.5 --json upgrade.json
      heapscope upgrade --chip esp32 --boot-log boot.txt --from 4.2 --to 4.3 --caps INTERNAL
      heapscope upgrade T.hst --layout F.toml --from 4.2 --to 5.5
    """
    from heapscope.cli.json_output import wants_tables, write_json
    from heapscope.cli.progress import progress_bar
    from heapscope.cli.upgrade_sides import Upgrade, measured_of
    from heapscope.errors import HeapscopeError
    from heapscope.layout import capabilities
    from heapscope.upgrade.explain import explain
    from heapscope.upgrade.state import Meter

    if (old is None) != (new is None):
        missing = "--to" if new is None else "--from"
        raise HeapscopeError(
            f"{missing} is missing: an upgrade has two versions", remedy="give --from and --to"
        )
    given = {
        "chip": [chip] if chip else [],
        "idf": [old, new] if old and new else [],
        "boot_log": boot_log or [],
        "sdkconfig": sdkconfig or [],
        "cores": cores or [],
        "static_dram": static_dram or [],
        "static_iram": static_iram or [],
        "elf": elf or [],
        "map": map or [],
        "psram": psram or [],
        "psram_threshold": psram_threshold or [],
        "psram_reserve": psram_reserve or [],
        "rtc": rtc or [],
        "memprot": memprot or [],
        "iram_8bit": iram_8bit or [],
        "layout": layout or [],
        "pool": pool or [],
        "allocator": allocator or [],
    }
    wanted, measured = capabilities.parse(caps), measured_of(reported_free or [])
    asked = Upgrade(trace, given, caps=wanted, measured=measured)
    counts = itertools.count(1)
    with progress_bar("replays", parts=True) as bar:
        meter = Meter(trace, caps=wanted, measured=lambda: bar(next(counts), None))
        knobs, knobs_of = asked.knobs()
        result = explain(
            meter,
            asked.sides,
            measured=measured,
            ideas=asked.ideas(),
            knobs=knobs,
            knobs_of=knobs_of,
        )
    read = [Path(name) for one in LAYOUT_FILES for name in given.get(one, ())]
    write_json(result.to_json(), json, inputs=[*read, *([trace] if trace else [])])
    if wants_tables(json):
        from heapscope.report.console import console
        from heapscope.report.upgrade import print_upgrade

        print_upgrade(result, console())
