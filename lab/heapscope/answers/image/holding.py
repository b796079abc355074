"""Damage of a heap in sentences: what the bytes hold, and whose neighbours they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from heapscope.answers.image.heap import WORD_KINDS, Damage, ImageBlock, ImageHeap
from heapscope.answers.image.result import DamageRow
from heapscope.base.printable import printable
from heapscope.base.wording import plural, size
from heapscope.memory.image.memory_image import MemoryImage

_SHOWN = 16  # bytes
_OF_FREE = ("write_after_free", "double_free")
_PATTERNS = {
    0xA5A5A5A5: "the pattern of unused stacks",
    0xCECECECE: "the pattern of new blocks",
    0xFEFEFEFE: "the pattern of free memory",
    0xABBA1234: "a canary of another block",
    0xBAAD5678: "a canary of another block",
}


def damage_row(image: MemoryImage, heap: ImageHeap, damage: Damage) -> DamageRow:
    before = _at(heap, damage.before)
    after = _at(heap, damage.after)
    return DamageRow(
        address=damage.address,
        bytes=damage.size,
        block=damage.block or None,
        kind=damage.kind,
        words=damage.words,
        holds=_holds(image, damage),
        expected="" if damage.expected is None else f"{damage.expected:#010x}",
        before=before,
        after=after,
        source=damage.source or None,
        text=_text(damage),
        found_in=(),
    )


def with_holders(row: DamageRow, pointing_at: Callable[[int], tuple[str, ...]]) -> DamageRow:
    """The same, with what still points at the block, where it is a free one. `pointing_at`: the
    words that hold an address of the block, in words."""
    found = pointing_at(row.source) if row.source and row.kind in _OF_FREE else ()
    if not found:
        return row
    text = f"{row.text} The program still has its address in {', '.join(found)}."
    return replace(row, text=text, found_in=found)


def _at(heap: ImageHeap, address: int) -> int | None:
    found: ImageBlock | None = next((one for one in heap.blocks if one.address == address), None)
    return None if found is None else found.given


def _text(damage: Damage) -> str:
    what = ", ".join(WORD_KINDS[word] for word in damage.words)
    return f"{what[:1].upper()}{what[1:]}: {damage.why}."


def _holds(image: MemoryImage, damage: Damage) -> str:
    data = image.bytes_at(damage.address, damage.size) or b""
    return "; ".join(_content(image, data, damage))


def _content(image: MemoryImage, data: bytes, damage: Damage) -> Iterator[str]:
    shown = data[:_SHOWN].hex(" ")
    yield shown + (" …" if len(data) > _SHOWN else "")
    if len(data) > 1 and len(set(data)) == 1:
        yield f"{data[0]:#04x} in all of them"
    elif len(data) >= 4 and all(32 <= byte < 127 for byte in data.rstrip(b"\0")):
        yield f"text “{printable(data.rstrip(bytes(1)).decode('ascii'), limit=40)}”"
    word = damage.holds
    if word in _PATTERNS:
        yield _PATTERNS[word]
    elif word and word % 4 == 0 and image.known(word, 4):
        yield f"a pointer to {word:#010x}"


_SENTENCES = {
    "overflow": "{bytes} behind the block at {source:#010x} are overwritten, from its end on.",
    "underflow": "{bytes} in front of the block at {source:#010x} are overwritten.",
    "double_free": "The block at {source:#010x} was freed twice, as the lists of free blocks show.",
    "write_after_free": "{bytes} of the free block at {source:#010x} were written after its free.",
}


def damage_sentences(rows: Sequence[DamageRow]) -> Iterator[str]:
    """One sentence, about what is explained where anything is, and how many places more."""
    if not rows:
        return
    first = next((row for row in rows if row.kind in _SENTENCES and row.source), rows[0])
    sentence = _SENTENCES.get(first.kind) if first.source else None
    if sentence is not None:
        told = sentence.format(bytes=size(first.bytes), source=first.source)
    else:
        told = f"{size(first.bytes)} of the heap at {first.address:#010x} are overwritten."
    rest = len(rows) - 1
    more = f" {plural(rest, 'more place')} of the heap {'is' if rest == 1 else 'are'} damaged."
    yield "The heap is damaged: " + told[:1].lower() + told[1:] + (more if rest else "")
