"""`heapscope experiment`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from heapscope.base.option import Option
from heapscope.cli.verbs.options import Json

FAILED = 1  # a figure that must come out exactly does not


def experiment(
    name: Annotated[str, Option("NAME", 'Experiment, as listed above, or "all".')],
    *,
    write: Annotated[
        Path | None, Option("FILE", "Also write the tables as Markdown.", writes=True)
    ] = None,
    html: Annotated[Path | None, Option("FILE", "Also write one HTML page.", writes=True)] = None,
    full: Annotated[bool, Option("", "All of what is shortened; some 25 minutes.")] = False,
    json: Json = None,
) -> None:
    """Compute a published experiment anew: its figures beside the computed ones.

      heap-change   ESP-IDF 4.3's new heap: blocks that fit, four timings, tables on a real chip's
                    regions, and what its upgrade cost, for every allocator and our heap
      wifi-ranks    40 published Wi-Fi configurations: memory and throughput of each as predicted
                    from the others, and power save; some ten seconds
      wifi-path     lwIP on a simulated link: heap and throughput by window, buffers and loss, a
                    second opinion on the ranks' throughputs
      tls-ladder    seven steps that give back a TLS client's memory, each predicted from traces
      ice-pools     pools of a real ICE negotiation, and the sizes that would have served it better
      memory-ladders  two published ladders of 2025, an ESP32-C2 and a Matter light, by the sum of
                    parts without what their own pages told
      script-heap   a script engine on the shared heap or its own, over a composed week; --full
                    plays every minute of it

    Exit code 1 when a figure that must come out exactly does not.

    Examples:
      heapscope experiment heap-change
      heapscope experiment heap-change --json -
      heapscope experiment all --write experiments.md
      heapscope experiment tls-ladder --html ladder.html
    """
    from heapscope.base.progress import phase
    from heapscope.cli.answer import wants_tables, write_json, write_text
    from heapscope.cli.progress import progress_bar
    from heapscope_studies.registry import EXPERIMENTS, chosen
    from heapscope_studies.result import Experiments, failures

    results = []
    for match in chosen(name):
        with progress_bar() as progress:
            step = phase(progress, match, parts=True)
            results.append(EXPERIMENTS[match].runner(full=full)(step))
    write_json(Experiments(experiments=tuple(results)).to_json(), json)
    if write is not None:
        from heapscope_studies.markdown import markdown

        write_text(markdown(results), write, option="--write")
    if html is not None:
        from heapscope_studies.page.chapters import experiment_html

        page = experiment_html(results)
        write_text(page, html, option="--html")
    if wants_tables(json, write, html):
        from heapscope.render.text.console import console
        from heapscope_studies.terminal import print_experiment

        for number, result in enumerate(results):
            target = console()
            if number:
                target.print()
            print_experiment(result, target)
        if html is not None:
            from heapscope.base.printable import printable

            size, where = len(page.encode("utf-8")), printable(str(html), limit=400)
            typer.echo(f"\n{where}: {size:,} B; open it in a browser")
    if any(failures(results)):
        raise typer.Exit(FAILED)
