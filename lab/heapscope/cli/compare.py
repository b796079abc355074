"""Compare traces, memories, releases, results or configurations."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from heapscope.base.errors import InputError
from heapscope.base.verb_result import VerbResult
from heapscope.cli.fail_on import FailOn, fail, parsed
from heapscope.cli.memory import SidesOptions, takes_sides, two_sides
from heapscope.cli.shared import Json, Links, Needs, Tcp, Tls, Udp, output
from heapscope.memory.options import named_files

if TYPE_CHECKING:
    from heapscope.simulation.result.result import ReplayResult


@takes_sides()
def compare(
    things: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[A B...]",
            help="Traces, results of replay --json, or configurations: F, F@5.1; +CONFIG_X=y, "
            "+FILE, @5.5 change the one before. One trace: on two memories; none: their start.",
            show_default=False,
        ),
    ] = None,
    *,
    memory: SidesOptions,
    need: Needs = None,
    parts: Annotated[
        bool,
        typer.Option(
            "--parts",
            help="Divide the difference of two memories into its parts, and say what buys it back.",
        ),
    ] = False,
    caps: Annotated[
        str,
        typer.Option(
            metavar="CAPS",
            help="With --parts: count the memory with these capabilities (INTERNAL, DMA); else "
            "malloc's.",
            show_default=False,
        ),
    ] = "",
    reported_free: Annotated[
        list[str] | None,
        typer.Option(
            metavar="BYTES",
            help="With --parts: free heap that the device reported at its start, before and after: "
            "start-up's use is found from the first, what is not explained from the second.",
        ),
    ] = None,
    steps: Annotated[
        Path | None,
        typer.Option(
            "--steps",
            metavar="FILE",
            help="Each paragraph of it is a step, added to the last configuration.",
        ),
    ] = None,
    tcp: Tcp = 1,
    udp: Udp = 0,
    tls: Tls = 0,
    links: Links = None,
    fail_on: FailOn = None,
    out: Annotated[Path | None, output("FILE")] = None,
    json: Json = None,
) -> None:
    """Compare things of one kind, and say where their difference comes from.

    \b
    two traces, or one on two memories    their replays side by side
    two results of replay --json          the same, as they are
    one trace or none, and --parts        the difference of two memories, part by part
    configurations                        what each option gives; of several, each step
    An option given twice is for the left and the right side, one given once for both.

    --fail-on worse=5% or worse:FIGURES=5% limits how much worse the right side of two replays may
    be; other budgets are that side's.

    With --parts the differences in free memory and in the largest block are divided into control
    tables, headers, rounding, checks, regions, static growth and accounting. The rest is "not
    explained". Without a trace only the start is compared, for example of two boot logs.

    Options of configurations are compared by their final values and not by lines: an option that a
    default changed between two releases is named too. The gain of options that act together is
    shared among them, and adds up to the total. Memory is by state, and differences have bands.
    With -o the tables are written, too: .md as Markdown, else as a page.

    \b
    Examples:
      heapscope compare T.hst --chip esp32 --idf 4.2 --idf 5.5 --need 16717
      heapscope compare T.hst --pool 256KB --allocator idf-4.2 --allocator idf-5.5
      heapscope compare T.hst --pool 256KB --place none --place rules.toml
      heapscope compare before.hst after.hst --chip esp32
      heapscope compare before.json after.json
      heapscope compare before.hst after.hst --chip esp32 --fail-on worse:tasks*=5%
      heapscope compare T.hst --chip esp32 --idf 4.2 --idf 5.5 --parts
      heapscope compare --chip esp32 --boot-log boot.txt --idf 4.2 --idf 4.3 --caps INTERNAL
      heapscope compare T.hst --layout F.toml --idf 4.2 --idf 5.5 --parts
      heapscope compare sdkconfig.defaults@5.1 @5.5 --chip esp32 --tls 1
      heapscope compare sdkconfig +CONFIG_LWIP_IRAM_OPTIMIZATION=n +CONFIG_ESP_WIFI_IRAM_OPT=n
      heapscope compare sdkconfig.defaults --steps steps.txt --chip esp32 -o steps.md
    """
    from heapscope.cli.answer import give, write_text
    from heapscope.cli.progress import progress_bar
    from heapscope.cli.verbs.compare import compare as answer
    from heapscope.cli.verbs.compared_replays import EXAMPLE
    from heapscope.forecast.ladder.side import paths_of

    shared, sides = two_sides(memory, example=EXAMPLE)
    budgets = parsed(fail_on, "compare")
    requested = [*(need or ()), *(one.given for one in budgets if one.kind == "need")]
    replays: list[ReplayResult] = []
    with progress_bar() as progress:
        result = answer(
            *(things or ()),
            sides=sides,
            need=requested,
            parts=parts,
            caps=caps,
            reported_free=reported_free or (),
            steps=steps,
            tcp=tcp,
            udp=udp,
            tls=tls,
            links=links.split(",") if links else (),
            on_replays=lambda *both: replays.extend(both),
            progress=progress,
            **shared,
        )
    if budgets and not replays:
        raise InputError("--fail-on is for comparing replays", remedy="leave --fail-on out")
    named = (path for thing in things or () for path in (Path(thing), *paths_of(thing)))
    read = [*named_files(shared, *sides), *named, *filter(None, [steps])]
    if out is not None:
        title = " -> ".join(things or ("start",))
        write_text(_tables(result, out, title), out, option="--output", inputs=read)
    give(result, json, inputs=[*read, *([out] if out else [])])
    if budgets:
        from heapscope.cli.verbs.fail_on import of_comparison

        fail(of_comparison(budgets, *replays))


def _tables(answer: VerbResult, out: Path, title: str) -> str:
    """The tables as Markdown, or as a page."""
    from heapscope.cli.verbs.shown import parts
    from heapscope.render.text.markdown import markdown

    if out.suffix.lower() == ".md":
        return markdown(parts(answer))
    from heapscope.cli.verbs.report import check_page

    check_page(out)
    from heapscope.render.page.parts import parts_html

    return parts_html(title, parts(answer))
