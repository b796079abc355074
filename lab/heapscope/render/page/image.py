"""The page of a memory image: what the command prints, and a picture of every heap by address."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from rich.console import RenderableType

from heapscope.answers.image.census import UNNAMED, kind_of
from heapscope.answers.image.result import BlockRow, HeapRow, ImageResult
from heapscope.base.wording import size
from heapscope.render.page.colours import ALLOCATOR, FAILED, OTHERS, TASKS, LegendLook
from heapscope.render.page.parts import sentences_and_tables, tables_page

WIDTH, HEIGHT = 1024, 18  # of a row of the picture
_ROWS = 24  # of the largest heap
_ROW_MIN = 1024  # bytes of a row at least


@dataclass(frozen=True)
class Piece:
    """A part of a block in one row of the picture."""

    x: float
    y: int
    width: float
    colour: str
    text: str
    doubtful: bool


@dataclass(frozen=True)
class HeapStrip:
    """The picture of one heap. `height`: of all its rows."""

    title: str
    height: int
    pieces: tuple[Piece, ...]


def image_html(result: ImageResult, parts: Iterable[RenderableType]) -> str:
    """`parts`: what the command prints; the first sentence is the answer."""
    title, answer, *rest = sentences_and_tables(parts)
    colours = dict(zip([row.name for row in result.census], TASKS, strict=False))
    looks = [LegendLook(name, colour) for name, colour in colours.items()]
    looks += [LegendLook("other blocks", OTHERS), LegendLook("the allocator", ALLOCATOR)]
    looks += [LegendLook("damaged", FAILED)] if result.damage else []
    return tables_page(
        "image.html.j2",
        title=title[0],
        answer=answer[0],
        parts=rest,
        strips=[_strip(result, heap, colours) for heap in result.heaps],
        looks=looks,
        width=WIDTH,
        row=HEIGHT,
    )


def row_bytes(result: ImageResult) -> int:
    """Bytes of a row, the same in every heap: a power of two."""
    most = max(heap.bytes for heap in result.heaps)
    step = _ROW_MIN
    while step * _ROWS < most:
        step *= 2
    return step


def _strip(result: ImageResult, heap: HeapRow, colours: dict[str, str]) -> HeapStrip:
    step = row_bytes(result)
    end = heap.start + heap.bytes
    blocks = [block for block in result.blocks if heap.start <= block.address < end]
    damaged = [row.address for row in result.damage if heap.start <= row.address < end]
    pieces = [*_ground(heap, step)]
    for block in blocks:
        colour = colours.get(kind_of(block.name) or UNNAMED, OTHERS) if block.used else ""
        doubtful = block.used and block.reach not in ("pointer", None)
        pieces.extend(
            _pieces(heap, step, block.address, block.bytes, colour, _text(block), doubtful)
        )
    for address in damaged:
        pieces.extend(_pieces(heap, step, address, step // 128, FAILED, "damaged", False))
    rows = -(-heap.bytes // step)
    title = f"{heap.start:#010x}, {size(heap.bytes)}, {size(step)} a row"
    return HeapStrip(title, rows * HEIGHT, tuple(pieces))


def _ground(heap: HeapRow, step: int) -> Iterator[Piece]:
    """The whole heap: what no block covers is the allocator's."""
    yield from _pieces(heap, step, heap.start, heap.bytes, ALLOCATOR, "the allocator", False)


def _text(block: BlockRow) -> str:
    what = (block.name or "a block") if block.used else "free"
    reach = {"none": ", nothing points at it", "only_in": ", only a doubtful word points at it"}
    return f"{block.address:#010x}: {block.bytes:,} B, {what}{reach.get(block.reach or '', '')}"


def _pieces(
    heap: HeapRow, step: int, address: int, length: int, colour: str, text: str, doubtful: bool
) -> Iterator[Piece]:
    at, end = address - heap.start, min(address - heap.start + length, heap.bytes)
    while at < end:
        row, inside = divmod(at, step)
        part = min(step - inside, end - at)
        scale = WIDTH / step
        yield Piece(
            round(inside * scale, 2), row * HEIGHT, round(part * scale, 2), colour, text, doubtful
        )
        at += part
