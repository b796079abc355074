"""A pattern for lines that a program prints again and again, and of which the reader knows nothing:
what --figure could be, tried on them."""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import pairwise

from heapscope.base.printable import printable

_NUMBER = re.compile(r"(?<![\w.])(\d{3,9})(?![\w.])")
_ANY = re.compile(r"\d+")
_BEFORE = re.compile(r"(?:[^\W\d]\w*)?[^\w]{0,3}$")
_LEAST, _MOST = 256, 1 << 26  # bytes that a heap has
_LINES = 2  # that are alike
_LINE_MAX = 400  # bytes


def suggestion(head: bytes) -> str:
    """An option to write, and what it would read; an example where no lines are alike."""
    groups: dict[str, list[str]] = defaultdict(list)
    whole = head[: head.rfind(b"\n") + 1]
    for line in whole.decode("utf-8", "replace").splitlines():
        if len(line) <= _LINE_MAX and _NUMBER.search(line):
            groups[_ANY.sub("#", line)].append(line)
    by_count = sorted(groups.values(), key=len, reverse=True)
    for lines in by_count:
        pattern = _pattern(lines) if len(lines) >= _LINES else ""
        match = re.search(pattern, lines[-1]) if pattern else None
        if match is not None:
            read = " and ".join(f"{int(value):,}" for value in match.groups())
            return (
                f"its {len(lines):,} lines like '{printable(lines[-1].strip(), limit=80)}' are not "
                f"known: if they tell a heap, --figure '{pattern}' reads {read}; --words FILE "
                "names words of its own"
            )
    return (
        "where the program prints figures in lines of its own, name them: "
        r"--figure 'fh=(?P<free>\d+).*mfb=(?P<largest>\d+)', or its words with --words FILE"
    )


def _pattern(lines: list[str]) -> str:
    """The first two numbers that could be sizes, each with the text before it: what is free, and a
    block of it."""
    line, pattern, end, before = lines[-1], "", 0, _MOST
    for match in _NUMBER.finditer(line):
        size = int(match[1])
        if not _LEAST <= size <= before or _is_time(lines, match):
            continue
        text = _BEFORE.search(line[: match.start()])
        assert text is not None
        joined = match.start() - len(text[0]) == end
        name = "largest" if pattern else "free"
        pattern += f"{'.*' if pattern and not joined else ''}{_escaped(text[0])}(?P<{name}>\\d+)"
        end, before = match.end(), size
        if name == "largest":
            break
    return pattern


def _escaped(text: str) -> str:
    return re.sub(r"([.^$|()\[\]{}*+?\\])", r"\\\1", text).replace("'", ".")


def _is_time(lines: list[str], match: re.Match[str]) -> bool:
    """A number at this place that grows from line to line."""
    index = len(_ANY.findall(lines[-1][: match.start()]))
    values = [int(numbers[index]) for line in lines if len(numbers := _ANY.findall(line)) > index]
    return len(values) > 1 and all(before < after for before, after in pairwise(values))
