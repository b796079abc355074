"""Options of diff and ladder, which mean what they mean to predict."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from heapscope.memory.values import offered

Idf = Annotated[
    str | None,
    typer.Option(
        "--idf",
        metavar="V",
        help="ESP-IDF version of configurations without @ (as the file says, or 5.5).",
        autocompletion=offered("idf"),
    ),
]
Tcp = Annotated[
    int, typer.Option("--tcp", min=0, max=253, help="TCP connections at the same time.")
]
Udp = Annotated[int, typer.Option("--udp", min=0, max=253, help="UDP sockets at the same time.")]
Tls = Annotated[int, typer.Option("--tls", min=0, max=253, help="TLS sessions at the same time.")]
Links = Annotated[
    str | None,
    typer.Option(
        "--links",
        metavar="wifi,ble",
        help="Radios that the firmware has linked at boot and app_main already.",
    ),
]
Elf = Annotated[
    Path | None,
    typer.Option("--elf", metavar="F", help="ELF of the first configuration: its static use."),
]
Map = Annotated[
    Path | None, typer.Option("--map", metavar="F", help="The same from its linker map.")
]
StaticDram = Annotated[
    int | None,
    typer.Option(
        "--static-dram",
        metavar="BYTES",
        help="The first configuration's code and data in the memory that malloc serves.",
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out", "-o", metavar="FILE", help="Also write the tables: .md as Markdown, else a page."
    ),
]
