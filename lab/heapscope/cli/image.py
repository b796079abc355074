"""The files that `heapscope image` writes beside its answer."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from heapscope.cli.answer import wants_tables, write_answer, write_text
from heapscope.cli.call import Call
from heapscope.cli.verbs.options import EveryRow, Json, JsonBrief, output

if TYPE_CHECKING:
    from heapscope.answers.image.result import ImageResult
    from heapscope.logs.heaps.state_file import HeldHeaps


def image(
    call: Call,
    *,
    out: Annotated[Path | None, output("FILE")] = None,
    json: Json = None,
    json_brief: JsonBrief = None,
    every_row: EveryRow = False,
) -> None:
    from heapscope.cli.verbs.image import image_with_heaps

    result, held = call.answer(image_with_heaps)
    if out is not None and _is_trace(out):
        _write_state(held, out, call.inputs)
    elif out is not None:
        write_text(_page(result, out), out, option="--output", inputs=call.inputs)
    if wants_tables(out):
        call.give(json, result, brief=json_brief, every_row=every_row)
    else:
        write_answer(result, json, json_brief, inputs=call.inputs)


def _is_trace(out: Path) -> bool:
    return out.name.lower().endswith((".hst", ".hst.zst"))


def _write_state(held: HeldHeaps, out: Path, inputs: Sequence[Path]) -> None:
    from heapscope.base.errors import InputError
    from heapscope.base.output import open_output
    from heapscope.logs.heaps.image_state import check_state
    from heapscope.logs.heaps.state_file import state_file

    if not held.heaps:
        raise InputError(
            f"{held.where}: it does not tell which blocks are free, and in which order",
            remedy="a state needs all of the RAM, read by a debugger",
        )
    for heap in held.heaps:
        check_state(heap, held.where)
    data = state_file(held)
    with open_output(out, inputs=tuple(inputs)) as write:
        write(data)


def _page(result: ImageResult, out: Path) -> str:
    """Markdown, or a page with a picture of each heap."""
    from heapscope.cli.verbs.shown import parts
    from heapscope.render.text.markdown import markdown

    if out.suffix.lower() == ".md":
        return markdown(parts(result))
    from heapscope.cli.verbs.report_page import check_page

    check_page(out)
    from heapscope.render.page.image import image_html

    return image_html(result, parts(result))
