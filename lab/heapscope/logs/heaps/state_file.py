"""A state file: the heaps of one moment as a trace, whose one snapshot has their used blocks.

Every verb reads it as the trace that it is. A snapshot cannot tell the free blocks in their order
and the words around the used ones: these are in the metadata (format/SPEC.md, heap_state).
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from heapscope.answers.image.heap import Coat, ImageBlock, ImageHeap
from heapscope.base.errors import InputError
from heapscope.base.version import __version__
from heapscope.native.events import Events, NativeWriter, event_dtype
from heapscope.native.reader import NameTable, NativeReader
from heapscope.trace.metadata import RECORDER, SOURCE, WORD_SIZE
from heapscope.trace.sniff import TRACE_SYNC
from heapscope.trace.source import open_blocks

HEAP_STATE = "heap_state"
SOURCE_NAME = "memory image"  #: value of the trace's metadata key "source"
_FORM = "1"
_PIECE = 32_000  # bytes of a value, which a chunk has to hold
_PIECES_MAX = 30  # 1 MB is what readers keep
_JSON_MAX = 64 << 20
_ADDRESSES, _SITES = 1, 4  # HS_TRACE_*
_SNAPSHOT, _LIVE, _SNAPSHOT_END = 19, 20, 21  # hs_event_kind_t
_REGION = 22
_SHIFT = 2
_NAME_MAX = 200
_OF_HEAP = ("start", "end", "first", "family", "free_order", "order_known", "counted_free",
            "minimum_free", "largest", "caps", "turn", "table_log2", "bins_log2", "changing",
            "dumped")  # fmt: skip


@dataclass(frozen=True)
class BlockLabel:
    """The names of a used block and of its task; empty: not known."""

    name: str = ""
    owner: str = ""


@dataclass(frozen=True, kw_only=True)
class HeldHeaps:
    """`where`: the files, as the user named them; `chip`, `sdk`: "" where nothing names them;
    `limit`: the size above which malloc asks PSRAM first, None: not known; `labels`: of used
    blocks, by address."""

    heaps: tuple[ImageHeap, ...]
    where: str
    chip: str = ""
    sdk: str = ""
    limit: int | None = None
    labels: dict[int, BlockLabel] = field(default_factory=dict)


def state_file(held: HeldHeaps) -> bytes:
    """InputError: there are too many blocks for one."""
    used = sorted(
        ((block, heap) for heap in held.heaps for block in heap.blocks if block.used),
        key=lambda one: one[0].given,
    )
    labels = [held.labels.get(block.address, BlockLabel()) for block, _ in used]
    tasks = _numbered(one.owner for one in labels)
    sites = _numbered(one.name for one in labels)
    shift = 0 if any(block.given % (1 << _SHIFT) for block, _ in used) else _SHIFT
    with NativeWriter(features=_ADDRESSES | _SITES, address_shift=shift) as writer:
        for key, value in _facts(held):
            writer.metadata(key, value)
        writer.name(NameTable.TASK, 0, b"not known")
        for table, names in ((NameTable.TASK, tasks), (NameTable.SITE, sites)):
            for name, number in names.items():
                writer.name(table, number, _plain(name))
        writer.events(_rows(_regions(held.heaps)))
        sizes = [max(0, block.end - block.given - heap.coat.behind) for block, heap in used]
        live = (
            {
                "kind": _LIVE,
                "key": block.given,
                "new_key": 1,
                "size": size,
                "site": sites.get(label.name, 0),
                "task": tasks.get(label.owner, 0),
                "align_log2": int(bool(label.owner)),
            }
            for (block, _), label, size in zip(used, labels, sizes, strict=True)
        )
        writer.events(_rows(live))
        end = {"kind": _SNAPSHOT_END, "key": 1, "new_key": len(used), "size": sum(sizes)}
        writer.events(_rows([end]))
        writer.finish()
        return b"".join(writer.take())


def _regions(heaps: Iterable[ImageHeap]) -> Iterator[dict[str, int]]:
    yield {"kind": _SNAPSHOT, "key": 1}
    for number, heap in enumerate(heaps):
        caps = _caps(heap)
        yield {
            "kind": _REGION,
            "key": number,
            "new_key": heap.start,
            "size": heap.size,
            "caps": caps,
        }


def _rows(rows: Iterable[dict[str, int]]) -> Events:
    every = list(rows)
    events = np.zeros(len(every), dtype=event_dtype())
    for at, one in enumerate(every):
        for name, value in one.items():
            events[name][at] = value
    return events


def _numbered(names: Iterable[str]) -> dict[str, int]:
    """From 1 on; 0 is what is not known."""
    return {name: number for number, name in enumerate(sorted(set(names) - {""}), 1)}


def _plain(name: str) -> bytes:
    """A name that is one frame of a call site."""
    return name.replace(";", ",").encode("utf-8")[:_NAME_MAX]


def _caps(heap: ImageHeap) -> int:
    first, second, third = heap.caps or (0, 0, 0)
    return first | second | third


def _facts(held: HeldHeaps) -> Iterator[tuple[str, str]]:
    text = base64.b64encode(zlib.compress(json.dumps(_document(held)).encode(), 9)).decode()
    pieces = [text[at : at + _PIECE] for at in range(0, len(text), _PIECE)]
    if len(pieces) > _PIECES_MAX:
        blocks = sum(len(heap.blocks) for heap in held.heaps)
        raise InputError(
            f"{held.where}: {blocks:,} blocks are too many for a state file",
            remedy="use the image itself as the state",
        )
    yield HEAP_STATE, f"{_FORM} {len(pieces)}"
    yield WORD_SIZE, "4"
    yield SOURCE, SOURCE_NAME
    yield RECORDER, f"heapscope {__version__}"
    if held.chip:
        yield "chip", held.chip
    if held.sdk:
        yield "sdk", f"esp-idf {held.sdk}"
    yield "snapshots", "1"
    yield "walked_sizes", "1"
    for number, piece in enumerate(pieces, 1):
        yield f"{HEAP_STATE}_{number}", piece


def _document(held: HeldHeaps) -> dict[str, Any]:
    return {
        "where": held.where,
        "chip": held.chip,
        "sdk": held.sdk,
        "limit": held.limit,
        "labels": [[at, one.name, one.owner] for at, one in held.labels.items()],
        "heaps": [
            {name: getattr(heap, name) for name in _OF_HEAP}
            | {"coat": asdict(heap.coat), "blocks": [list(block) for block in heap.blocks]}
            for heap in held.heaps
        ],
    }


def is_state_file(head: bytes) -> bool:
    """Whether the first bytes of a trace say so."""
    return head.startswith(TRACE_SYNC) and HEAP_STATE.encode() in head


def read_state_file(path: str) -> HeldHeaps:
    """InputError: it is damaged."""
    with open_blocks(path) as blocks, NativeReader() as reader:
        for block in blocks:
            reader.push(block)
        facts = reader.metadata()
        name = blocks.name
    try:
        form, pieces = facts[HEAP_STATE].split()
        if form != _FORM.encode():
            raise InputError(
                f"{name}: a state file of a later version", remedy="read it with that version"
            )
        text = b"".join(facts[f"{HEAP_STATE}_{number + 1}"] for number in range(int(pieces)))
        unpacked = zlib.decompressobj().decompress(base64.b64decode(text), _JSON_MAX)
        return _held(json.loads(unpacked), name)
    except (KeyError, TypeError, ValueError, zlib.error, RecursionError) as error:
        raise InputError(
            f"{name}: the heaps in this state file are damaged ({type(error).__name__})",
            remedy="write it again: heapscope image FILE -o state.hst",
        ) from None


def _held(data: dict[str, Any], name: str) -> HeldHeaps:
    return HeldHeaps(
        heaps=tuple(_heap(one) for one in data["heaps"]),
        where=name,
        chip=str(data["chip"]),
        sdk=str(data["sdk"]),
        limit=None if data["limit"] is None else int(data["limit"]),
        labels={int(at): BlockLabel(str(one), str(owner)) for at, one, owner in data["labels"]},
    )


def _heap(data: dict[str, Any]) -> ImageHeap:
    values = {one: data[one] for one in _OF_HEAP}
    caps = values["caps"]
    values["caps"] = None if caps is None else tuple(_word(one) for one in caps)
    values["free_order"] = tuple(_word(one) for one in values["free_order"])
    blocks = tuple(_block(*one) for one in data["blocks"])
    for one in ("start", "end", "first"):
        _word(values[one])
    return ImageHeap(**values, coat=Coat(**data["coat"]), blocks=blocks)


def _block(address: Any, size: Any, used: Any, program: Any, *kept: Any) -> ImageBlock:
    requested, owner = (None if one is None else _word(one) for one in kept)
    return ImageBlock(_word(address), _word(size), bool(used), _word(program), requested, owner)


def _word(value: Any) -> int:
    if not isinstance(value, int) or not 0 <= value < 1 << 32:
        raise ValueError(value)
    return value
