"""Say what each step of a staircase of configurations gives."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from heapscope.cli import ladder_options
from heapscope.cli.shared import Chip, Json


def ladder(
    configurations: Annotated[
        list[str],
        typer.Argument(
            metavar="A B...",
            help="Configurations: F, F@5.1; +CONFIG_X=y, +FILE, @5.5 change the one before.",
        ),
    ],
    steps: Annotated[
        Path | None,
        typer.Option(
            "--steps", metavar="FILE", help="Each paragraph of it is a step, added to the last."
        ),
    ] = None,
    chip: Chip = None,
    idf: ladder_options.Idf = None,
    tcp: ladder_options.Tcp = 1,
    udp: ladder_options.Udp = 0,
    tls: ladder_options.Tls = 0,
    links: ladder_options.Links = None,
    elf: ladder_options.Elf = None,
    map: ladder_options.Map = None,
    static_dram: ladder_options.StaticDram = None,
    out: ladder_options.Out = None,
    json: Json = None,
) -> None:
    """Say what each step of a staircase of configurations gives: memory and throughput, with bands.

    A step is a configuration beside the one before it, or lines that are added to it.

    \b
    Examples:
      heapscope ladder sdkconfig.defaults sdkconfig sdkconfig.release --chip esp32c2
      heapscope ladder sdkconfig +CONFIG_LWIP_IRAM_OPTIMIZATION=n +CONFIG_ESP_WIFI_IRAM_OPT=n
      heapscope ladder sdkconfig.defaults --steps steps.txt --chip esp32 --out ladder.md
    """
    from heapscope.cli.ladder_answer import give_sides
    from heapscope.cli.verbs.ladder import ladder as answer

    found = answer(
        *configurations,
        steps=steps,
        chip=chip,
        idf=idf,
        tcp=tcp,
        udp=udp,
        tls=tls,
        links=links.split(",") if links else (),
        elf=elf,
        map=map,
        static_dram=static_dram,
    )
    title = f"{found.rungs[0].name} -> {found.rungs[-1].name}"
    give_sides(found, title, json, out, names=configurations, files=[steps, elf, map])
