"""`heapscope report`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from heapscope.cli import layout_flags as flags
from heapscope.cli.shared import Fold, Json, Needs

__all__ = ["report"]


def report(
    traces: Annotated[
        list[Path], typer.Argument(metavar="T.hst...", help="Trace; several: they are compared.")
    ],
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            "--output",
            metavar="FILE",
            help="The page to write, for example report.html.",
        ),
    ],
    title: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Heading of the page (the trace's name).")
    ] = None,
    chip: Annotated[list[str] | None, flags.CHIP] = None,
    idf: Annotated[list[str] | None, flags.IDF] = None,
    sdkconfig: Annotated[list[str] | None, flags.SDKCONFIG] = None,
    boot_log: Annotated[list[str] | None, flags.BOOT_LOG] = None,
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
    why: Annotated[
        bool | None,
        typer.Option(
            "--why/--no-why",
            help="Explain failures by replays with changes (of one trace up to 500 000 events).",
            show_default=False,
        ),
    ] = None,
    fold: Fold = None,
    json: Json = None,
) -> None:
    """Write what happened as one HTML page: a file by itself that loads nothing.

    An option given once counts for all; given several times, or with several traces, it makes a
    page that compares them with the first. The memory is chosen as for replay.

    \b
    Examples:
      heapscope report T.hst --chip esp32 --need 16717 -o report.html
      heapscope report T.hst --chip esp32 --idf 4.2 --idf 5.5 -o upgrade.html
      heapscope report T.hst --pool 64KB --allocator idf-5.5 --allocator tlsf -o allocators.html
      heapscope report before.hst after.hst --chip esp32 --title "Smaller buffers" -o change.html
    """
    from heapscope.cli.json_output import wants_tables, write_json
    from heapscope.cli.report_sides import make_report, write_page

    given = {
        "chip": chip,
        "idf": idf,
        "sdkconfig": sdkconfig,
        "boot_log": boot_log,
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
    options = {name: values or [] for name, values in given.items()}
    made = make_report(traces, options, need or [], title=title, explains=why)
    size = write_page(made, out, inputs=traces)
    write_json({} if json is None else made.to_json(), json, inputs=[*traces, out])
    if wants_tables(json):
        from heapscope.trace.names import printable

        for sentence in made.answer:
            typer.echo(sentence)
        typer.echo(f"{printable(str(out), limit=400)}: {size:,} B; open it in a browser")
