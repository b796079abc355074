"""The heap that a recording tells: the blocks that are live at its end, as rows of an image.

A recorder's last whole snapshot and the events behind it name them. A black box has no snapshot: it
has the blocks of its own events alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from heapscope.answers.image.census import UNNAMED
from heapscope.answers.image.result import BlockRow, CensusRow, HeapRow, ImageResult
from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.base.wording import plural, size
from heapscope.memory.image.memory_image import ADDRESS_END
from heapscope.native.listener import REGIONS, NativeListener, reported
from heapscope.native.live import live_blocks
from heapscope.native.reader import NativeReader
from heapscope.simulation.replay.labels import Labels
from heapscope.trace.call_sites import short_site
from heapscope.trace.feed import read_trace
from heapscope.trace.metadata import texts
from heapscope.trace.recording import recording_of
from heapscope.trace.segment import segment_of
from heapscope.trace.sniff import TRACE_SYNC
from heapscope.trace.source import open_blocks

_BOX = "the black box of a boot"


def is_recording(name: str) -> bool:
    """Whether a file's first bytes are a trace's, compressed or not."""
    file, _ = segment_of(name)
    if not file.is_file():
        return False
    with open_blocks(file) as parts:
        return next(iter(parts), b"").startswith(TRACE_SYNC)


def answer_of_recording(
    path: str, *, chip: str = "", idf: str = "", symbols: bool = False
) -> ImageResult:
    """`path`: FILE, or FILE:2 for a part of it; `symbols`: the user gave some. InputError: another
    file, or addresses wider than a chip's."""
    shown = printable(path, limit=400)
    with NativeReader() as reader:
        health = read_trace(path, reader)
        facts = texts(reader.metadata())
        rows = live_blocks(reader)
        recorded = recording_of(reader, health)
        labels = Labels(reader)
    if not health.has_addresses or (len(rows) and int(rows["key"].max()) >= ADDRESS_END):
        raise InputError(
            f"{shown}: a recording without the addresses of a chip",
            remedy=f"heapscope leaks {shown} has the blocks that it holds",
        )
    blocks = tuple(
        BlockRow(
            address=int(row["key"]),
            bytes=int(row["size"]),
            used=True,
            program=int(row["key"]),
            requested=int(row["size"]),
            owner=labels.task(int(row["task"])),
            name=short_site(labels.site(int(row["site"]))),
            path="",
            reach=None,
            found_in=(),
        )
        for row in sorted(rows, key=lambda row: int(row["key"]))
    )
    known = recorded is None or recorded.known
    return ImageResult(
        files=(path,),
        what=_BOX if facts.get("black_box") == "1" else "a recording's last moment",
        chip=chip or facts.get("chip", ""),
        idf=idf or facts.get("sdk", "").removeprefix("esp-idf "),
        known=0,
        heaps=_span(blocks, facts.get("allocator", "")),
        blocks=blocks,
        damage=(),
        tasks=(),
        census=_census(blocks),
        suspects=(),
        missing=(
            "A recording has no bytes of the memory: what is free between the blocks, damage and "
            "pointers are not known.",
            *(() if known else (_UNKNOWN,)),
            *health.messages,
        ),
        notes=(*_memories(path), *((_OWN_NAMES,) if symbols else ())),
        verdict=tuple(_verdict(blocks, known=known)),
    )


_OWN_NAMES = "A recording has its own names of call sites: no symbols were used."
_UNKNOWN = (
    "No whole snapshot is in it, so that blocks from before its first event are missing, and some "
    "of these may be free."
)


def _span(blocks: Sequence[BlockRow], allocator: str) -> tuple[HeapRow, ...]:
    """From the first block to the end of the last: a recording need not tell regions."""
    if not blocks:
        return ()
    start = blocks[0].address
    return (
        HeapRow(
            start=start,
            bytes=max(one.address + one.bytes for one in blocks) - start,
            allocator=allocator,
            free=None,
            largest=None,
            least_free=None,
            used=sum(one.bytes for one in blocks),
            used_blocks=len(blocks),
            free_blocks=None,
        ),
    )


def _census(blocks: Sequence[BlockRow]) -> tuple[CensusRow, ...]:
    groups: dict[str, list[int]] = defaultdict(list)
    for one in blocks:
        groups[one.name or UNNAMED].append(one.bytes)
    rows = (
        CensusRow(name=name, blocks=len(sizes), bytes=sum(sizes), largest=max(sizes))
        for name, sizes in groups.items()
    )
    return tuple(sorted(rows, key=lambda row: (-row.bytes, row.name)))


def _verdict(blocks: Sequence[BlockRow], *, known: bool) -> Iterator[str]:
    held = f"{plural(len(blocks), 'block')} with {size(sum(one.bytes for one in blocks))}"
    if not known:
        yield f"{held} of its own events were in use at the end."
    else:
        yield f"{held} were in use at the end of the recording."
    tasks: dict[str, int] = defaultdict(int)
    for one in blocks:
        tasks[one.owner] += one.bytes
    if tasks:
        most = max(tasks, key=lambda task: tasks[task])
        yield f"The task {most} allocated most of it: {size(tasks[most])}."


def _memories(path: str) -> Iterator[str]:
    """A sentence on each memory, as the device named it."""
    file, _ = segment_of(path)
    with NativeListener() as listener, open_blocks(file) as parts:
        for data in parts:
            while data and (taken := listener.push(data)):
                listener.chunks()
                listener.text()
                data = data[taken:]
        listener.flush()
        for row in listener.memories():
            name = printable(listener.name(REGIONS, row.region) or b"a memory")
            figures = (
                (reported(row.free), "{} free"),
                (reported(row.largest), "{} in one block"),
                (reported(row.minimum), "at least {} free at all times"),
            )
            told = ", ".join(text.format(size(one)) for one, text in figures if one is not None)
            yield f"The device named {name}, {size(row.size)}{f': {told}' if told else ''}."
