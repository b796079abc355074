"""States without events: who holds what, and the growth from one to the next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from heapscope.answers.image.answer import answer_of
from heapscope.answers.image.census import UNNAMED, kind_of
from heapscope.answers.pools.groups import without_address
from heapscope.base.errors import InputError
from heapscope.base.growth import changed, growth
from heapscope.base.placed_file import placed
from heapscope.base.printable import printable
from heapscope.base.rows.figure import computed, figure
from heapscope.base.rows.row import Document, Row
from heapscope.base.wording import plural, size
from heapscope.logs.heaps.held_heaps import is_image, labelled
from heapscope.logs.heaps.state_file import is_state_file
from heapscope.logs.reader.blocks import HeapDump
from heapscope.logs.reader.facts import read_log
from heapscope.logs.reader.reading import LogReading
from heapscope.memory.image.read import read_images
from heapscope.trace.sniff import HEAD, TRACE_SYNC
from heapscope.trace.source import open_blocks

UNKNOWN = "unknown"
_POINTER = "no pointer"


class HeldRow(Row):
    """One holder in the last state: a name, a task, a pool, or the blocks of one size."""

    name: str = figure("Whose it is, as far as a state tells.", heading="held by")
    blocks: int | None = figure("How many blocks; null: not told.", heading="blocks")
    bytes: int = figure("Their bytes.", "B", heading="bytes")
    largest: int | None = figure("The largest; null: not told.", "B", heading="largest")
    change: int | None = figure(
        "Bytes more than in the first state; null: there is one.", "B", least=None, heading="change"
    )
    verdict: str = figure(
        "unknown, or no pointer: nothing in the image points at some of its blocks.",
        heading="verdict",
    )


class HeldResult(Document):
    """The blocks of a heap in states without events: images, dumps in a log."""

    VERB = "leaks"
    KIND = "states"
    COMMAND = "leaks --json, of an image or a log"
    VERSION = 1
    main_table = "holders"

    files: tuple[str, ...] = figure("The files, in the order of their moments.")
    places: tuple[str, ...] = figure("Where each moment is found.")
    bytes: int = figure("Bytes in use in the last one.", "B")
    holders: tuple[HeldRow, ...] = figure("Who holds them, most bytes first.")
    unreached: int = figure("Bytes of blocks to which no pointer was found in the last image.", "B")
    grew: tuple[str, ...] = figure("The growth from the first to the last, in sentences.")

    @property
    @computed("The answer in sentences.")
    def answer(self) -> tuple[str, ...]:
        return tuple(_sentences(self))


@dataclass(frozen=True, kw_only=True)
class _Holding:
    blocks: int | None
    bytes: int
    largest: int | None
    unreached: int = 0


@dataclass(frozen=True, kw_only=True)
class _Moment:
    place: str
    held: Mapping[str, _Holding]

    @property
    def bytes(self) -> dict[str, int]:
        return {name: one.bytes for name, one in self.held.items()}


def is_state(name: str) -> bool:
    """Whether `leaks` reads it as states: an image, or the log of a device."""
    path, _ = placed(name)
    if not Path(path).is_file():
        return False
    if is_image(name):
        return True
    with open_blocks(path) as blocks:
        if TRACE_SYNC in next(iter(blocks), b"")[:HEAD]:
            return False
    reading = LogReading()
    with open_blocks(path) as blocks:
        read_log(blocks, reading)
    return next(_logged(reading), None) is not None


def held_in(files: Sequence[str]) -> HeldResult:
    """States of one program, the earliest first. InputError: a file has none."""
    moments = [moment for file in files for moment in _moments(file, named=len(files) > 1)]
    first, last = moments[0], moments[-1]
    changes = dict(changed(first.bytes, last.bytes)) if len(moments) > 1 else None
    names = sorted(last.held, key=lambda name: -last.held[name].bytes)
    gone = [name for name in changes or () if name not in last.held]
    nothing = _Holding(blocks=0, bytes=0, largest=None)
    rows = tuple(
        HeldRow(
            name=name,
            blocks=(one := last.held.get(name, nothing)).blocks,
            bytes=one.bytes,
            largest=one.largest,
            change=None if changes is None else changes.get(name, 0),
            verdict=_POINTER if one.unreached else UNKNOWN,
        )
        for name in (*names, *gone)
    )
    places = [moment.place for moment in moments]
    said = growth([one.bytes for one in moments], places, what="the bytes in use", one="state")
    return HeldResult(
        files=tuple(files),
        places=tuple(places),
        bytes=sum(last.bytes.values()),
        holders=rows,
        unreached=sum(one.unreached for one in last.held.values()),
        grew=tuple(said),
    )


def _sentences(result: HeldResult) -> Iterator[str]:
    if not result.holders:
        yield "No block is in use."
        return
    most = result.holders[0]
    blocks = "" if most.blocks is None else f" in {plural(most.blocks, 'block')}"
    yield (
        f"In use ({result.places[-1]}): {size(result.bytes)}, most by {most.name}, "
        f"{size(most.bytes)}{blocks}."
    )
    if result.unreached:
        yield (
            f"No pointer to {size(result.unreached)} of it was found: unless one lies outside the "
            "image, nothing can free these blocks any more."
        )
    yield from result.grew
    if len(result.places) == 1:
        yield (
            "One state shows who holds what, and not since when: each verdict is unknown. A second "
            "state at the same point of a later round settles who grows, a trace also where it "
            "was allocated."
        )


# ---- moments ------------------------------------------------------------------------------------


def _moments(file: str, *, named: bool) -> list[_Moment]:
    shown = printable(file, limit=400)
    if is_image(file):
        return [_Moment(place=shown, held=_image(file))]
    reading = LogReading()
    with open_blocks(file) as pieces:
        read_log(pieces, reading)
    found = list(_logged(reading))
    if not found:
        raise InputError(
            f"{shown}: neither a trace nor a state that tells who holds blocks",
            remedy="give a trace (.hst), an image, or a log with heap_caps_dump(), a table of "
            "tasks or dumps of pools",
        )
    front = f"{shown}, " if named else ""
    return [_Moment(place=f"{front}{place}", held=held) for place, held in found]


def _image(file: str) -> dict[str, _Holding]:
    path, _ = placed(file.split(",")[0])
    with open_blocks(path) as blocks:
        if is_state_file(next(iter(blocks), b"")):
            return _kept(file)
    result = answer_of(read_images(file.split(",")))
    if not result.heaps:
        raise InputError(
            f"{printable(file, limit=400)}: no heap is in it",
            remedy="see what it has: heapscope image",
        )
    lost: Counter[str] = Counter()
    for row in result.suspects:
        lost[row.name] += row.bytes if row.reach == "none" else 0
    return {
        row.name: _Holding(
            blocks=row.blocks, bytes=row.bytes, largest=row.largest, unreached=lost[row.name]
        )
        for row in result.census
    }


def _kept(file: str) -> dict[str, _Holding]:
    """A state file keeps the names of an image's blocks, and not what points at them."""
    held = labelled(file)
    sizes: dict[str, list[int]] = {}
    for block in (block for heap in held.heaps for block in heap.blocks if block.used):
        label = held.labels.get(block.address)
        sizes.setdefault(kind_of(label.name) if label else "", []).append(block.size)
    named = {name or UNNAMED: _summed(one) for name, one in sizes.items()}
    return dict(sorted(named.items(), key=lambda one: -one[1].bytes))


