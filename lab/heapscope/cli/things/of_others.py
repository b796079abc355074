"""Things that are answered without being read: ports, programs, pipes, results, and what no verb
reads."""

from __future__ import annotations

import json
import os
from pathlib import Path

from heapscope.base.port import parse_port
from heapscope.base.printable import printable
from heapscope.cli.things.pieces import ThingOptions, command
from heapscope.trace.things.answer import ThingAnswer
from heapscope.trace.things.kind import EMPTY, OTHER, PACKED, UNKNOWN
from heapscope.trace.things.text_kinds import facts_in
from heapscope.trace.things.thing import Thing

_RESULT_MAX = 32 << 20


def answer_of_port(thing: Thing, requested: ThingOptions) -> ThingAnswer:
    """A port is not opened: that resets many boards. InputError: its number is invalid."""
    port = parse_port(thing.name)
    kinds = {"serial": "a serial port", "tcp": "a TCP connection", "udp": "a UDP port"}
    what = kinds.get(port.kind, "a port")
    answer = "It was not opened; both commands below listen to it."
    device = Path(port.device)
    if port.kind == "serial":
        answer = "It was not opened, as that resets many boards; both commands below listen to it."
    if port.kind == "serial" and os.name == "posix":
        if not device.exists():
            what, answer = f"{what} that is not there", "No such device: is the board plugged in?"
        elif not os.access(device, os.R_OK | os.W_OK):
            answer = (
                "You may not open it: its group is often dialout (sudo usermod -aG dialout $USER, "
                "then log in again)."
            )
    return ThingAnswer(
        thing=thing.shown,
        kind="port",
        what=what,
        answer=answer,
        figures=(),
        next=(
            command("log", thing.name, why="what the device prints, answered as it comes")
            if port.kind == "serial"
            else command("live", thing.name, "-o", "T.hst", why="the same, kept as a trace"),
            command("live", thing.name, why="a device with the recorder in its firmware"),
        ),
    )


def answer_of_program(thing: Thing, requested: ThingOptions) -> ThingAnswer:
    name = thing.name if os.sep in thing.name else f"./{thing.name}"
    static = "statically" in thing.kind.what
    answer = (
        "It was not run; record runs it and takes every call of its heap, without a rebuild."
        if not static
        else "It was not run; record finds no calls in a program that is linked statically."
    )
    return ThingAnswer(
        thing=thing.shown,
        kind="program",
        what=thing.kind.known_as,
        answer=answer,
        figures=(),
        next=(
            command("record", "-o", "T.hst", "--", name, why="runs it"),
            command("T.hst", why="what it did"),
        ),
    )


def answer_of_stream(thing: Thing, requested: ThingOptions) -> ThingAnswer:
    return ThingAnswer(
        thing=thing.shown,
        kind="stream",
        what=thing.kind.what,
        answer="It was not opened, as it may have no end, or nobody may write into it.",
        figures=(),
        next=(command("log", thing.name, why="a log, answered as it comes"),)
        if "pipe" in thing.kind.what
        else (),
    )


def answer_of_result(thing: Thing, requested: ThingOptions) -> ThingAnswer:
    """The result that a verb wrote with --json."""
    stated = {} if thing.size is None or thing.size > _RESULT_MAX else _document(thing)
    verdict = stated.get("verdict")
    sentence = verdict.get("sentence") if isinstance(verdict, dict) else None
    if isinstance(verdict, list) and verdict:
        sentence = verdict[0]
    replayed = thing.kind.what.endswith(" replay")
    return ThingAnswer(
        thing=thing.shown,
        kind="result",
        what=thing.kind.known_as,
        answer=printable(sentence, limit=400)
        if isinstance(sentence, str)
        else "It holds the figures of that verb, for programs.",
        figures=(),
        next=(command("compare", thing.name, "OTHER.json", why="with another result"),)
        if replayed
        else (),
    )


def _document(thing: Thing) -> dict[str, object]:
    data = thing.head
    if thing.size != len(data):
        with thing.path.open("rb") as file:
            data = file.read(_RESULT_MAX)
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}


def answer_of_rest(thing: Thing, requested: ThingOptions) -> ThingAnswer:
    """A thing that no verb reads. The kind is UNKNOWN where nothing is known of it."""
    kind = thing.kind
    sentences = {
        EMPTY: "There is nothing in it.",
        PACKED: f"Not read: {kind.remedy}.",
        OTHER: f"It has no answer of its own: {kind.remedy}.",
    }
    words = [thing.name if word == "THING" else word for word in kind.words]
    following = (command(*words, why="the command for it"),) if words else ()
    notes: tuple[str, ...] = ()
    if kind.kind == "log" or (kind.kind == UNKNOWN and kind.what == "a text"):
        facts = 0 if kind.doubtful else facts_in(thing.head)
        few = (
            f"{facts:,} of its lines tell of memory, too few to be a log's"
            if facts
            else ("no line of it tells of memory in words that are known")
        )
        notes = (f"{few}; if it is a log, --figure names the words of the program",)
        following = (command("log", thing.name, why="all the same, as a log"),)
    return ThingAnswer(
        thing=thing.shown,
        kind=UNKNOWN if kind.doubtful else kind.kind,
        what="a text" if kind.doubtful else kind.what,
        answer=sentences.get(kind.kind, "It is not one of the things that are understood."),
        figures=(),
        next=following,
        notes=notes,
    )
