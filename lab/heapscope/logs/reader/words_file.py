"""A user's file of words: what a program calls the figures of its heap, one word a line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.trace.whole import read_whole

_SIZE_MAX = 1 << 16  # bytes
_REMEDY = "write lines like 'mfb = largest block', 'fh_int = free internal' or 'blk = 16 bytes'"


@dataclass(frozen=True, kw_only=True)
class OwnWord:
    """`where`: the file and the line, for an error."""

    word: str
    meaning: str
    where: str


def read_words(path: str | Path) -> tuple[OwnWord, ...]:
    """`WORD = MEANING` of each line; # begins a comment. InputError: the file is not readable, or a
    line is something else."""
    whole = read_whole(path, limit=_SIZE_MAX, what="a file of words", remedy=_REMEDY)
    return tuple(_words(printable(whole.name), whole.data.decode("utf-8", "replace")))


def _words(name: str, text: str) -> Iterator[OwnWord]:
    for number, line in enumerate(text.splitlines(), 1):
        stated = line.partition("#")[0].strip()
        if not stated:
            continue
        word, equals, meaning = (part.strip() for part in stated.partition("="))
        where = f"{name}, line {number:,}"
        if not equals or not word or not meaning:
            raise InputError(f"{where}: no word and its meaning", remedy=_REMEDY)
        yield OwnWord(word=word, meaning=meaning, where=where)
