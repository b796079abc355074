"""A block that is not run says why; and its commands, and those within sentences, exist."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer

from heapscope.cli.app import app

from .marks import BY, NOT_COMPARED, NOT_RUN, pages
from .page import OUTPUT, ROOT, SHELLS, Page, matches

#: Blocks of shells that are not run, and why. These figures may only become smaller.
MOST = {"it needs a device": 4, "it needs the network": 5, "it needs another system": 6}
MOST |= {"it takes minutes": 6, BY: 15}

RECIPES = Path("docs/recipes")
SPAN = re.compile(r"`(heapscope [^`]+)`")


def test_every_block_that_is_not_run_says_why() -> None:
    result: dict[str, list[str]] = {}
    for page in pages():
        for block in page.blocks:
            if block.kind in SHELLS and block.reason:
                reason = BY if block.reason.startswith(BY) else block.reason
                result.setdefault(reason, []).append(f"{page.path}:{block.line}")
    assert set(result) <= {*NOT_RUN, BY}, result
    assert {reason: len(where) for reason, where in result.items()} == MOST


def test_a_test_that_a_block_names_is_there() -> None:
    missing = [
        f"{page.path}:{block.line}"
        for page in pages()
        for block in page.blocks
        if block.reason.startswith(BY) and not (ROOT / block.reason.removeprefix(BY)).is_file()
    ]
    assert missing == []


def test_a_block_of_output_that_is_not_compared_says_why() -> None:
    results = {
        f"{page.path}:{block.line}: {block.reason}"
        for page in pages()
        for block in page.blocks
        if block.kind == OUTPUT
        and block.reason
        and not block.reason.startswith(BY)
        and block.reason not in NOT_COMPARED
    }
    assert results == set()


def test_a_page_that_quotes_has_commands_and_every_block_has_a_language() -> None:
    quoting = [str(page.path) for page in pages() if page.quotes and not page.commands]
    assert quoting == []
    unnamed = [
        f"{page.path}:{block.line}"
        for page in pages()
        for block in page.blocks
        if page.is_guide and not block.kind
    ]
    assert unnamed == []


def typed(page: Page) -> Iterator[str]:
    """The lines that a reader might type: of blocks that are not run, and within sentences."""
    for block in page.blocks:
        if block.kind in SHELLS and block.reason:
            yield from block.text.split("\n")
    yield from SPAN.findall((ROOT / page.path).read_text(encoding="utf-8"))


def test_what_is_not_run_could_be_typed() -> None:
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
    wrong = []
    shown = [page for page in pages() if page.path.parent != RECIPES]  # they add what they show
    for where, line in [(page.path, line) for page in shown for line in typed(page)]:
        if (match := re.match(r"make ([a-z-]+)", line)) and match[1] not in targets:
            wrong.append(f"{where}: {line}")
        if named := re.match(r"(?:\$ )?heapscope ((?:[a-z][a-z-]*(?![\w./-]) ?)*)(.*)", line):
            wrong += [f"{where}: {line}: {fault}" for fault in unknown(named[1].split(), named[2])]
    assert wrong == []


@cache
def heapscope() -> Any:
    return typer.main.get_command(app)


def unknown(words: list[str], rest: str) -> list[str]:
    """The options of a command line that its verb does not have, or the verb if it is unknown."""
    command = heapscope()
    context = typer.Context(command)
    own = re.split(r" -- |#", " ".join([*words, rest]))[0]
    while hasattr(command, "get_command") and words:
        result = command.get_command(context, words[0])
        if result is None:
            return [words[0]]
        command = result
        words = words[1:]
    known = {name for one in command.params for name in (*one.opts, *one.secondary_opts)} | {
        "--help"
    }
    return [name for name in re.findall(r"(?<![\w-])--[a-z][\w-]*", own) if name not in known]


@pytest.mark.parametrize(
    ("shown", "output", "like"),
    [
        ("a\nb", "a  \nb\n\n", True),
        ("a\nb", "a\nb\nc", False),
        ("a\n…", "a\nb\nc", True),
        ("a\n…", "a", True),
        ("…\nb", "a\nb", True),
        ("…\nb", "ab", False),
        ("a\n…\nd", "a\nb\nc\nd", True),
        ("a\n…\nd", "a\nd", True),
        ("a … d", "a b c d", True),
        ("a … d", "a b\nc d", False),
        ("1.5 %", "155 %", False),
    ],
)
def test_output_is_compared_but_for_what_is_left_out(shown: str, output: str, like: bool) -> None:
    assert matches(tuple(shown.split("\n")), output) is like
