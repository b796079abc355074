"""The page that `heapscope sweep` writes beside its answer."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from heapscope.base.option import Option
from heapscope.base.printable import printable
from heapscope.cli.answer import wants_tables
from heapscope.cli.call import Call
from heapscope.cli.verbs.options import Json, JsonBrief


def sweep(
    call: Call,
    *,
    html: Annotated[Path | None, Option("FILE", "Also write one HTML page.", writes=True)] = None,
    json: Json = None,
    json_brief: JsonBrief = None,
) -> None:
    from heapscope.cli.verbs.sweep import check_page, write_page

    if html is None:
        call.give(json, brief=json_brief)
        return
    check_page(html)
    result = call.answer()
    plan = Path(call.given["words"][0])
    size = write_page(result, html, inputs=[plan])
    call.give(json, result, brief=json_brief, beside=[plan, html])
    if wants_tables(json, json_brief):
        typer.echo(f"{printable(str(html), limit=400)}: {size:,} B; open it in a browser")
