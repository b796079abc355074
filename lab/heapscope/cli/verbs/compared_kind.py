"""Recognises what is compared, and chooses the comparison."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path

from heapscope.base.errors import InputError
from heapscope.base.verb_result import VerbResult
from heapscope.cli.verbs.compared_logs import is_totals
from heapscope.config.cores import named_core
from heapscope.simulation.result.result import ReplayResult
from heapscope.trace.sniff import TRACE_SYNC, looks_like
from heapscope.trace.source import open_blocks
from heapscope.trace.things.text_kinds import facts_in


class Operand(StrEnum):
    """A kind of thing that a command line can name."""

    TRACE = "a trace"
    RESULT = "a result of replay --json"
    CONFIGURATION = "a configuration"
    LOG = "a log"
    UNKNOWN = "a file of another kind"


class Comparing(StrEnum):
    """The comparisons, as the key `kind` of their documents has them."""

    REPLAYS = "replays"
    PARTS = "parts"
    CONFIGURATIONS = "configurations"
    LOGS = "logs"


_OPTION = re.compile(rb"^(?:# )?CONFIG_\w+[ =]|^# Espressif IoT Development", re.MULTILINE)
_MEMBER = re.compile(rb'\{\s*"[A-Z][A-Z0-9_]*"\s*:')  # of an sdkconfig.json
_NAMED = re.compile(r"[@,+]")
_HEAD = 4096  # bytes of a file that are looked at


def comparison_of(things: Sequence[tuple[str, Operand]], *, parts: bool) -> Comparing:
    """The comparison of things of these names and kinds; of none it is one of two memories at their
    start. The first one that is known decides, and the readers refuse others. InputError: there is
    no such comparison."""
    kinds = [kind for _, kind in things]
    name, first = next(
        (each for each in things if each[1] is not Operand.UNKNOWN), ("", Operand.UNKNOWN)
    )
    if first is Operand.LOG:
        others = [kind for kind in kinds if kind not in (Operand.LOG, Operand.UNKNOWN)]
        if len(kinds) != 2 or others or parts:
            raise InputError(
                f"{name}: a log is compared with one other log",
                remedy="for example: heapscope compare old.log new.log",
            )
        return Comparing.LOGS
    if first is Operand.CONFIGURATION:
        return Comparing.CONFIGURATIONS
    if Operand.CONFIGURATION in kinds:
        raise InputError(
            f"{name}: {first} and {Operand.CONFIGURATION} have nothing to compare",
            remedy="name things of one kind; --sdkconfig gives a trace its configuration",
        )
    most = 1 if parts else 2
    if len(kinds) > most:
        raise InputError(
            f"{len(kinds)} traces, and at most {most} {'with --parts' if parts else 'here'}",
            remedy="compare up to six with heapscope report -o FILE",
        )
    return Comparing.PARTS if parts or not kinds else Comparing.REPLAYS


def kind_of(thing: str | Path | VerbResult) -> Operand:
    """The kind of a thing as the user names it. Standard input and missing files are UNKNOWN."""
    if isinstance(thing, ReplayResult):
        return Operand.RESULT
    text = str(thing)
    if named_core(text) is not None:
        return Operand.CONFIGURATION
    if is_totals(text):
        return Operand.LOG
    changes = text.startswith(("+", "@"))  # what stands before it
    if changes or (not Path(text).exists() and _exists(_NAMED.split(text)[0])):
        return Operand.CONFIGURATION if changes or _NAMED.search(text) else Operand.UNKNOWN
    if Path(text).is_dir():
        return Operand.CONFIGURATION
    if text == "-":
        return Operand.UNKNOWN
    try:
        with open_blocks(Path(text)) as blocks:
            head = next(iter(blocks), b"")[:_HEAD]
    except InputError:
        return Operand.UNKNOWN
    return _kind_of_bytes(head, Path(text).name)


def _exists(name: str) -> bool:
    return bool(name) and "\0" not in name and Path(name).exists()


def _kind_of_bytes(head: bytes, name: str) -> Operand:
    if TRACE_SYNC in head:
        return Operand.TRACE
    if head.lstrip()[:1] == b"{":
        return Operand.CONFIGURATION if _MEMBER.match(head.lstrip()) else Operand.RESULT
    if _OPTION.search(head) or name.startswith("sdkconfig"):
        return Operand.CONFIGURATION
    if "boot log" in looks_like(head)[0] or (b"\0" not in head and facts_in(head)):
        return Operand.LOG
    return Operand.UNKNOWN
