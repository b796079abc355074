"""The blocks that are live at the end: in the recorded program, and on the memory of the replay."""

from __future__ import annotations

from collections.abc import Iterator

from heapscope.base.wording import plural, size
from heapscope.simulation.result.result import ReplayResult


def stays(result: ReplayResult) -> Iterator[str]:
    """Both by name: the two differ by the requests that failed on this memory."""
    program, here = result.census, result.summary
    yield (
        f"At the end {_held(program.live, program.live_blocks)} are live in the recorded program, "
        f"on whatever memory it runs, and {_held(here.live, here.live_blocks)} on this memory."
    )
    if here.not_placed:
        blocks = plural(here.not_placed_blocks, "block")
        yield (
            f"Not placed: {size(here.not_placed)} in {blocks} of the recorded program, whose "
            "requests failed on this memory."
        )
    kept = program.live - here.live - here.not_placed
    if kept:
        more = "less" if kept > 0 else "more"
        yield (
            f"Blocks whose realloc failed on this memory keep their old size there: "
            f"{size(abs(kept))} {more} than in the recorded program."
        )


def _held(number: int, blocks: int) -> str:
    return f"{size(number)} in {plural(blocks, 'block')}"
