"""Feeds a file into a native reader, and says what the file is instead of a trace."""

from __future__ import annotations

from pathlib import Path

from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.native.reader import NativeReader
from heapscope.native.status import Status
from heapscope.native.structs import NEVER
from heapscope.trace.health import TraceHealth
from heapscope.trace.metadata import not_reported
from heapscope.trace.segment import segment_of
from heapscope.trace.sniff import HEAD, TRACE_SYNC, looks_like
from heapscope.trace.source import Blocks, Progress, open_blocks
from heapscope.trace.take import take

FORMAT_VERSION = 1  #: HS_TRACE_VERSION: the newest version of the format that is understood


def read_trace(
    path: str | Path, reader: NativeReader, *, progress: Progress | None = None
) -> TraceHealth:
    """Pushes a whole file into `reader` and finishes it. Damage is in the result; InputError when
    nothing of the file can be used. `path`: FILE:2 is the second segment of a chip's recording."""
    head = b""
    file, segment = segment_of(path)
    reader.begin_with(segment)
    with open_blocks(path, progress=progress) as blocks:
        for block in blocks:
            if len(head) < HEAD:
                head += block[: HEAD - len(head)]
            reader.push(block)
    status = reader.finish()
    loss = reader.loss()
    counts = reader.health()
    health = take(
        TraceHealth,
        counts,
        loss=None if loss.event == NEVER else loss,
        segment=segment,
        segments=reader.segments(),
        source_loss=blocks.loss,
        unknown=not_reported(reader.metadata()) if counts.facts_lost else (),
    )
    if status == Status.VERSION:
        raise _newer(blocks, health)
    if status == Status.FORMAT:
        raise _no_trace(blocks, head)
    if segment > max(health.segments, 1):
        raise InputError(
            f"{printable(str(file), limit=400)}: segment {segment:,} is wanted, and the last is "
            f"{max(health.segments, 1):,}",
            remedy="a segment begins with a whole snapshot after a loss; leave the number out for "
            "the first",
        )
    return health


def _newer(blocks: Blocks, health: TraceHealth) -> InputError:
    text = f"trace format {health.version}"
    if health.version <= FORMAT_VERSION:
        text = "a feature of the trace format that is unknown here"
    return InputError(
        f"{blocks.name}: written by a newer Heapscope: {text}; this one reads up to format "
        f"{FORMAT_VERSION}",
        remedy="install a newer Heapscope",
    )


def _no_trace(blocks: Blocks, head: bytes) -> InputError:
    if blocks.loss is not None and not head:
        return InputError(f"{blocks.name}: {blocks.loss.sentence()}", remedy="copy it again")
    what, remedy = looks_like(head)
    if TRACE_SYNC in head:
        what, remedy = "has the mark of a trace but not one whole chunk", "record it again"
    inside = " (decompressed)" if blocks.compressed else ""
    return InputError(f"{blocks.name}{inside}: {what}", remedy=remedy)
