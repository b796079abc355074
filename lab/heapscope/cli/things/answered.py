"""Each thing answered by its kind, and two things of a kind compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from importlib import import_module

from heapscope.base.errors import InputError
from heapscope.cli.things.pieces import ThingOptions, command
from heapscope.trace.things.answer import OtherKind, ThingAnswer, Things, UnderstoodKind
from heapscope.trace.things.kind import (
    EMPTY,
    FOLDER,
    KINDS,
    OTHER,
    PACKED,
    STREAM,
    UNKNOWN,
    KnownAs,
)
from heapscope.trace.things.thing import ANSWERED_MAX, Thing, look_at

_Answer = Callable[[Thing, ThingOptions], ThingAnswer]

#: The module and the function that answer a kind; a module is imported where its kind comes.
_ANSWERS = {
    "log": ("of_log", "answer_of_log"),
    "sdkconfig": ("of_config", "answer_of_config"),
    "trace": ("of_trace", "answer_of_trace"),
    **dict.fromkeys(
        ("text", "heaptrack", "mtrace", "systemview", "pjsip"), ("of_trace", "answer_of_import")
    ),
    "firmware": ("of_firmware", "answer_of_firmware"),
    "map": ("of_firmware", "answer_of_firmware"),
    "size": ("of_firmware", "answer_of_sizes"),
    "image": ("of_firmware", "answer_of_image"),
    "core": ("of_image", "answer_of_core"),
    "memory": ("of_image", "answer_of_memory"),
    "target": ("of_image", "answer_of_target"),
    "build": ("of_folder", "answer_of_build"),
    "project": ("of_folder", "answer_of_project"),
    FOLDER: ("of_folder", "answer_of_other_folder"),
    "result": ("of_others", "answer_of_result"),
    "port": ("of_others", "answer_of_port"),
    "program": ("of_others", "answer_of_program"),
    STREAM: ("of_others", "answer_of_stream"),
    **dict.fromkeys((OTHER, PACKED, EMPTY, UNKNOWN), ("of_others", "answer_of_rest")),
}
#: Kinds that are read whole for their answer.
_WHOLE = ("log", "trace", "sdkconfig", "text", "heaptrack", "mtrace", "systemview", "pjsip")

#: Kinds whose verbs read a file here and there, which no compression allows.
_LOOSE = ("firmware", "map", "image")

_WITH_NEED = ("log", "trace")

#: The verb for a thing, where it is of a second kind. A word in capitals is the thing itself.
_SECOND = {
    "log": (("log", "THING"), "as a log"),
    "sdkconfig": (("lint", "THING"), "as a configuration"),
    "text": (("import", "THING", "--from", "text", "-o", "T.hst"), "as a trace"),
    "heap trace": (("import", "THING", "--from", "esp-idf", "-o", "T.hst"), "as a trace"),
    "project": (("lint", "--project", "THING"), "as a project"),
    "core": (("image", "THING"), "as a core dump"),
}
_UNDERSTOOD = tuple(UnderstoodKind(what=kind.what, sample=kind.sample) for kind in KINDS.values())


def answers(names: Sequence[str], requested: ThingOptions) -> Things:
    """InputError: a thing is not there, or is damaged."""
    things = [look_at(name) for name in names]
    given = _of_two(things, requested) if len(things) == 2 else ()
    given = given or tuple(_answer(thing, requested) for thing in things)
    unknown = any(one.kind in (UNKNOWN, EMPTY) for one in given)
    return Things(things=given, understood=_UNDERSTOOD if unknown else ())


def _of_two(things: Sequence[Thing], requested: ThingOptions) -> tuple[ThingAnswer, ...]:
    from heapscope.cli.things.pair import beside, compared

    left, right = things
    result = None if left.large or right.large else compared(left, right, requested)
    if result is not None:
        return (result,)
    return beside(left, right, (_answer(left, requested), _answer(right, requested)))


def _answer(thing: Thing, requested: ThingOptions) -> ThingAnswer:
    if requested.need and thing.kind.kind not in _WITH_NEED:
        raise InputError(
            f"--need says nothing of {thing.shown}: {thing.kind.known_as}",
            remedy="leave it out; it asks a log or a trace",
        )
    if thing.large and thing.kind.kind in _WHOLE:
        result = _of_large(thing)
    elif thing.packed and thing.kind.kind in _LOOSE:
        result = _of_packed(thing)
    else:
        module, name = _ANSWERS[thing.kind.kind]
        answer: _Answer = getattr(import_module(f"heapscope.cli.things.{module}"), name)
        result = answer(thing, requested)
    more = tuple(_also(thing.name, other) for other in thing.kinds[1:])
    return replace(result, also=more) if more else result


def _also(name: str, known_as: KnownAs) -> OtherKind:
    words, why = _SECOND.get(known_as.kind, ((), ""))
    if not words:
        return OtherKind(what=known_as.known_as, next=None)
    named = [name if word == "THING" else word for word in words]
    return OtherKind(what=known_as.known_as, next=command(*named, why=why))


def _of_large(thing: Thing) -> ThingAnswer:
    kind = thing.kind.kind
    words = {
        "log": ("log", thing.name),
        "trace": ("replay", thing.name),
    }.get(kind, ("import", thing.name, "-o", "T.hst"))
    if kind == "sdkconfig":
        raise InputError(
            f"{thing.shown}: more than {ANSWERED_MAX >> 20} MiB, too long for a configuration",
            remedy="give the project's sdkconfig",
        )
    return ThingAnswer(
        thing=thing.shown,
        kind=kind,
        what=f"{thing.kind.known_as}, more than {ANSWERED_MAX >> 20} MiB",
        answer="It is too large to be answered at once; the command below reads all of it.",
        figures=(),
        next=(command(*words, why="reads all of it"),),
    )


def _of_packed(thing: Thing) -> ThingAnswer:
    return ThingAnswer(
        thing=thing.shown,
        kind=PACKED,
        what=f"{thing.kind.known_as}, compressed",
        answer="Not read: unpack it first.",
        figures=(),
        next=(),
    )


def unknown_of(result: Things) -> Iterator[str]:
    """The things of no known kind."""
    yield from (one.thing for one in result.things if one.kind in (UNKNOWN, EMPTY))
