"""Any thing that a user has, answered at once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from heapscope.base.errors import InputError
from heapscope.cli.things.answered import answers
from heapscope.cli.things.said import AskedOfThing
from heapscope.trace.things.answer import Things


def thing(
    *things: str | Path,
    need: Sequence[int | str] = (),
    chip: str | None = None,
    idf: str | None = None,
) -> Things:
    """Says what each of the things is, and answers it: a log, a configuration, a trace, a file of a
    build, a folder, a port, a program. Two of a kind are compared.

    `need`: requests to ask about, in bytes, perhaps with capabilities ("16717", "4KB:DMA"); `chip`,
    `idf`: what a thing does not tell. "-" is standard input. InputError: a thing is not there or
    is damaged.
    """
    if not things:
        raise InputError("no thing to look at", remedy="name a file, a folder or a port")
    return answers([str(one) for one in things], AskedOfThing(need=tuple(need), chip=chip, idf=idf))
