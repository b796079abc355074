"""Suppressions: what is known to stay and is not to be reported.

A file with one rule a line, each of `key=pattern` words that must all match:

    task=wifi site=*static_buf*        # buffers for the life of the program
    task=main size=16..64
    site="helper (a.c:3) ← … 4 more"

Keys: task, site (both with * and ?), size (a number or FROM..TO, bytes). # begins a comment, but
not in quotes. A name as a table shortens it is a pattern too: "…" and "… 4 more" are any text.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.trace.call_sites import any_text
from heapscope.trace.whole import read_whole

KEYS = ("task", "site", "size")
_WORD = re.compile(r'#.*|(?:[^\s"#]|"[^"]*")+|"')
SIZE_MAX = 1 << 64


@dataclass(frozen=True, kw_only=True)
class Suppression:
    line: int
    task: str = "*"
    site: str = "*"
    least: int = 0
    most: int = SIZE_MAX

    def matches(self, *, task: str, sites: Collection[str], size: int) -> bool:
        """`sites`: what the call site is called."""
        return (
            self.least <= size <= self.most
            and _like(task, self.task)
            and any(_like(site, self.site) for site in sites)
        )


def _like(name: str, pattern: str) -> bool:
    """By * and ? alone: brackets belong to names ("wifi[0]", "operator new[]")."""
    return name == pattern or fnmatch.fnmatchcase(name, any_text(pattern).replace("[", "[[]"))


_SIZE_MAX = 1 << 20  # bytes


def read_suppressions(path: Path) -> tuple[Suppression, ...]:
    """InputError names file and line of a rule that cannot be read."""
    shown = printable(str(path), limit=400)
    remedy = "give the file of leaks that are known (--suppress)"
    whole = read_whole(path, limit=_SIZE_MAX, what="a list of known leaks", remedy=remedy)
    lines = whole.text().splitlines()
    rules = ((number, _words(line)) for number, line in enumerate(lines, 1))
    return tuple(_rule(shown, number, words) for number, words in rules if words)


def _words(line: str) -> list[str]:
    words = [word for word in _WORD.findall(line) if not word.startswith("#")]
    return [re.sub(r'"([^"]*)"', r"\1", word) for word in words]


def _rule(file: str, line: int, words: list[str]) -> Suppression:
    given: dict[str, str] = {}
    for word in words:
        key, equals, pattern = word.partition("=")
        if not equals or key not in KEYS or key in given or not pattern:
            raise InputError(
                f"{file}: line {line}: '{printable(word)}' is not a rule",
                remedy="write task=PATTERN, site=PATTERN or size=FROM..TO, each at most once",
            )
        given[key] = pattern
    least, most = _sizes(file, line, given.get("size"))
    return Suppression(
        line=line,
        task=given.get("task", "*"),
        site=given.get("site", "*"),
        least=least,
        most=most,
    )


def _sizes(file: str, line: int, text: str | None) -> tuple[int, int]:
    if text is None:
        return 0, SIZE_MAX
    first, dots, second = text.partition("..")
    try:
        least = int(first) if first else 0
        most = (int(second) if second else SIZE_MAX) if dots else least
        if not 0 <= least <= most:
            raise ValueError
    except ValueError:
        raise InputError(
            f"{file}: line {line}: size={printable(text)} is not a range",
            remedy="write size=64 or size=16..64",
        ) from None
    return least, most
