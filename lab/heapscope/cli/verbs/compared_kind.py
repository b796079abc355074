"""Recognises what is compared, and chooses the comparison."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path

from heapscope.base.errors import InputError
from heapscope.base.verb_result import VerbResult
from heapscope.cli.verbs.compared_logs import is_totals
from heapscope.config.cores import named_core
from heapscope.logs.heaps.held_heaps import is_image
from heapscope.simulation.result.result import ReplayResult
from heapscope.trace.things.thing import kinds_by_head


class Operand(StrEnum):
    """A kind of thing that a command line can name."""

    TRACE = "a trace"
    RESULT = "a result of replay --json"
    CONFIGURATION = "a configuration"
    LOG = "a log"
    BUILD = "a file of a build"
    UNKNOWN = "a file of another kind"


class Comparing(StrEnum):
    """The comparisons, as the key `kind` of their documents has them."""

    REPLAYS = "replays"
    PARTS = "parts"
    CONFIGURATIONS = "configurations"
    LOGS = "logs"


#: By the kinds of things (heapscope.trace.things.kind).
_OPERANDS = {
    "trace": Operand.TRACE,
    "result": Operand.RESULT,
    "sdkconfig": Operand.CONFIGURATION,
    "log": Operand.LOG,
    **dict.fromkeys(("firmware", "map", "size", "image"), Operand.BUILD),
}
_NAMED = re.compile(r"[@,+]")
_HEAD = 1 << 20  # bytes of a file that are looked at
#: What a trace takes from a thing of another kind.
_OF_TRACE = {
    Operand.CONFIGURATION: "; --sdkconfig gives a trace its configuration",
    Operand.LOG: "; --boot-log gives a trace the memory that a log names",
}


def comparison_of(things: Sequence[tuple[str, Operand]], *, parts: bool) -> Comparing:
    """The comparison of things of these names and kinds; of none it is one of two memories at their
    start. The first one that is known decides, and the readers refuse others. InputError: there is
    no such comparison."""
    kinds = [kind for _, kind in things]
    name, first = next(
        (each for each in things if each[1] is not Operand.UNKNOWN), ("", Operand.UNKNOWN)
    )
    if first is Operand.BUILD:
        names = " ".join(shlex.quote(name) for name, _ in things)
        raise InputError(
            f"{name}: {first}, and builds are not compared part by part in this version",
            remedy=f"heapscope {names} says what is known of each: its static RAM",
        )
    others = (each for each in things if each[1] not in (first, Operand.UNKNOWN))
    second, apart = next(others, ("", None))
    if apart is not None and {first, apart} & {Operand.CONFIGURATION, Operand.LOG, Operand.BUILD}:
        one, other = (apart, first) if first is Operand.TRACE else (first, apart)
        more = _OF_TRACE.get(one, "") if other is Operand.TRACE else ""
        raise InputError(
            f"{name} and {second}: {first} and {apart} have nothing to compare",
            remedy=f"name things of one kind{more}",
        )
    if first is Operand.CONFIGURATION:
        return Comparing.CONFIGURATIONS
    if first is Operand.LOG:
        if len(kinds) < 2:
            raise InputError(
                f"{name}: one log, and nothing to compare it with",
                remedy=f"name a second log; heapscope log {shlex.quote(name)} answers this one",
            )
        return Comparing.LOGS
    if parts and len(kinds) > 1:
        raise InputError(
            f"{len(kinds)} traces, and --parts is about one trace on two memories",
            remedy="name one trace, or leave --parts out",
        )
    return Comparing.PARTS if parts or not kinds else Comparing.REPLAYS


def kind_of(thing: str | Path | VerbResult) -> Operand:
    """The kind of a thing as the user names it. Standard input and missing files are UNKNOWN."""
    if isinstance(thing, ReplayResult):
        return Operand.RESULT
    text = str(thing)
    if named_core(text) is not None:
        return Operand.CONFIGURATION
    if is_totals(text) or _is_image(text):
        return Operand.LOG
    changes = text.startswith(("+", "@"))  # what stands before it
    if changes or (not Path(text).exists() and _exists(_NAMED.split(text)[0])):
        return Operand.CONFIGURATION if changes or _NAMED.search(text) else Operand.UNKNOWN
    if Path(text).is_dir():
        return Operand.CONFIGURATION
    if text == "-":
        return Operand.UNKNOWN
    try:
        kind = kinds_by_head(text)[0].kind
    except InputError:
        return Operand.UNKNOWN
    result = _OPERANDS.get(kind, Operand.UNKNOWN)
    if result is not Operand.UNKNOWN:
        return result
    named = Path(text).name.startswith("sdkconfig")
    return Operand.CONFIGURATION if named else Operand.UNKNOWN


def _is_image(text: str) -> bool:
    """A device's memory is compared as the log that it would print."""
    try:
        return text != "-" and is_image(text)
    except InputError:
        return False


def _exists(name: str) -> bool:
    return bool(name) and "\0" not in name and Path(name).exists()
