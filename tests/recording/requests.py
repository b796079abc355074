"""The requests of the programs, and those that a recording has."""

from __future__ import annotations

from heapscope.capture.record.recording import ImageRecord
from heapscope.native.reader import NameTable, NativeReader
from heapscope.trace.feed import read_trace
from recording.programs import events_of

__all__ = [
    "CALLOC",
    "FAILED",
    "FREE",
    "MALLOC",
    "REALLOC",
    "REQUESTED",
    "names",
    "requests_by",
    "requests_of",
]

MALLOC, CALLOC, ALIGNED, REALLOC, FREE, FAILED = range(1, 7)
MARK, POOL_CREATE, POOL_ALLOC, POOL_RELEASE = 7, 11, 13, 14

#: The calls of programs/calls.c: kind, size, log2 of the alignment.
REQUESTED = [
    (MARK, 0, 0),
    (MALLOC, 100, 0),
    (CALLOC, 210, 0),
    (MALLOC, 50, 0),  # realloc(NULL, 50)
    (REALLOC, 5000, 0),
    (MALLOC, 143, 0),  # reallocarray(NULL, 11, 13)
    (ALIGNED, 128, 6),
    (ALIGNED, 300, 8),
    (ALIGNED, 33, 5),
    (ALIGNED, 17, 12),
    (MALLOC, 0, 0),
    (FAILED, "half", 0),
    (FAILED, "half", 0),
    (FAILED, "beyond", 0),  # products that no size can hold
    (FAILED, "beyond", 0),
    (FAILED, "beyond", 0),
    (MALLOC, 200, 0),
    (POOL_CREATE, 4096, 0),
    (POOL_ALLOC, 100, 0),
    (POOL_RELEASE, 0, 0),
    *[(FREE, 0, 0)] * 10,
    (MARK, 0, 0),
]


def requests_of(image: ImageRecord) -> list[tuple[int, int | str, int]]:
    """The events in the form of ASKED."""
    half = 1 << (8 * image.word_size - 1)
    named = {half: "half", 2 * half - 1: "beyond"}
    rows = [(int(e["kind"]), int(e["size"]), int(e["align_log2"])) for e in events_of(image)]
    return [(kind, named.get(size, size), align) for kind, size, align in rows]


def names(file: str) -> dict[int, str]:
    with NativeReader() as reader:
        read_trace(file, reader)
        sites = reader.names(NameTable.SITE)
        return {index: (name or b"").decode() for index, name in sites.items()}


def requests_by(image: ImageRecord, sizes: range) -> dict[int, list[str]]:
    """By size: the functions of the stack that asked for it, outermost first."""
    sites = names(image.file)
    return {
        int(e["size"]): [frame.split(" ")[0] for frame in sites[int(e["site"])].split(";")]
        for e in events_of(image)
        if e["kind"] <= REALLOC and e["size"] in sizes
    }
