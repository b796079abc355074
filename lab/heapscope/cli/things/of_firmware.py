"""A firmware's files: the static RAM of an ELF or a linker map, and the heap of an image."""

from __future__ import annotations

import re

from heapscope.base.wording import plural
from heapscope.cli.things.pieces import ThingOptions, command, in_bytes
from heapscope.memory.static.read import read_image
from heapscope.memory.static.use import StaticUse
from heapscope.memory.static.uses import uses_of
from heapscope.trace.things.answer import NextCommand, ThingAnswer
from heapscope.trace.things.binary_kinds import BOOT_LOADER
from heapscope.trace.things.thing import Thing

_RAM = ("DRAM", "D/IRAM", "IRAM")
_APART = ("IRAM", "RTCRAM", "TCM")  # kinds of heap that malloc does not serve, or hardly
_LISTED = 3  # regions, the largest
_USED = re.compile(
    r"Used static (\w+): *(\d+) bytes *\( *(-?\d+) (?:available|remain)", re.IGNORECASE
)
_OVERFLOW = re.compile(r"region `([^']{1,60})' overflowed by (\d+) bytes")


def answer_of_firmware(thing: Thing, requested: ThingOptions) -> ThingAnswer:
    """An ELF or a linker map. InputError: it is damaged."""
    uses = uses_of(thing.path, requested.chip)
    if len(uses) == 1:
        ((chip, use),) = uses.items()
        return _static(thing, use, chip)
    named = f", of {' or '.join(uses)}" if uses else ""
    known = "its chip is not known: --chip names it" if uses else "no chip that is known here"
    return ThingAnswer(
        thing=thing.shown,
        kind=thing.kind.kind,
        what=f"{thing.kind.known_as}{named}",
        answer=f"The static RAM is not known: {known}.",
        figures=(),
        next=tuple(
            command(thing.name, "--chip", chip, why="its static RAM") for chip in list(uses)[:2]
        ),
    )


def _static(thing: Thing, use: StaticUse, chip: str) -> ThingAnswer:
    flag = "--map" if use.form == "linker map" else "--elf"
    code = _code(use)
    data = use.bytes_of(*_RAM) - code
    return ThingAnswer(
        thing=thing.shown,
        kind=thing.kind.kind,
        what=f"{thing.kind.known_as}, of {chip}",
        answer=(
            f"Before there is a heap, its data take {data:,} B of the RAM of {chip} and its code "
            f"{code:,} B."
        ),
        figures=(
            in_bytes("data and bss", data),
            in_bytes("code in RAM", code),
            in_bytes("PSRAM", use.bytes_of("SPIRAM")),
        ),
        next=(
            command(
                "replay", "T.hst", "--chip", chip, flag, thing.name, why="a trace on what is left"
            ),
            command("predict", "sdkconfig", flag, thing.name, why="what is left, state by state"),
        ),
        notes=use.notes[:1],
    )


def answer_of_sizes(thing: Thing, requested: ThingOptions) -> ThingAnswer:
    """The sizes that a build printed, or the JSON of them."""
    text = thing.head.decode("utf-8", "replace")
    used = [(kind, int(bytes_), int(left)) for kind, bytes_, left in _USED.findall(text)]
    over = [(region, int(bytes_)) for region, bytes_ in _OVERFLOW.findall(text)]
    parts = [
        f"{bytes_:,} B of {kind} are taken, {left:,} B are left" for kind, bytes_, left in used
    ]
    if over:
        parts = [f"{region} is {bytes_:,} B too small" for region, bytes_ in over]
    answer = (
        f"Static memory, without the heap: {'; '.join(parts)}."
        if parts
        else ("It tells the static memory of a build, without the heap.")
    )
    shown = [in_bytes(f"left of {kind}", left) for kind, _, left in used]
    if over:
        shown = [in_bytes(f"too much for {region}", bytes_) for region, bytes_ in over]
    chip = requested.chip or "esp32"
    return ThingAnswer(
        thing=thing.shown,
        kind="size",
        what=thing.kind.known_as,
        answer=answer,
        figures=tuple(shown[:3]),
        next=(_sizes_next(thing, chip),),
        notes=("which component takes it is in the build's linker map: give that, or the ELF",),
    )


def _sizes_next(thing: Thing, chip: str) -> NextCommand:
    if thing.head.lstrip()[:1] == b"{":
        words = "replay", "T.hst", "--chip", chip, "--map", thing.name
        return command(*words, why="a trace on what is left")
    return command("build/PROJECT.map", why="the static RAM by the build's linker map")


def answer_of_image(thing: Thing, requested: ThingOptions) -> ThingAnswer:
    """An image of ESP-IDF, which has in it what its start-up makes the heap of. InputError: it is
    damaged, or does not tell."""
    if thing.kind.what == BOOT_LOADER:
        return ThingAnswer(
            thing=thing.shown,
            kind="image",
            what=f"{thing.kind.known_as}, of {thing.kind.chip}",
            answer="It has no heap: the program that it starts has an image of its own.",
            figures=(),
            next=(command("build/PROJECT.bin", why="the heap of the program"),),
        )
    image = read_image(thing.name)
    free = sum(region.size for region in image.regions if region.kind not in _APART)
    most = sorted(image.regions, key=lambda region: -region.size)
    listed = ", ".join(f"{r.size:,} B of {r.kind} at {r.start:#010x}" for r in most[:_LISTED])
    rest = len(most) - _LISTED
    more = f", {plural(rest, 'smaller one')}" if rest > 0 else ""
    return ThingAnswer(
        thing=thing.shown,
        kind="image",
        what=f"{thing.kind.known_as}, of {image.chip}, ESP-IDF {image.idf}",
        answer=(
            f"Its start-up gives {free:,} B to the heap that malloc serves; "
            f"{plural(len(most), 'region')} in all: {listed}{more}."
        ),
        figures=(
            in_bytes("heap", free),
            in_bytes("data and bss", image.use.bytes_of(*_RAM) - _code(image.use)),
            in_bytes("code in RAM", _code(image.use)),
        ),
        next=(
            command("replay", "T.hst", "--bin", thing.name, why="a trace on these regions"),
            command(
                "predict", "sdkconfig", "--bin", thing.name, why="what is left, state by state"
            ),
        ),
    )


def _code(use: StaticUse) -> int:
    return use.bytes_of(*_RAM, role="code")
