"""The answer of `image`: the content of a device's memory."""

from __future__ import annotations

from heapscope.base.rows.figure import WORD, figure, in_bytes
from heapscope.base.rows.row import Document, Row

REACHES = ("pointer", "only_in", "none")


class HeapRow(Row):
    """One heap of the image."""

    start: int = figure("The first byte of its region.", heading="heap", most=WORD)
    bytes: int = in_bytes("The size of its region.", "size")
    allocator: str = figure("The allocator whose structures it has.", heading="allocator")
    free: int | None = in_bytes("Free, as the SDK prints it; null: not known.", "free")
    largest: int | None = in_bytes(
        "The largest free block, as the SDK prints it; null: not known.", "largest free"
    )
    least_free: int | None = in_bytes(
        "The least that was free since the start, as the SDK prints it; null: not kept.",
        "least free",
    )
    used: int = in_bytes("Payload of the used blocks.", "used")
    used_blocks: int = figure("Used blocks.", heading="used blocks")
    free_blocks: int | None = figure("Free blocks; null: not known.", heading="free blocks")


class BlockRow(Row):
    """One block of a heap."""

    address: int = figure(
        "Its payload, as the heap's own list of blocks prints it.", heading="block", most=WORD
    )
    bytes: int = in_bytes("Its payload.", "bytes")
    used: bool = figure("It is in use.")
    program: int = figure("The address that the program has of it.", most=WORD)
    requested: int | None = in_bytes("Requested bytes; null: the heap does not keep it.")
    owner: str = figure("The task that allocated it; empty: the heap does not keep it.")
    name: str = figure("Its name; empty: not known.", heading="name")
    path: str = figure("How the program reaches it by its types; empty: not known.")
    reach: str | None = figure(
        "pointer: a pointer to it was found; only_in: only words that may be none; none: no word "
        "of the image points at it. null: it is free, or the image has too little to tell.",
        choices=REACHES,
    )
    found_in: tuple[str, ...] = figure("Where the words that point at it lie, at most three.")


class DamageRow(Row):
    """Bytes that cannot be what the allocator wrote."""

    address: int = figure("The first of them.", heading="at", most=WORD)
    bytes: int = in_bytes("How many.", "bytes")
    block: int | None = figure("The block they belong to; null: none.", heading="block", most=WORD)
    kind: str = figure(
        "The write, where the bytes show it: overflow, underflow, write_after_free, "
        "double_free; else the first of the words.",
        heading="damage",
    )
    words: tuple[str, ...] = figure("The words of the heap that they are.")
    holds: str = figure("The bytes there.", heading="holds")
    expected: str = figure("The first word as it has to be; empty: not known.")
    before: int | None = figure(
        "The block of the program before them; null: there is no block.", most=WORD
    )
    after: int | None = figure(
        "The block of the program behind them; null: there is no block.", most=WORD
    )
    source: int | None = figure(
        "The block that was most likely written beyond; null: not known.", heading="from", most=WORD
    )
    text: str = figure("The meaning.", heading="meaning")
    found_in: tuple[str, ...] = figure(
        "Where the program still keeps an address of the free block that was written to or freed "
        "twice: the first of these words."
    )


class ImageTaskRow(Row):
    """One task."""

    name: str = figure("Its name.", heading="task")
    state: str = figure(
        "Its state: running, ready, blocked, suspended, deleted; `ready or running` where nothing "
        "tells which task ran; empty: not known."
    )
    priority: int | None = figure("Its priority; null: not known.", heading="priority")
    stack: int | None = figure("The lowest byte of its stack.", most=WORD)
    stack_bytes: int | None = in_bytes("Its stack; null: its end is not known.", "stack")
    stack_free: int | None = in_bytes("The part of it that it never used.", "never used")


class SuspectRow(Row):
    """Used blocks of one name that may be leaked."""

    name: str = figure("Their name.", heading="what")
    owner: str = figure("The task that allocated them; empty: not known.", heading="task")
    reach: str = figure(
        "Either only_in or none, as for a block.", heading="pointers", choices=REACHES
    )
    blocks: int = figure("How many.", heading="blocks", rest="sum")
    bytes: int = in_bytes("Their payload.", "bytes", rest="sum")
    first: int = figure("The program's address of one of them.", heading="one of them", most=WORD)
    found_in: str = figure("Where a word with its address lies; empty: nowhere.", heading="word in")


class CensusRow(Row):
    """The blocks of one name."""

    name: str = figure("Their name.", heading="what")
    blocks: int = figure("How many.", heading="blocks", rest="sum")
    bytes: int = in_bytes("Their payload.", "bytes", rest="sum")
    largest: int = in_bytes("The largest.", "largest", rest="most")


class ImageResult(Document):
    """The content of a device's memory."""

    VERB = "image"
    VERSION = 1
    main_table = "heaps"

    files: tuple[str, ...] = figure("The files.")
    what: str = figure("Their form.")
    chip: str = figure("The chip; empty: not known.")
    idf: str = figure("The release of ESP-IDF; empty: not known.")
    known: int = in_bytes("Bytes of memory in them.")
    heaps: tuple[HeapRow, ...] = figure("The heaps, by address.")
    blocks: tuple[BlockRow, ...] = figure("The blocks of all heaps, by address.")
    damage: tuple[DamageRow, ...] = figure("The damage.")
    tasks: tuple[ImageTaskRow, ...] = figure("The tasks.")
    census: tuple[CensusRow, ...] = figure("The used blocks by name, most bytes first.")
    suspects: tuple[SuspectRow, ...] = figure("The used blocks that nothing surely points at.")
    missing: tuple[str, ...] = figure("The parts that were not in the image.")
    notes: tuple[str, ...] = figure("Remarks.")
    verdict: tuple[str, ...] = figure("The answer in sentences.")
