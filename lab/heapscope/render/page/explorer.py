"""The page that replays a file which is dropped on it."""

from __future__ import annotations

from heapscope.render.explorer.embed import chip_memories, packed_parts, pools
from heapscope.render.page.colours import PALETTE
from heapscope.render.page.detail import DETAILS
from heapscope.render.page.frame import DEVICE, EXPLORE, LISTENING, page, worker_text


def explorer_html() -> str:
    """One file with the engine and the memories of all chips, which loads nothing."""
    parts = packed_parts([*pools(), *chip_memories()], PALETTE)
    return page(
        "explorer.html.j2",
        scripts=(),
        explore=(*EXPLORE, *DEVICE),
        data={},
        detail=DETAILS[0],
        charts=False,
        packed={"worker": worker_text(*LISTENING), **parts},
    )
