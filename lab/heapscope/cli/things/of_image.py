"""A device's memory: a core dump, raw memory, a device behind a debugger."""

from __future__ import annotations

from collections.abc import Iterator

from heapscope.answers.image.result import ImageResult
from heapscope.base.errors import InputError
from heapscope.base.placed_file import placed
from heapscope.cli.things.pieces import ThingOptions, command, counted, in_bytes
from heapscope.cli.verbs.image import image
from heapscope.memory.image.doubts import address_of
from heapscope.trace.things.answer import ThingAnswer, ThingFigure
from heapscope.trace.things.thing import Thing


def answer_of_core(thing: Thing, requested: ThingOptions) -> ThingAnswer:
    """A core dump that cannot be read is answered with the reason."""
    try:
        result = image(thing.name, chip=requested.chip, idf=requested.idf)
    except InputError as error:
        return _unread(thing, error)
    return _read(thing, result, requested)


def answer_of_memory(thing: Thing, requested: ThingOptions) -> ThingAnswer:
    """Raw memory; its address is in its name, or behind @."""
    try:
        result = image(thing.name, chip=requested.chip, idf=requested.idf)
    except InputError as error:
        return _unread(thing, error)
    return _read(thing, result, requested)


def _read(thing: Thing, result: ImageResult, requested: ThingOptions) -> ThingAnswer:
    return ThingAnswer(
        thing=thing.shown,
        kind=thing.kind.kind,
        what=result.what,
        answer=" ".join(result.verdict[:2]),
        figures=tuple(_figures(result)),
        next=(
            command("image", thing.name, *requested.device, why="every heap, block and task"),
            command(
                *("image", thing.name, *requested.device, "--elf", "build/PROJECT.elf"),
                why="the same with names",
            ),
        ),
        notes=(*result.missing, *result.notes)[:2],
    )


def _figures(result: ImageResult) -> Iterator[ThingFigure]:
    if not result.heaps:
        yield in_bytes("memory", result.known)
        return
    free = [heap.free for heap in result.heaps if heap.free is not None]
    if free:
        yield in_bytes("free", sum(free))
    yield in_bytes("in use", sum(heap.used for heap in result.heaps))
    yield counted("blocks", sum(heap.used_blocks for heap in result.heaps))


def _unread(thing: Thing, error: InputError) -> ThingAnswer:
    path, address = placed(thing.name)
    own = address_of(thing.head) or 0x3FC8_0000
    size = "" if thing.size is None else f", {thing.size:,} B"
    told = error.message.removeprefix(f"{thing.shown}: ")
    again = thing.name if thing.kind.kind == "core" or address else f"{path}@{own:#010x}"
    return ThingAnswer(
        thing=thing.shown,
        kind=thing.kind.kind,
        what=f"{thing.kind.known_as}{size}",
        answer=f"Not read: {told}.",
        figures=() if thing.size is None else (in_bytes("size", thing.size),),
        next=(command("image", again, why=error.remedy),),
    )


def answer_of_target(thing: Thing, requested: ThingOptions) -> ThingAnswer:
    """A target is not connected to: that halts it."""
    return ThingAnswer(
        thing=thing.shown,
        kind="target",
        what=thing.kind.known_as,
        answer="It was not connected to, as that halts the device for a moment.",
        figures=(),
        next=(command("image", thing.name, *requested.device, why="the heap in its memory"),),
    )
