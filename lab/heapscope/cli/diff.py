"""Say what two configurations differ in, and what it gives."""

from __future__ import annotations

from typing import Annotated

import typer

from heapscope.cli import ladder_options
from heapscope.cli.shared import Chip, Json


def diff(
    before: Annotated[str, typer.Argument(metavar="A", help="An sdkconfig or a folder: F, F@5.1.")],
    after: Annotated[
        str, typer.Argument(metavar="B", help="Another; or +CONFIG_X=y, +FILE, @5.5: A changed.")
    ],
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
    """Say what two configurations differ in, and what each difference gives: memory by state and
    throughput, with the band of the difference.

    Options are compared by their final values and not by lines: an option that a default changed
    between two releases is named too. The gain of options that act together is shared among
    them, and adds up to the total.

    \b
    Examples:
      heapscope diff sdkconfig.defaults sdkconfig --chip esp32c3 --tls 1
      heapscope diff sdkconfig.defaults@5.1 @5.5 --chip esp32
      heapscope diff sdkconfig +CONFIG_LWIP_TCP_WND_DEFAULT=11520,CONFIG_LWIP_IRAM_OPTIMIZATION=y
    """
    from heapscope.cli.ladder_answer import give_sides
    from heapscope.cli.verbs.diff import diff as answer

    found = answer(
        before,
        after,
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
    title = f"{found.before.name} -> {found.after.name}"
    give_sides(found, title, json, out, names=[before, after], files=[elf, map])
