"""A folder: of a build, of a project, or of other things."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.cli.things.of_config import config_answer, figures, next_of_config, sentence
from heapscope.cli.things.of_firmware import answer_of_firmware
from heapscope.cli.things.pieces import ThingOptions, command, counted
from heapscope.trace.things.answer import NextCommand, ThingAnswer
from heapscope.trace.things.folder_kinds import BuildFolder, build_of, entries
from heapscope.trace.things.kind import FOLDER, KINDS, UNKNOWN
from heapscope.trace.things.thing import Thing, look_at

_LOOKED_AT = 24  # files of a folder
_SHOWN = 3


def answer_of_build(thing: Thing, requested: ThingOptions) -> ThingAnswer:
    """The answer rests on its configuration and its ELF or map. InputError: one cannot be read."""
    build = build_of(thing.path)
    shown = ", ".join(path.name for path in (build.sdkconfig, build.elf, build.map) if path)
    of = " ".join(filter(None, (f" of {build.project}" if build.project else "", build.chip)))
    what = f"a build folder{of and f',{of}' if not build.project else of}"
    if shown:
        what = f"{what}, with {shown}"
    chip = requested.chip or build.chip or None
    if build.sdkconfig is not None:
        result = config_answer([str(build.sdkconfig)], requested, elf=build.elf, chip=chip)
        words = (str(build.sdkconfig), *result.device)
        following = tuple(next_of_config((str(build.sdkconfig), *result.device), result))[:1]
        return ThingAnswer(
            thing=thing.shown,
            kind="build",
            what=what,
            answer=sentence(result),
            figures=tuple(figures(result)),
            next=(*following, _next_of_build(thing, build, words)),
            notes=result.assumed,
        )
    firmware = build.elf or build.map
    if firmware is None:
        return ThingAnswer(
            thing=thing.shown,
            kind="build",
            what=what,
            answer="It has neither a configuration of ESP-IDF nor an ELF or a linker map.",
            figures=(),
            next=() if build.image is None else (_next_of_build(thing, build, ()),),
        )
    requested = ThingOptions(need=requested.need, chip=chip, idf=requested.idf)
    inner = answer_of_firmware(look_at(str(firmware)), requested)
    return ThingAnswer(
        thing=thing.shown,
        kind="build",
        what=what,
        answer=inner.answer,
        figures=inner.figures,
        next=inner.next or (_next_of_build(thing, build, ()),),
        notes=inner.notes,
    )


def _next_of_build(thing: Thing, build: BuildFolder, words: tuple[str, ...]) -> NextCommand:
    if build.elf or build.map or build.image:
        return command("ram", thing.name, why="each memory of the chip, to the byte")
    return command("predict", *words, why="what is left, state by state")


def answer_of_project(thing: Thing, requested: ThingOptions) -> ThingAnswer:
    """The answer rests on its configuration files. InputError: they cannot be read."""
    try:
        result = config_answer([], requested, project=thing.path)
    except InputError as error:
        if "no sdkconfig and no Kconfig file" not in error.message:
            raise
        return ThingAnswer(
            thing=thing.shown,
            kind="project",
            what=thing.kind.known_as,
            answer="It has no configuration of ESP-IDF, so nothing is known of its memory yet.",
            figures=(),
            next=(command("record", "-o", "T.hst", "--", "./PROGRAM", why="its tests on this PC"),),
        )
    words = ("--project", thing.name, *result.device)
    return ThingAnswer(
        thing=thing.shown,
        kind="project",
        what=f"{thing.kind.known_as} for {result.lint.chip}, ESP-IDF {result.lint.idf}",
        answer=sentence(result),
        figures=tuple(figures(result)),
        next=tuple(next_of_config(words, result)),
        notes=result.assumed,
    )


def answer_of_other_folder(thing: Thing, requested: ThingOptions) -> ThingAnswer:
    """Its files decide the answer."""
    known: dict[str, list[tuple[bool, str]]] = {}
    names = sorted(entries(thing.path, thing.shown))
    files = (name for name in names if (thing.path / name).is_file())
    for name in islice(files, _LOOKED_AT):
        try:
            kind = look_at(str(thing.path / name)).kind
        except InputError:
            continue
        if kind.kind in KINDS:
            known.setdefault(kind.kind, []).append((kind.doubtful, name))
    sure_first = {kind: [name for _, name in sorted(in_it)] for kind, in_it in known.items()}
    best = sorted(sure_first.items(), key=lambda each: -len(each[1]))[:_SHOWN]
    parts = [
        f"{len(in_it)} of the kind '{KINDS[kind].what}' (first {printable(in_it[0])})"
        for kind, in_it in best
    ]
    each = (
        command(str(Path(thing.name) / in_it[0]), why=f"the answer of {KINDS[kind].what}")
        for kind, in_it in best[:2]
    )
    return ThingAnswer(
        thing=thing.shown,
        kind=FOLDER if best else UNKNOWN,
        what="a folder, neither of a build nor of a project",
        answer=f"Among its first files are {', '.join(parts)}."
        if best
        else "Nothing in it is understood.",
        figures=tuple(counted(KINDS[kind].what, len(in_it)) for kind, in_it in best),
        next=(*_next_of_logs(thing, sure_first.get("log", ())), *each)[:2],
    )


def _next_of_logs(thing: Thing, logs: Sequence[str]) -> Iterator[NextCommand]:
    if len(logs) > 1:
        yield command("log", thing.name, why="all of its logs, by device and build")