def _logged(reading: LogReading) -> Iterator[tuple[str, dict[str, _Holding]]]:
    """The moments of a log, by what tells most: dumps of heaps, tables of tasks, dumps of pools."""
    if reading.dumps:
        yield from ((f"line {one[0].line:,}", _sizes(one)) for one in _together(reading.dumps))
    elif reading.tasks.rows:
        yield from _tables(reading)
    else:
        pools = reading.pools
        first = [] if pools.first_dump in pools.dumps else [pools.first_dump]
        for dump in (*filter(None, first), *pools.dumps):
            sums: dict[str, list[int]] = {}
            for pool in dump.pools:
                name = printable(without_address(pool.name))
                sums.setdefault(f"pool {name}", []).append(pool.used or 0)
            yield f"line {dump.line:,}", {name: _summed(one) for name, one in sums.items()}


def _tables(reading: LogReading) -> Iterator[tuple[str, dict[str, _Holding]]]:
    tasks = reading.tasks.largest()
    ends = [("the last table of tasks", [task.used for task in tasks])]
    if reading.tasks.tables > 1:
        ends.insert(0, ("the first table of tasks", [task.first for task in tasks]))
    for place, figures in ends:
        yield (
            place,
            {
                f"task {printable(task.name)}": _Holding(blocks=None, bytes=used, largest=None)
                for task, used in zip(tasks, figures, strict=True)
                if used is not None
            },
        )


def _together(dumps: Sequence[HeapDump]) -> list[list[HeapDump]]:
    """Dumps of one moment: a heap that comes again is another one's."""
    moments: list[list[HeapDump]] = []
    for dump in dumps:
        if not moments or any(one.address == dump.address for one in moments[-1]):
            moments.append([])
        moments[-1].append(dump)
    return moments


def _sizes(dumps: Sequence[HeapDump]) -> dict[str, _Holding]:
    """The used blocks by their sizes: a dump does not tell whose they are."""
    counts = Counter(block.size for dump in dumps for block in dump.blocks if not block.is_free)
    return {
        f"blocks of {each:,} B": _Holding(blocks=count, bytes=count * each, largest=each)
        for each, count in counts.items()
    }


def _summed(sizes: Sequence[int]) -> _Holding:
    return _Holding(blocks=len(sizes), bytes=sum(sizes), largest=max(sizes))
